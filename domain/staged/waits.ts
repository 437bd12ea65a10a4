import type { Stage } from '../../crds/staged-binding-policy.ts';
import type { StagedWait } from './decision.ts';
import type { StageView } from './observation.ts';
import type { Progress } from './progressive.ts';
import type { ActiveStage, Held, StagedState, StageMark } from './state.ts';

/** A wait, and where it leaves the stage. */
export type Waiting = Omit<StagedWait, 'do'> & { readonly mark: StageMark['phase'] };

/** What a stage waits for that a person has to let go on. */
export function heldBack(
  { reason, message, stage }: Held,
  { active: { name, fulfilledSince }, tellsAsBefore }: StagedState & { readonly active: ActiveStage },
): Waiting {
  // What was late may be a stage behind it, which was taken back.
  const isLate = reason !== 'Aborted' && (stage === name || tellsAsBefore === true);
  const unfulfilled = isLate ? 'TimedOut' : 'Waiting';
  return {
    phase: reason === 'Aborted' ? 'RolledBack' : 'Paused',
    reason,
    message: `${message} Send retry to try again, promote to go on without, or abort.`,
    isTrouble: true,
    mark: fulfilledSince === undefined ? unfulfilled : 'Fulfilled',
  };
}

/** What a stage waits for that KubeStellar has not bound. */
export const notBound = (stage: string, unbound: string): Waiting => ({
  phase: 'Progressing',
  reason: 'Binding',
  message: `Stage ${stage}: ${unbound}`,
  mark: 'Binding',
});

/** What a stage waits for that is neither over nor late. */
export function stillWaiting(
  stage: Stage,
  active: ActiveStage,
  { view, progress }: { readonly view: StageView; readonly progress: Progress | undefined },
): Waiting {
  const { name } = stage;
  const { unbound, objects, fulfilled: many, first, cell } = view;
  if (unbound !== undefined) return notBound(name, unbound);
  if (active.fulfilledSince !== undefined) {
    const message = `Stage ${name} is fulfilled, and has to stay so for ${stage.soak ?? '0s'}.`;
    return { phase: 'Progressing', reason: 'Soaking', message, mark: 'Soaking' };
  }
  if (stage.condition === undefined && objects > 0 && many === objects && cell === undefined) {
    const message = `Stage ${name} has no condition. Send promote to begin the next one.`;
    return { phase: 'Paused', reason: 'NoCondition', message, mark: 'Fulfilled' };
  }
  if (progress !== undefined) {
    const message = `Stage ${name}: ${clustersIn(progress)}${cell ?? whyNot(first)}`;
    return { phase: 'Progressing', reason: 'Waiting', message, mark: 'Waiting' };
  }
  const what = first === undefined ? (cell ?? 'No object is looked at.') : `${first.object}: ${first.reason}`;
  const message = `Stage ${name}: ${many} of ${objects} objects fulfil it. ${what}`;
  return { phase: 'Progressing', reason: 'Waiting', message, mark: 'Waiting' };
}

const whyNot = (first: StageView['first']): string =>
  first === undefined ? '' : `${first.object}: ${first.reason}`;

function clustersIn({ of, done, failed, underway }: Progress): string {
  const late = failed.length === 0 ? '' : `, ${failed.length} have failed`;
  return `${done.length} of ${of} clusters fulfil it, ${underway.length} are on their way${late}. `;
}
