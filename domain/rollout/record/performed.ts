import type { Forwarding } from '../../load-balancers/load-balancer.ts';
import type { Performable } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { RolloutState } from '../../model/state.ts';
import type { PresentCell } from '../../versions/candidate.ts';
import { backgroundWaived } from './record-measurement.ts';
import * as ends from './record-ending.ts';
import * as record from './record.ts';
import { replanned } from '../decide/replan.ts';
import { remembering, saw, stale, wrote, type Run, type SeenAt } from './run.ts';

/** A change of what is remembered, made at a time in milliseconds since the epoch. */
export type Change = (state: RolloutState, now: number) => RolloutState;

/** What performing a decision changes of what a run knows. */
export interface Performed {
  readonly apply: Change;
  /** What is known of the objects: the same, that they have to be looked at, a new look, or what was written where there was none. */
  readonly sight: 'Same' | 'Stale' | { readonly observed: ObservedCell } | { readonly written: Forwarding };
}

/** The same, and whether what was decided was done, so that it may be told. */
export type CarriedOut = Performed & { readonly isDone: boolean };

/** It was done, and the objects are as they were. */
export const kept = (apply: Change): CarriedOut => ({ apply, sight: 'Same', isDone: true });

/** It was done, and the objects have to be looked at. */
export const looking = (apply: Change): CarriedOut => ({ apply, sight: 'Stale', isDone: true });

/** Takes up what performing a decision has changed. */
export function tookUp(run: Run, { apply, sight }: Performed, at: SeenAt): Run {
  const next = remembering(run, (state) => apply(state, at.now));
  if (sight === 'Same') return next;
  if (sight === 'Stale') return stale(next);
  return 'observed' in sight ? saw(next, sight.observed, at) : wrote(next, sight.written);
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
      return kept(record.paused);
    case 'Bake':
      return kept(record.baking);
    case 'Advance':
      return kept((state, now) => record.advanced(state, decision, now));
    case 'Replan':
      return kept((state, now) => replanned(state, decision, { cell, now }));
    case 'End':
      return kept((state) => ends.ending(state, decision, cell));
    case 'WaiveBackground':
      return kept(backgroundWaived);
    case 'Conclude':
      return looking(ends.concluded);
    case 'Finish':
      return looking(ends.finished);
  }
}
