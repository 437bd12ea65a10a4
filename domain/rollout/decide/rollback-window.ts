import type { Cell } from '../../../crds/cell.ts';
import { parseDuration } from '../../duration.ts';
import { servedUntil } from '../report/history.ts';

/** What of a Cell says for how long a version may be swapped in again. */
export interface RollingBack {
  readonly spec: Pick<Cell['spec'], 'updateStrategy'>;
  readonly status: Pick<NonNullable<Cell['status']>, 'history'>;
}

/** Whether a lower version was replaced so long ago, in milliseconds since the epoch, that it takes the steps like a new one. */
export function isOutsideRollbackWindow(
  version: string,
  { spec, status }: RollingBack,
  now: number,
): boolean {
  const window = spec.updateStrategy?.rollbackWindow;
  if (window === undefined) return false;
  const until = servedUntil(version, status.history);
  return until === undefined || now - until > parseDuration(window.duration) * 1000;
}
