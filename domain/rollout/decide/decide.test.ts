import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../../crds/cell.ts';
import { decide } from './decide.ts';
import type { Decision } from '../../model/decision.ts';
import { takeRequest } from '../../model/requests.ts';
import { type Progress, type Rollout, type RolloutState, initialState } from '../../model/state.ts';
import { eventOf } from '../report/events.ts';
import { aCell, arnOf, weightsOf, aRollout } from '../../testing/builders.ts';
import { labelOf } from '../../testing/label.ts';
import { parseStep } from '../../steps/index.ts';

const NOW = 1_000_000;
const stamp = { by: 'ann', reason: 'night shift', at: NOW };
const steps: CanaryStep[] = [
  { setWeight: 20 },
  { analysis: { templates: [{ templateName: 'success-rate' }] } },
  { pause: { duration: '5s' } },
  { setWeight: 40 },
];
const set = (version: string, name: string) => ({ version, groups: [{ name, arn: arnOf(name) }] });

function rolling(at: Partial<Rollout>, more: Partial<RolloutState> = {}): RolloutState {
  const rollout = aRollout({ steps: steps.map(parseStep), ...at });
  return { ...initialState, rollout, ...more };
}

const cell = aCell()
  .withSteps(...steps)
  .withGroups('1.0.0', 'a')
  .withGroups('2.0.0', 'b')
  .withStatus({ stableVersion: '1.0.0' });
const unhealthy = (since: number, at = NOW) => ({
  health: { targetGroupARNs: [arnOf('b')], since, at, checks: 1, lack: 'Expected a healthy target.' },
});
const analysing = (phase: 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive'): Progress => ({
  is: 'Measuring',
  kind: 'AnalysisRun',
  verdict: { name: 'web-1-success-rate-r1', phase, message: '' },
  startedAt: NOW,
  readAt: NOW,
  reads: 0,
});

function requiredBy({ requires }: Extract<Decision, { do: 'Shift' }>): string {
  const { healthy = [], registered = [] } = requires ?? {};
  const names = (arns: readonly string[]) => arns.map((arn) => arn.split('/')[1]).join(', ');
  if (healthy.length > 0) return ` if ${names(healthy)} is healthy`;
  return registered.length > 0 ? ` if ${names(registered)} is registered` : '';
}

function told(decision: Decision): string {
  switch (decision.do) {
    case 'Shift':
      return `${decision.purpose} ${JSON.stringify(weightsOf(decision.shares))}${requiredBy(decision)}`;
    case 'Wait':
      return `Wait for ${decision.for}${decision.until === undefined ? '' : ` ${decision.until - NOW} ms`}`;
    case 'End':
      return `${decision.ending.kind}: ${decision.ending.reason}`;
    default:
      return labelOf(decision);
  }
}

type Case = [string, Readonly<Record<string, number>>, RolloutState, string];

describe('a rollout', () => {
  it.each<Case>([
    [
      'attaches the canary at 0 before anything else',
      { a: 100 },
      rolling({}),
      'AttachingTargetGroups {"a":100,"b":0} if b is registered',
    ],
    [
      'moves the weight where the targets that gain are healthy',
      { a: 100, b: 0 },
      rolling({}),
      'ShiftingTraffic {"a":80,"b":20} if b is healthy',
    ],
    [
      'tries again after a while when they were not',
      { a: 100, b: 0 },
      rolling({}, unhealthy(NOW - 60_000, NOW - 60_000)),
      'ShiftingTraffic {"a":80,"b":20} if b is healthy',
    ],
    [
      'holds while they are not healthy',
      { a: 100, b: 0 },
      rolling({}, unhealthy(NOW)),
      'Wait for Health 1000 ms',
    ],
    [
      'fails when they do not become healthy in time',
      { a: 100, b: 0 },
      rolling({}, unhealthy(NOW - 600_000)),
      'Failed: HealthTimeout',
    ],
    ['goes to the next step once the weight is served', { a: 80, b: 20 }, rolling({}), 'Advance'],
    ['starts the analysis of a step', { a: 80, b: 20 }, rolling({ index: 1 }), 'Start AnalysisRun'],
    [
      'waits for its verdict',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Running') }),
      'Wait for Analysis 30000 ms',
    ],
    [
      'continues when it is successful',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Successful') }),
      'Advance',
    ],
    [
      'fails when it failed',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Failed') }),
      'Failed: AnalysisFailed',
    ],
    [
      'fails when it could not measure',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Error') }),
      'Failed: AnalysisFailed',
    ],
    [
      'leaves an inconclusive one to a person',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Inconclusive') }),
      'Wait for Verdict',
    ],
    [
      'goes past an inconclusive one when promoted',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Inconclusive') }, { requests: { promote: stamp } }),
      'Advance',
    ],
    ['begins a pause', { a: 80, b: 20 }, rolling({ index: 2 }), 'Pause'],
    [
      'waits out what is left of it',
      { a: 80, b: 20 },
      rolling({ index: 2, progress: { is: 'Pausing', since: NOW - 2000 } }),
      'Wait for Pause 3000 ms',
    ],
    [
      'continues after it',
      { a: 80, b: 20 },
      rolling({ index: 2, progress: { is: 'Pausing', since: NOW - 5000 } }),
      'Advance',
    ],
    [
      'gives everything after the last step and keeps the old groups at 0',
      { a: 60, b: 40 },
      rolling({ index: 4 }),
      'ShiftingTraffic {"a":0,"b":100} if b is healthy',
    ],
    ['finishes once that is served', { a: 0, b: 100 }, rolling({ index: 4 }), 'Finish'],
    [
      'skips the steps when fully promoted, but not the health',
      { a: 80, b: 20 },
      rolling({ index: 1 }, { requests: { promoteFull: stamp } }),
      'ShiftingTraffic {"a":0,"b":100} if b is healthy',
    ],
    [
      'ends the analysis that a full promotion skips',
      { a: 80, b: 20 },
      rolling({ index: 1, progress: analysing('Running') }, { requests: { promoteFull: stamp } }),
      'Terminate AnalysisRun',
    ],
    [
      'stays where it is while paused',
      { a: 80, b: 20 },
      rolling({ index: 1 }, { requests: { paused: stamp } }),
      'Wait for Resume',
    ],
    [
      'is aborted even while paused',
      { a: 80, b: 20 },
      rolling({ index: 1 }, { requests: { paused: stamp, abort: stamp } }),
      'Failed: Aborted',
    ],
    [
      'waits before it tries again what was refused',
      { a: 80, b: 20 },
      rolling(
        { index: 1 },
        {
          backoff: {
            during: 'StartMeasurement',
            reason: 'AnalysisTemplateNotFound',
            message: '',
            since: NOW,
            attempts: 1,
            until: NOW + 1000,
          },
        },
      ),
      'Wait for Backoff 1000 ms',
    ],
    [
      'is aborted while it waits for that',
      { a: 80, b: 20 },
      rolling(
        { index: 1 },
        {
          requests: { abort: stamp },
          backoff: {
            during: 'Shift',
            reason: 'Throttled',
            message: '',
            since: NOW,
            attempts: 1,
            until: NOW + 1000,
          },
        },
      ),
      'Failed: Aborted',
    ],
    [
      'gives everything back when it has failed',
      { a: 80, b: 20 },
      rolling({ ending: { kind: 'Failed', reason: 'x', message: '', at: NOW } }),
      'Reverting {"a":100,"b":0}',
    ],
    [
      'then ends the analysis',
      { a: 100, b: 0 },
      rolling({
        index: 1,
        progress: analysing('Running'),
        ending: { kind: 'Failed', reason: 'x', message: '', at: NOW },
      }),
      'Terminate AnalysisRun',
    ],
    [
      'then concludes',
      { a: 100, b: 0 },
      rolling({ ending: { kind: 'Failed', reason: 'x', message: '', at: NOW } }),
      'Conclude',
    ],
    [
      'does not conclude before it has looked where someone may have changed the weights',
      { a: 100, b: 0 },
      rolling({ ending: { kind: 'Failed', reason: 'x', message: '', at: NOW } }, { mayDiffer: true }),
      'Reverting {"a":100,"b":0}',
    ],
    [
      'replans when the steps were edited',
      { a: 80, b: 20 },
      rolling({ steps: [{ setWeight: 20 }].map(parseStep) }),
      'Replan',
    ],
  ])('%s', (_, weights, state, want) =>
    expect(told(decide(cell.serving(weights).seen(), state, NOW))).toBe(want),
  );

  it.each([
    ['of no step that moves weight, which the Event of its shift tells of', rolling({}), undefined],
    ['of a step that moves none', rolling({ index: 1, progress: analysing('Successful') }), 'StepCompleted'],
  ])('has an Event %s', (_, state, reason) => {
    const decision = decide(cell.serving({ a: 80, b: 20 }).seen(), state, NOW);
    expect([decision.do, eventOf(decision)?.reason]).toEqual(['Advance', reason]);
  });

  describe('whose stable version is gone', () => {
    const ending = rolling({ ending: { kind: 'Failed', reason: 'x', message: '', at: NOW } });
    const without = aCell().withGroups('2.0.0', 'b').withStatus({ stableVersion: '1.0.0' });

    it('gives everything to another one, and keeps only what fits into the rule beside it', () => {
      const seen = without.withGroups('0.9.0', 'p', 'q', 'r', 's', 't').serving({ b: 20, a: 80 }).seen();
      expect(told(decide(seen, ending, NOW))).toBe('Reverting {"p":20,"q":20,"r":20,"s":20,"t":20}');
    });

    it('passes over one that does not fit into a rule', () => {
      const seen = without
        .withGroups('0.9.0', 'p', 'q', 'r', 's', 't', 'u')
        .withGroups('0.8.0', 'o')
        .serving({ b: 20, a: 80 })
        .seen();
      expect(told(decide(seen, ending, NOW))).toBe('Reverting {"b":0,"o":100}');
    });

    it('gives nothing to a newer one, which has its steps before it', () => {
      const seen = without.withGroups('3.0.0', 'c').serving({ a: 80, b: 20 }).seen();
      expect(told(decide(seen, ending, NOW))).toBe('Reverting {"a":100,"b":0}');
    });

    it('gives nothing to the version that is withdrawn, where that is the older one', () => {
      const down = rolling({
        stable: set('3.0.0', 'c'),
        ending: { kind: 'Withdrawn', reason: 'x', message: '', at: NOW },
      });
      const seen = without.withStatus({ stableVersion: '3.0.0' }).serving({ c: 80, b: 20 }).seen();
      expect(told(decide(seen, down, NOW))).toBe('Reverting {"b":0,"c":100}');
    });

    it('gives nothing to groups that were taken out of the rule', () => {
      const seen = without.withGroups('3.0.0', 'c').serving({ b: 100 }).seen();
      expect(told(decide(seen, ending, NOW))).toBe('Conclude');
    });
  });

  it.each([
    ['resume', 'Resumed'],
    ['promote', 'Promoted'],
  ] as const)('says of a pause that a %s has ended that it was %s', (action, done) => {
    const pause: CanaryStep[] = [{ pause: {} }];
    const seen = cell
      .withSteps(...pause)
      .serving({ a: 100 })
      .seen();
    const pausing = rolling({ steps: pause.map(parseStep), progress: { is: 'Pausing', since: NOW } });
    expect(decide(seen, takeRequest(pausing, action, stamp), NOW)).toEqual({
      do: 'Advance',
      message: `Step 1 of 1 is done. ${done} by ann.`,
    });
  });

  it('attaches at a step of weight 0, too, only what has a registered target', () => {
    const none: CanaryStep[] = [{ setWeight: 0 }];
    const seen = cell
      .withSteps(...none)
      .serving({ a: 100 })
      .seen();
    expect(told(decide(seen, rolling({ steps: none.map(parseStep) }), NOW))).toBe(
      'ShiftingTraffic {"a":100,"b":0} if b is registered',
    );
  });

  it.each<[string, Partial<RolloutState>]>([
    ['at once', {}],
    ['though an operator has paused the rollout', { requests: { paused: stamp } }],
  ])('takes a stable group out whose AWSTargetGroup is gone, %s', (_, more) => {
    const seen = aCell()
      .withSteps(...steps)
      .withGroups('1.0.0', 'a1')
      .withGroups('2.0.0', 'b')
      .serving({ a1: 40, a2: 40, b: 20 })
      .seen();
    const stable = { version: '1.0.0', groups: [...set('', 'a1').groups, ...set('', 'a2').groups] };
    expect(told(decide(seen, rolling({ stable, index: 2 }, more), NOW))).toBe(
      'RemovingTargetGroups {"a1":80,"b":20} if a1 is healthy',
    );
  });

  it('is withdrawn when a newer version is complete', () => {
    const seen = cell.withGroups('3.0.0', 'c').serving({ a: 80, b: 20 }).seen();
    expect(told(decide(seen, rolling({ index: 1 }), NOW))).toBe('Withdrawn: Superseded');
  });

  it('is withdrawn when the Cell is pinned to another version', () => {
    const seen = cell.withSpec({ version: '1.0.0' }).serving({ a: 80, b: 20 }).seen();
    expect(told(decide(seen, rolling({ index: 1 }), NOW))).toBe('Withdrawn: Pinned');
  });

  it('is withdrawn when a target group of the new version is gone', () => {
    const seen = aCell()
      .withSteps(...steps)
      .withGroups('1.0.0', 'a')
      .serving({ a: 80, b: 20 })
      .seen();
    expect(told(decide(seen, rolling({ index: 1 }), NOW))).toBe('Withdrawn: TargetGroupsGone');
  });

  it('ends with its Cell', () => {
    const { cell: _gone, ...seen } = cell.serving({ a: 80, b: 20 }).seen();
    expect(told(decide(seen, rolling({}), NOW))).toBe('Close');
  });
});
