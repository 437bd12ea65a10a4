import { describe, expect, it } from 'vitest';
import type { Performable } from '../model/decision.ts';
import { initialState, type RolloutState } from '../model/state.ts';
import { aCell } from '../testing/builders.ts';
import { isInterrupted, performedOf } from './attempt.ts';
import { runFrom } from './run.ts';

const NOW = 1_000_000;
const refusal = { reason: 'Unavailable', message: 'Nobody knows.', permanent: false };
const observed = aCell().seen();
const set = { version: '2.0.0', groups: [] };
const ready = { is: 'Ready' } as const;
const shift: Performable = {
  do: 'Shift',
  purpose: 'TakeBack',
  version: '1.0.0',
  shares: [],
  urgent: true,
  message: '',
};

const lost = (decision: Performable, state: RolloutState = initialState): RolloutState =>
  performedOf(decision, { is: 'Lost', refusal }, observed).apply(state, NOW);

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
    const rollout = { id: 'r', startedAt: 0, stable: set, canary: set, steps: [], index: 0, progress: ready };
    const start: Performable = {
      do: 'StartMeasurement',
      kind: 'AnalysisRun',
      analysis: { templates: [] },
      message: '',
    };
    expect(lost(start, { ...initialState, rollout }).rollout?.progress).toEqual(ready);
  });
});

describe('a write while the analysis in the background may have ended', () => {
  const background = {
    prefix: 'bg',
    verdict: { name: 'r', phase: 'Running', message: '' },
    readAt: 0,
    reads: 0,
  } as const;
  const rollout = {
    id: 'r',
    startedAt: 0,
    stable: set,
    canary: set,
    steps: [],
    index: 0,
    progress: ready,
    background,
  };
  const restore = { ...shift, purpose: 'Restore', urgent: false } as const;
  const during = { reason: 'AccessDenied', message: '', since: 0, attempts: 9, until: NOW };
  const isGivenUp = (more: Partial<RolloutState>): boolean =>
    isInterrupted(restore, { ...runFrom({ ...initialState, rollout, ...more }), seenChanges: 1 });

  it('is given up for its reading', () => {
    expect(isGivenUp({})).toBe(true);
    expect(isGivenUp({ backoff: { ...during, during: 'ReadMeasurement' } })).toBe(true);
  });

  it('is not when that reading is refused: it would be begun and given up again and again', () =>
    expect(isGivenUp({ backoff: { ...during, during: 'ReadMeasurement', background: true } })).toBe(false));
});
