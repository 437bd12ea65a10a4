import type { BackgroundAnalysis, CanaryStep, CellSpec } from '../../crds/cell.ts';
import { describeWritten, parseStep } from './index.ts';
import type { Step } from '../model/state.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';

/** What a rollout goes by. */
export interface Plan {
  readonly steps: readonly Step[];
  /** What is analysed in the background of the steps. */
  readonly analysis: BackgroundAnalysis | undefined;
}

/** The plan of a rollout; a blue-green rollout is one whose only step that moves traffic moves all of it. */
export function plannedBy(spec: Pick<CellSpec, 'updateStrategy'>): Plan {
  const { type, canary } = spec.updateStrategy ?? {};
  const analysis = type === 'BlueGreen' ? undefined : canary?.analysis;
  return { steps: writtenIn(spec).map(parseStep), analysis };
}

/** The steps as the spec has them. */
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
