import { describe, expect, it } from 'vitest';
import type { Performable } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { initialState, type RolloutState } from '../../model/state.ts';
import { aCell, aRollout } from '../../testing/builders.ts';
import { isInterrupted, recordAttempt } from './attempt.ts';
import { newRun, recordLook, type Run } from './run.ts';
import { takeTurn } from '../turn.ts';

const NOW = 1_000_000;
const set = { version: '2.0.0', groups: [] };
const ready = { is: 'Ready' } as const;
const refusal = { reason: 'Unavailable', message: 'Nobody knows.', permanent: false };
const observed = aCell().seen();
const shift: Performable = {
  do: 'Shift',
  purpose: 'Reverting',
  version: '1.0.0',
  shares: [],
  message: '',
};

const lost = (decision: Performable, state: RolloutState = initialState): RolloutState =>
  recordAttempt(decision, { is: 'Lost', refusal }, observed).apply(state, NOW);

describe('what was lost with the process that did it', () => {
  it('is tried again at once when it was a write, with a look at the load balancer', () =>
    expect(lost(shift)).toEqual({ ...initialState, mayDiffer: true, sequence: 1 }));

  it('waits when the next write is lost as well, which may be what stops the workers', () =>
    expect(lost(shift, lost(shift))).toMatchObject({
      mayDiffer: true,
      sequence: 2,
      backoff: { attempts: 1, until: NOW + 500 },
    }));

  it('waits when it is no write, since that was tried several times', () =>
    expect(lost({ do: 'Prune', message: '' })).toMatchObject({ backoff: { until: NOW + 500 } }));

  it('has begun no measurement, which would count as one that was deleted', () => {
    const rollout = aRollout({ stable: set, canary: set });
    const start: Performable = {
      do: 'StartMeasurement',
      kind: 'AnalysisRun',
      analysis: { templates: [] },
      message: '',
    };
    expect(lost(start, { ...initialState, rollout }).rollout?.progress).toEqual(ready);
  });
});

describe('an abort while what a Cell has made is let go', () => {
  const rollout = aRollout({ stable: set, canary: set });
  const abort = { by: 'ann', reason: '', at: NOW };
  const state: RolloutState = { ...initialState, rollout, requests: { abort } };
  const deletion = { isUnderWay: true, isHeld: true, policy: 'Delete' } as const;
  const asked = (seen: ObservedCell): Run => recordLook(newRun(state), seen, { now: NOW, upTo: 1 });

  it('goes before that where the configuration alone was deleted', () => {
    const run = asked({ ...observed, deletion });
    expect(isInterrupted({ do: 'Release', message: '' }, run)).toBe(true);
    const decision = { do: 'End', ending: { reason: 'Aborted' } };
    expect(takeTurn(run, NOW)).toMatchObject({ is: 'Perform', decision });
  });

  it('does not interrupt it where the Cell is gone, as it would again and again', () => {
    const { cell: _gone, ...without } = observed;
    const run = asked({ ...without, deletion });
    expect(takeTurn(run, NOW)).toMatchObject({ is: 'Perform', decision: { do: 'Remove' } });
    expect(isInterrupted({ do: 'Remove', message: '' }, run)).toBe(false);
  });
});

describe('a write while the analysis in the background may have ended', () => {
  const background = {
    prefix: 'bg',
    verdict: { name: 'r', phase: 'Running', message: '' },
    startedAt: 0,
    readAt: 0,
    reads: 0,
  } as const;
  const rollout = aRollout({ stable: set, canary: set, background });
  const restore = { ...shift, purpose: 'Restoring', urgent: false } as const;
  const during = { reason: 'AccessDenied', message: '', since: 0, attempts: 9, until: NOW };
  const isGivenUp = (more: Partial<RolloutState>): boolean =>
    isInterrupted(restore, { ...newRun({ ...initialState, rollout, ...more }), seenChanges: 1 });

  it('is given up for its reading', () => {
    expect(isGivenUp({})).toBe(true);
    expect(isGivenUp({ backoff: { ...during, during: 'ReadMeasurement' } })).toBe(true);
  });

  it('is not when that reading is refused: it would be begun and given up again and again', () =>
    expect(isGivenUp({ backoff: { ...during, during: 'ReadMeasurement', background: true } })).toBe(false));
});
