import { describe, expect, it } from 'vitest';
import type { Decision } from '../model/decision.ts';
import type { RequestName } from '../model/request.ts';
import { initialState, type RolloutState } from '../model/state.ts';
import { routeOf, withTargetGroups } from '../load-balancers/load-balancer.ts';
import { aCell, arnOf, weightsOf } from '../testing/builders.ts';
import { rollingOut, stands } from '../testing/rolling-out.ts';
import { doneStale, applyPerformed } from './record/performed.ts';
import {
  markChanged,
  recordFailedLook,
  isStale,
  isReported,
  recordRequest,
  newRun,
  recordLook,
  type Run,
} from './record/run.ts';
import { dueReport, takeTurn, recordReport, type DueReport } from './turn.ts';

const NOW = 1_000_000;
const workflow = { workflowId: 'cell/default/web', runId: '0123456789abcdef' };
const at = { workflow, now: NOW };
const seen = aCell()
  .withGroups('1.0.0', 'a')
  .serving({ a: 100 })
  .withStatus({ stableVersion: '1.0.0' })
  .seen();
const looked = (state: Partial<RolloutState> = {}): Run =>
  recordLook(newRun({ ...initialState, ...state }), seen, { now: NOW, upTo: 1 });
const wait: Decision = { do: 'Wait', for: 'Resume', message: 'Waiting.' };
const refused = { during: 'Shift', reason: 'Conflict', message: '', since: NOW, attempts: 1 } as const;
const event = { id: '0', type: 'Normal', reason: 'Said', message: '' } as const;

function due(run: Run, decision: Decision = wait): DueReport {
  const report = dueReport(run, decision, at);
  if (report === undefined) throw new Error('Expected something to report, got nothing.');
  return report;
}

describe('a turn', () => {
  it('begins with a look, and has one after each change', () => {
    expect(takeTurn(newRun(initialState), NOW)).toEqual({ is: 'Look' });
    expect(takeTurn(markChanged(looked(), NOW), NOW)).toEqual({ is: 'Look' });
    expect(takeTurn(recordRequest(looked(), 'retry', { by: 'ann', reason: '', at: NOW }), NOW).is).toBe(
      'Look',
    );
  });

  it.each<[RequestName, boolean]>([
    ['resume', true],
    ['promote', true],
    ['promoteFull', true],
    ['pause', false],
    ['abort', false],
  ])('after %s looks at the objects as they are now: %s', (name, looks) => {
    expect(isStale(recordRequest(looked(), name, { by: 'ann', reason: '', at: NOW }))).toBe(looks);
  });

  it('comes to rest when there is nothing to do', () =>
    expect(takeTurn(looked(), NOW)).toMatchObject({ is: 'Rest', decision: { do: 'Close' } }));

  it('performs by what was seen', () => {
    const nothing = aCell().withGroups('1.0.0', 'a').seen();
    const turn = takeTurn(recordLook(newRun(initialState), nothing, { now: NOW, upTo: 1 }), NOW);
    expect(turn).toMatchObject({ is: 'Perform', decision: { do: 'Inspect' }, observed: nothing });
  });
});

describe('a report', () => {
  it('of what is done between two others is not due', () =>
    expect(dueReport(looked(), { do: 'Advance', message: '' }, at)).toBeUndefined());

  it('does not report a look at targets, which would show a Cell at rest as progressing', () =>
    expect(
      dueReport(looked(), { do: 'CheckHealth', targetGroupARNs: [arnOf('a')], message: '' }, at),
    ).toBeUndefined());

  it('is new at first, and names its Events after the run', () =>
    expect(due(looked({ events: [event] }))).toMatchObject({
      is: 'New',
      isNewPhase: true,
      events: [{ ...event, id: '01234567-0' }],
      cell: { key: seen.key, uid: 'uid-1' },
    }));

  it('says nothing that was said', () => {
    const first = looked();
    const { status } = due(first);
    const after = recordReport(first, first, status);
    expect(due(after)).toMatchObject({ is: 'Same', isNewPhase: false });
    expect(after.observed?.cell?.status).toEqual(status);
  });

  it.each([
    ['stands as before while what has changed at the load balancer is put back', {}, 'Completed', 'True'],
    [
      'does not stand as before while that is tried again',
      { backoff: { ...refused, until: NOW } },
      'Failed',
      'False',
    ],
  ])('of a Cell that %s', (_, state, phase, isReady) => {
    const turn = takeTurn(looked({ mayDiffer: true, ...state }), NOW);
    if (turn.is !== 'Perform') throw new Error(`Expected something to do, got ${turn.is}.`);
    expect(turn.decision).toMatchObject({ do: 'Shift', purpose: 'Restoring' });
    const { status } = due(turn.run, turn.decision);
    expect(status.phase).toBe(phase);
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: isReady }));
  });

  it('that was refused is tried again later', () => {
    const unreported = { reason: 'Invalid', message: '', attempts: 1, until: NOW + 1 };
    expect(due(looked({ unreported })).is).toBe('Later');
    expect(due(looked({ unreported: { ...unreported, until: NOW } })).is).toBe('New');
    expect(isReported(looked({ unreported }))).toBe(false);
  });

  it('of a version that is blocked from here on makes for another look', () => {
    const justBlocked = { version: '2.0.0', cause: 'x', time: '', observedGeneration: 1 };
    const sent = looked({ justBlocked });
    expect(isStale(recordReport(sent, sent, due(sent).status))).toBe(true);
    const later = { ...sent, state: { ...sent.state, justBlocked: { ...justBlocked, version: '3.0.0' } } };
    expect(isStale(recordReport(later, sent, due(sent).status))).toBe(false);
  });
});

describe('what was performed', () => {
  const kept = (state: RolloutState): RolloutState => state;

  it('has the objects looked at where it says so', () =>
    expect(isStale(applyPerformed(looked(), doneStale(kept), { now: NOW, upTo: 1 }))).toBe(true));

  it('is known where there was no look after it, with all that was reported meanwhile; the rest is as old as before', () => {
    const sent = looked();
    const { status } = due(sent);
    const route = seen.cell && routeOf(seen.cell.spec);
    if (route === undefined) throw new Error('Expected the builder to make a route, got none.');
    const targetGroups = [{ name: 'b', arn: arnOf('b'), weight: 100 }];
    const written = { apply: kept, observation: { written: withTargetGroups(route, targetGroups) } };
    const after = applyPerformed(recordReport(sent, sent, status), written, { now: NOW + 5, upTo: 1 });
    expect(after).toMatchObject({
      observedAt: NOW,
      observed: { weighted: targetGroups, cell: { status } },
    });
  });
});

describe('an API server that does not answer any more', () => {
  it('lets a rollout go forward by nothing that was seen before, whatever ELBv2 has taken since', () => {
    const steps = [10, 20, 40, 60, 80].map((setWeight) => ({ setWeight }));
    const web = rollingOut({ settle: '9s', updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    web.isBlind = true;
    web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    web.pass(300_000);
    // One more, by what was seen 9 s before.
    expect(web.served.find(({ name }) => name === 'b')?.weight).toBe(20);
    web.isBlind = false;
    web.pass(60_000);
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Freeze' });
  });

  it('is asked again after what takes traffic back was written, as if nothing had been', () => {
    const unseen = recordFailedLook(markChanged(looked(), NOW), { reason: 'Unavailable', message: '' }, NOW);
    const route = seen.cell && routeOf(seen.cell.spec);
    if (route === undefined) throw new Error('Expected the builder to make a route, got none.');
    const written = withTargetGroups(route, [{ name: 'a', arn: arnOf('a'), weight: 100 }]);
    const back = { apply: (state: RolloutState) => state, observation: { written } };
    const after = applyPerformed(unseen, back, { now: NOW + 5, upTo: 2 });
    expect(after.state.blind).toEqual(unseen.state.blind);
    expect(isStale(after)).toBe(true);
  });
});

describe('A-C34 a pause', () => {
  it.each([
    ['5s', 5],
    ['30', 30],
    [30, 30],
    ['10m', 600],
  ])('of %j ends after %d seconds, and not a moment later', (duration, seconds) => {
    const steps = [{ setWeight: 20 }, { pause: { duration } }];
    const web = rollingOut({ settle: '0s', updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Pause', until: web.now + seconds * 1000 });
    web.pass(seconds * 1000 - 1);
    expect(stands(web)).toBe('Paused WaitingForPause 20');
    web.pass(1);
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
  });

  it('without a duration lasts until someone ends it', () => {
    const web = rollingOut({
      updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
    });
    web.pass(365 * 24 * 60 * 60_000);
    expect(stands(web)).toBe('Paused WaitingForResume 20');
    web.ask('resume');
    web.pass(60_000);
    expect(stands(web)).toBe('Completed Serving 100');
  });
});
