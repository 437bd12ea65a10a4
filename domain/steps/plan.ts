import type { BackgroundAnalysis, CanaryStep, CellSpec } from '../../crds/cell.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';
import type { Rollout, Step } from '../model/state.ts';
import { approvalsOf, movesTraffic, weightThrough, describeWritten, parseStep } from './index.ts';

interface Plan {
  readonly steps: readonly Step[];
  readonly analysis: BackgroundAnalysis | undefined;
}

/** The plan of a rollout; a blue-green rollout is one whose only step that moves traffic moves all of it. */
export function plannedBy(spec: Pick<CellSpec, 'updateStrategy'>): Plan {
  const { type, canary } = spec.updateStrategy ?? {};
  const analysis = type === 'BlueGreen' ? undefined : canary?.analysis;
  return { steps: writtenIn(spec).map(parseStep), analysis };
}

function writtenIn({ updateStrategy }: Pick<CellSpec, 'updateStrategy'>): readonly CanaryStep[] {
  const { type, canary, blueGreen } = updateStrategy ?? {};
  if (type !== 'BlueGreen') return canary?.steps ?? [];
  return (blueGreen?.steps ?? []).map(({ promote, ...step }) =>
    promote === undefined ? step : { setWeight: TOTAL_WEIGHT },
  );
}

/** The steps of a rollout. */
export const stepsOf = (spec: Pick<CellSpec, 'updateStrategy'>): readonly Step[] => plannedBy(spec).steps;

/** Says the steps of a spec, also those of a kind that only another release knows: a Cell that has one is shown like others. */
export const describeSteps = (spec: Pick<CellSpec, 'updateStrategy'>): readonly string[] =>
  writtenIn(spec).map(describeWritten);

/** The canary's total weight once the step with this index is done; a step that moves nothing leaves it as it was. */
export const weightAfter = (steps: readonly Step[], index: number): number =>
  steps.slice(0, index + 1).reduce((weight, step) => weightThrough(step, weight), 0);

/** Where a rollout continues without its progress: at the first step that moves traffic to no less than `weight`, after the checks before it if to more; past the end if none. */
export function resumeAt(steps: readonly Step[], weight: number): number {
  if (weight === 0) return 0;
  const found = steps.findIndex((step, i) => movesTraffic(step) && weightAfter(steps, i) >= weight);
  const next = found === -1 ? steps.length : found;
  // What has everything already has nothing left to be held from.
  const isThere = found === -1 ? weight === TOTAL_WEIGHT : weightAfter(steps, found) === weight;
  return isThere ? next : 1 + steps.slice(0, next).findLastIndex(movesTraffic);
}

/** Finds where a rollout continues whose steps were edited: not past an approval nobody has given. */
export function resumeEdited(
  { steps: before, index }: Pick<Rollout, 'steps' | 'index'>,
  steps: readonly Step[],
  weight: number,
): number {
  const next = resumeAt(steps, weight);
  const from = 1 + steps.slice(0, next).findLastIndex(movesTraffic);
  const given = approvalsIn(before.slice(0, index));
  for (const one of approvalsIn(steps.slice(0, from))) takeOut(given, one);
  const asked = steps.slice(from, next).findIndex((step) => {
    const [approval] = approvalsIn([step]);
    return approval !== undefined && !takeOut(given, approval);
  });
  return asked === -1 ? next : from + asked;
}

const approvalsIn = (steps: readonly Step[]): string[] =>
  steps.filter((step) => approvalsOf(step) !== undefined).map((step) => JSON.stringify(step));

function takeOut(given: string[], approval: string): boolean {
  const at = given.indexOf(approval);
  if (at !== -1) given.splice(at, 1);
  return at !== -1;
}

/** Whether a rollout goes by these steps, and by this analysis in their background. */
export const isAsPlanned = (
  rollout: Rollout,
  now: { readonly steps: readonly Step[]; readonly analysis: BackgroundAnalysis | undefined },
): { readonly steps: boolean; readonly background: boolean } => ({
  steps: JSON.stringify(now.steps) === JSON.stringify(rollout.steps),
  background: JSON.stringify(now.analysis) === JSON.stringify(rollout.backgroundAnalysis),
});
