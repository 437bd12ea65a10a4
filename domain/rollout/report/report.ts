import type { CellStatus } from '../../../crds/cell.ts';
import { sameValue } from '../../kubernetes/canonical.ts';
import type { Decision } from '../../model/decision.ts';
import type { ObjectKey } from '../../model/ids.ts';

/** A Kubernetes Event to emit; `id` makes a repeated report emit it once. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is written to the status of a Cell. */
export interface CellReport {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The version of the Cell that it goes by. */
  readonly resourceVersion?: string | undefined;
  readonly status: CellStatus;
  readonly events: readonly ReportedEvent[];
}

/** What became of a report that went along with a write. */
export type Told =
  { readonly is: 'Told' } | { readonly is: 'Refused'; readonly reason: string; readonly message: string };

/** Whether a decision is reported: what moves traffic before it is done, how a Cell stands before it waits, the rest with what comes of it. */
export const isWorthReporting = ({ do: what }: Decision): boolean =>
  what === 'Shift' || what === 'Wait' || what === 'CheckHealth' || what === 'Close';

/** Whether two statuses say the same, whenever and by whom they were written. */
export const sameStatus = (a: CellStatus, b: CellStatus): boolean =>
  sameValue({ ...a, ...UNSAID }, { ...b, ...UNSAID });

const UNSAID = { writer: undefined, lastSyncTime: undefined } as const;

/** Who writes a status: a run of the workflow, and which of its activities; a later one has a higher number. */
export type StatusWriter = NonNullable<CellStatus['writer']>;

/** How who writes a status stands to who has written the one that is there: it comes next, too late, or that was another run. */
type Succession = 'Next' | 'Late' | 'AnotherRun';

/** Says whether a status may be written over another one; of two runs only Temporal knows which is the later. */
export function successionOf(writer: StatusWriter, before: StatusWriter | undefined): Succession {
  if (before === undefined) return 'Next';
  if (before.runId !== writer.runId) return 'AnotherRun';
  return before.activity <= writer.activity ? 'Next' : 'Late';
}
