import type { BackgroundAnalysis, CanaryStep } from '../crds/cell.ts';
import type { Rollout } from './state.ts';
import { TOTAL_WEIGHT } from './weights.ts';

/** The canary's total weight once the step with this index is done; a step that moves nothing leaves it as it was. */
export function weightAfter(steps: readonly CanaryStep[], index: number): number {
  return steps.slice(0, index + 1).reduce((weight, step) => {
    if (step.setWeight !== undefined) return step.setWeight;
    if (step.stepWeight !== undefined) return Math.min(TOTAL_WEIGHT, weight + step.stepWeight);
    return weight;
  }, 0);
}

/** Whether a step moves traffic. */
export const movesTraffic = (step: CanaryStep): boolean =>
  step.setWeight !== undefined || step.stepWeight !== undefined;

/**
 * Where a rollout goes on whose progress was lost, or whose steps were edited: at the first step that moves traffic
 * and whose weight is not below the present one, so that it never goes backwards. Past the end when there is none.
 */
export function resumeAt(steps: readonly CanaryStep[], weight: number): number {
  if (weight === 0) return 0;
  const index = steps.findIndex((step, i) => movesTraffic(step) && weightAfter(steps, i) >= weight);
  return index === -1 ? steps.length : index;
}

/** Whether a rollout goes by these steps, and by this analysis in their background. */
export const isAsPlanned = (
  rollout: Rollout,
  now: { readonly steps: readonly CanaryStep[]; readonly analysis: BackgroundAnalysis | undefined },
): { readonly steps: boolean; readonly background: boolean } => ({
  steps: JSON.stringify(now.steps) === JSON.stringify(rollout.steps),
  background: JSON.stringify(now.analysis) === JSON.stringify(rollout.backgroundAnalysis),
});

/** Says a step the way a person would. */
export function describeStep(step: CanaryStep): string {
  if (step.setWeight !== undefined) return `set the canary's weight to ${step.setWeight}`;
  if (step.stepWeight !== undefined) return `add ${step.stepWeight} to the canary's weight`;
  if (step.analysis !== undefined)
    return `analyse ${step.analysis.templates.map((one) => one.templateName).join(', ')}`;
  if (step.experiment !== undefined)
    return `experiment with ${step.experiment.templates.map((one) => one.name).join(', ')}`;
  const duration = step.pause?.duration;
  return duration === undefined ? 'pause until resumed' : `pause for ${durationText(duration)}`;
}

const durationText = (duration: number | string): string =>
  typeof duration === 'number' || /^\d+$/.test(duration) ? `${duration}s` : duration;
