import type { Decision } from '../../model/decision.ts';
import { stepsGoOn, withoutPromote } from '../../model/measure-again.ts';
import type { Rollout, RolloutState } from '../../model/state.ts';
import { isAsPlanned, resumeEdited, plannedBy } from '../../steps/plan.ts';
import { nameStep } from '../../steps/step.ts';
import { weightOf } from '../../load-balancers/weights.ts';
import type { GuardInput } from '../../gates/guard.ts';
import type { PresentCell } from '../../versions/candidate.ts';
import { endBackground } from '../measure/background.ts';
import { endMeasurement } from '../measure/measurement.ts';
import { inRollout, withoutBackoff } from '../record/record.ts';

type Planned = ReturnType<typeof plannedBy>;

/** Goes by the steps and the analysis in their background that the Cell has now; undefined when they are the rollout's own. */
export function replan(rollout: Rollout, input: GuardInput): Decision | undefined {
  const planned = plannedBy(input.cell.spec);
  const same = isAsPlanned(rollout, planned);
  if (rollout.progress.is === 'Baking' || (same.steps && same.background)) return undefined;
  const index = same.steps
    ? rollout.index
    : resumeEdited(rollout, planned.steps, weightOf(rollout.canary.groups, input.observed.weighted));
  const isKept = same.background || outlives(rollout, planned, { index, state: input.state });
  if (same.steps && isKept) return undefined;
  const end =
    (same.steps ? undefined : endMeasurement(rollout.progress)) ??
    (isKept ? undefined : endBackground(rollout));
  if (end !== undefined) return end;
  if (same.steps) return { do: 'Replan', index, message: 'The background analysis was edited.' };
  return {
    do: 'Replan',
    index,
    message: `The steps were edited; continuing at ${nameStep({ index, steps: planned.steps })}.`,
  };
}

/** Records new steps, where among them the rollout continues, and what is analysed in their background; a request to promote was about the old ones. */
export function recordReplan(
  state: RolloutState,
  { index }: Extract<Decision, { do: 'Replan' }>,
  { cell, now }: { readonly cell: PresentCell; readonly now: number },
): RolloutState {
  const planned = plannedBy(cell.spec);
  return inRollout(withoutPromote(withoutBackoff(state)), (rollout) => {
    const same = isAsPlanned(rollout, planned);
    const isKept = same.background || outlives(rollout, planned, { index, state });
    const { backgroundAnalysis: before, background, ...rest } = rollout;
    const analysis = isKept ? before : planned.analysis;
    return {
      ...rest,
      steps: planned.steps,
      index,
      ...(same.steps ? {} : { progress: { is: 'Ready' as const }, stepStartedAt: now }),
      edition: (rollout.edition ?? 0) + 1,
      ...(analysis === undefined ? {} : { backgroundAnalysis: analysis }),
      ...(isKept && background !== undefined ? { background } : {}),
    };
  });
}

/** Whether a background measurement continues to count though edited: with no steps left nothing would start the new one. */
const outlives = (
  rollout: Rollout,
  { steps, analysis }: Planned,
  { index, state }: { readonly index: number; readonly state: RolloutState },
): boolean => analysis !== undefined && !stepsGoOn({ ...rollout, steps, index }, state.requests);
