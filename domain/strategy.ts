import type { BackgroundAnalysis, CanaryStep, CellSpec } from '../crds/cell.ts';
import { TOTAL_WEIGHT } from './weights.ts';

/** What a rollout goes by. */
export interface Plan {
  readonly steps: readonly CanaryStep[];
  /** What is analysed in the background of the steps. */
  readonly analysis: BackgroundAnalysis | undefined;
}

/** The plan of a rollout; a blue-green rollout is one whose only step that moves traffic moves all of it. */
export function plannedBy({ updateStrategy }: Pick<CellSpec, 'updateStrategy'>): Plan {
  const { type, canary, blueGreen } = updateStrategy ?? {};
  if (type !== 'BlueGreen') return { steps: canary?.steps ?? [], analysis: canary?.analysis };
  const steps = (blueGreen?.steps ?? []).map(({ promote, ...step }) =>
    promote === undefined ? step : { setWeight: TOTAL_WEIGHT },
  );
  return { steps, analysis: undefined };
}

/** The steps of a rollout. */
export const stepsOf = (spec: Pick<CellSpec, 'updateStrategy'>): readonly CanaryStep[] =>
  plannedBy(spec).steps;
