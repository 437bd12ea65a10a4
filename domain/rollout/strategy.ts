import type { BackgroundAnalysis, CellSpec } from '../../crds/cell.ts';
import { parseStep } from '../steps/index.ts';
import type { Step } from '../model/step.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';

/** What a rollout goes by. */
export interface Plan {
  readonly steps: readonly Step[];
  /** What is analysed in the background of the steps. */
  readonly analysis: BackgroundAnalysis | undefined;
}

/** The plan of a rollout; a blue-green rollout is one whose only step that moves traffic moves all of it. */
export function plannedBy({ updateStrategy }: Pick<CellSpec, 'updateStrategy'>): Plan {
  const { type, canary, blueGreen } = updateStrategy ?? {};
  if (type !== 'BlueGreen')
    return { steps: (canary?.steps ?? []).map(parseStep), analysis: canary?.analysis };
  const steps = (blueGreen?.steps ?? []).map(({ promote, ...step }) =>
    parseStep(promote === undefined ? step : { setWeight: TOTAL_WEIGHT }),
  );
  return { steps, analysis: undefined };
}

/** The steps of a rollout. */
export const stepsOf = (spec: Pick<CellSpec, 'updateStrategy'>): readonly Step[] => plannedBy(spec).steps;
