import type { Approvals } from '../model/request.ts';
import type { Decision } from '../model/decision.ts';
import type { GuardInput } from '../gates/guard.ts';
import type { Rollout } from '../model/state.ts';

/** A kind of step that gives the canary another weight. */
interface MovingKind<Spec> {
  readonly describe: (spec: Spec) => string;
  /** The canary's total weight once the step is done, of what it was before. */
  readonly weightAfter: (spec: Spec, before: number) => number;
}

/** A kind of step that leaves the weights as they are. */
export interface StandingKind<Spec> {
  readonly describe: (spec: Spec) => string;
  /** Decides what the step needs next; a request to promote has been answered before. */
  readonly next: (spec: Spec, rollout: Rollout, input: GuardInput) => Decision;
  readonly waitsForPerson?: (spec: Spec) => boolean;
  /** How long it lasts at the most, where that is a matter of time alone. */
  readonly lasts?: (spec: Spec) => number | string | undefined;
  /** The approvals that it takes; nothing stands in for them. */
  readonly approvals?: (spec: Spec) => Approvals;
  /** Whether it makes AnalysisRuns, Experiments, Checks or Jobs. */
  readonly measures?: true;
}

/** A kind of step. */
export type StepKind<Spec> = MovingKind<Spec> | StandingKind<Spec>;

type Steps = Pick<Rollout, 'index' | 'steps'>;

/** The step under way, from 1, of how many there are; `done` when none is left. */
export const stepOf = ({ index, steps }: Steps): string =>
  index < steps.length ? `${index + 1}/${steps.length}` : 'done';

/** The step under way in a sentence. */
export const nameStep = ({ index, steps }: Steps): string =>
  index < steps.length ? `step ${index + 1} of ${steps.length}` : 'the end of the steps';

/** The current step of the rollout is done. */
export const advance = ({ index, steps }: Rollout, why: string): Decision => ({
  do: 'Advance',
  message: `Step ${index + 1} of ${steps.length} is done. ${why}`,
});
