import type { Cell } from '../../crds/cell.ts';
import type { Stage } from '../../crds/staged-binding-policy.ts';

/** Why the Cell that a stage names keeps it from being fulfilled; undefined when it does not. */
export function cellProblem(
  { namespace, name, version }: NonNullable<Stage['cell']>,
  cell: Pick<Cell, 'status' | 'metadata'> | undefined,
): string | undefined {
  const which = `Cell ${namespace}/${name}`;
  if (cell === undefined) return `Expected ${which}, got none. Create it, or correct the stage.`;
  const { status = {}, metadata } = cell;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const isCurrent =
    ready?.observedGeneration === undefined || ready.observedGeneration === metadata.generation;
  if (ready?.status !== 'True' || !isCurrent) {
    return `Expected ${which} to be Ready, got: ${ready?.message ?? 'no condition yet.'}`;
  }
  const { stableVersion } = status;
  if (version === undefined || stableVersion === version) return undefined;
  return `Expected ${which} to serve ${version}, got ${stableVersion ?? 'nothing'}.`;
}
