import type { Forwarding } from '../../load-balancers/load-balancer.ts';
import type { Performable } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { RolloutState } from '../../model/state.ts';
import type { PresentCell } from '../../versions/candidate.ts';
import { recordWaiver } from './measurement.ts';
import * as record from './record.ts';
import { recordReplan } from '../decide/replan.ts';
import { withState, recordLook, markStale, recordWrite, type Run, type SeenAt } from './run.ts';

/** A change of what is remembered, made at a time in milliseconds since the epoch. */
export type Change = (state: RolloutState, now: number) => RolloutState;

/** What performing a decision changes of what a run knows. */
export interface Performed {
  readonly apply: Change;
  /** What is known of the objects: the same, that they have to be looked at, a new look, or what was written where there was none. */
  readonly observation:
    'Same' | 'Stale' | { readonly observed: ObservedCell } | { readonly written: Forwarding };
}

/** The same, and whether what was decided was done, so that it may be told. */
export type CarriedOut = Performed & { readonly isDone: boolean };

/** It was done, and the objects are as they were. */
export const doneUnchanged = (apply: Change): CarriedOut => ({ apply, observation: 'Same', isDone: true });

/** It was done, and the objects have to be looked at. */
export const doneStale = (apply: Change): CarriedOut => ({ apply, observation: 'Stale', isDone: true });

/** Takes up what performing a decision has changed. */
export function applyPerformed(run: Run, { apply, observation }: Performed, at: SeenAt): Run {
  const next = withState(run, (state) => apply(state, at.now));
  if (observation === 'Same') return next;
  if (observation === 'Stale') return markStale(next);
  return 'observed' in observation
    ? recordLook(next, observation.observed, at)
    : recordWrite(next, observation.written);
}

/** A decision that is carried out by remembering it. */
export type Recorded = Extract<Performable, { do: (typeof recorded)[number] }>;

const recorded = [
  'Pause',
  'Bake',
  'Advance',
  'Replan',
  'End',
  'Conclude',
  'Finish',
  'WaiveBackground',
] as const;
const names: ReadonlySet<Performable['do']> = new Set(recorded);

/** Whether nobody outside has to be asked for anything. */
export const isRecorded = (decision: Performable): decision is Recorded => names.has(decision.do);

/** Carries out what needs nobody outside. */
export function carryOutRecorded(decision: Recorded, cell: PresentCell): CarriedOut {
  switch (decision.do) {
    case 'Pause':
      return doneUnchanged(record.recordPause);
    case 'Bake':
      return doneUnchanged(record.recordBake);
    case 'Advance':
      return doneUnchanged((state, now) => record.recordAdvance(state, decision, now));
    case 'Replan':
      return doneUnchanged((state, now) => recordReplan(state, decision, { cell, now }));
    case 'End':
      return doneUnchanged((state) => record.recordEnding(state, decision, cell));
    case 'WaiveBackground':
      return doneUnchanged(recordWaiver);
    case 'Conclude':
      return doneStale(record.recordConclusion);
    case 'Finish':
      return doneStale(record.recordFinish);
  }
}
