import type { Ending } from '../../model/decision.ts';
import type { BlockedVersion } from '../../model/state.ts';
import { cut } from '../../text.ts';
import { isPinned, type PresentCell } from '../../versions/candidate.ts';

/** The longest text of a cause in the status (crds/cell-status.ts). */
const LONGEST_CAUSE = 2_048;

/** A version that is blocked by the end of its rollout. */
export const blockedBy = ({ message, at }: Ending, version: string, cell: PresentCell): BlockedVersion => ({
  version,
  cause: cut(message, LONGEST_CAUSE),
  time: new Date(at).toISOString(),
  observedGeneration: cell.generation,
  ...(isPinned(version, cell) ? { pinned: true } : {}),
});
