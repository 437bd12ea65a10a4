import { describe, expect, it } from 'vitest';
import type { Performable } from '../model/decision.ts';
import { initialState, type RolloutState } from '../model/state.ts';
import { aCell } from '../testing/builders.ts';
import { performedOf } from './attempt.ts';

const NOW = 1_000_000;
const refusal = { reason: 'Unavailable', message: 'Nobody knows.', permanent: false };
const observed = aCell().seen();
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

const set = { version: '2.0.0', groups: [] };
const ready = { is: 'Ready' } as const;
