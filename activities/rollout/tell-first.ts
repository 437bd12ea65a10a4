import { sleep } from '../../clients/backoff.ts';
import { isPermanent } from '../../domain/failures.ts';
import type { CellReport, Told } from '../../domain/rollout/report/events.ts';
import { reasonOf, toFailure } from '../failure.ts';
import type { ReportCell } from './cell.ts';

const ATTEMPTS = 3;
const FIRST_WAIT_MS = 200;

/** Tells what a write is about to do, in a few attempts; that nobody can be told does not keep traffic from moving. */
export async function tellFirst(
  report: ReportCell,
  told: CellReport,
  signal: AbortSignal,
  wait = sleep,
): Promise<Told> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await report(told, signal);
      return { is: 'Told' };
    } catch (error) {
      const failure = toFailure(error);
      const reason = reasonOf(failure);
      const isFinal = attempt === ATTEMPTS || isPermanent(reason);
      if (isFinal || signal.aborted) return { is: 'Refused', reason, message: failure.message };
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), signal);
    }
  }
}
