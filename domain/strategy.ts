import type { CanaryStep, CellSpec } from '../crds/cell.ts';
import { TOTAL_WEIGHT } from './weights.ts';

/** The steps of a rollout; a blue-green rollout is one whose only step that moves traffic moves all of it. */
export function stepsOf({ updateStrategy }: Pick<CellSpec, 'updateStrategy'>): readonly CanaryStep[] {
  if (updateStrategy?.type !== 'BlueGreen') return updateStrategy?.canary?.steps ?? [];
  return (updateStrategy.blueGreen?.steps ?? []).map(({ promote, ...step }) =>
    promote === undefined ? step : { setWeight: TOTAL_WEIGHT },
  );
}
