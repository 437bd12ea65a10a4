import type { CellStatus } from '../../../crds/cell.ts';

/** Who writes a status: a run of the workflow, and which of its activities; a later one has a higher number. */
export type StatusWriter = NonNullable<CellStatus['writer']>;

/** How who writes a status stands to who has written the one that is there: it comes next, too late, or that was another run. */
export type Succession = 'Next' | 'Late' | 'AnotherRun';

/** Says whether a status may be written over another one; of two runs only Temporal knows which is the later. */
export function successionOf(writer: StatusWriter, before: StatusWriter | undefined): Succession {
  if (before === undefined) return 'Next';
  if (before.runId !== writer.runId) return 'AnotherRun';
  return before.activity <= writer.activity ? 'Next' : 'Late';
}
