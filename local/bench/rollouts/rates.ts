import { openOkrad, type RunningOkrad } from '../okrad.ts';
import type { Ground } from '../world.ts';

/** Nothing is held back. */
export const unheld = { writes: 500, burst: 500, reads: 500 };

/** As for an account that others use as well. */
export const held = { writes: 3, burst: 10, reads: 10 };

/** Starts okrad with how many writes and reads of ELBv2 a second it may send. */
export function openWithRates(
  { stack, say, signal }: Ground,
  { writes, burst, reads }: typeof held,
): Promise<RunningOkrad> {
  const environment = {
    ...stack.environment,
    OKRA_ELBV2_WRITES_PER_SECOND: String(writes),
    OKRA_ELBV2_WRITE_BURST: String(burst),
    OKRA_ELBV2_READS_PER_SECOND: String(reads),
    OKRA_ELBV2_READ_BURST: String(4 * reads),
  };
  return openOkrad({ stack, environment, say, signal });
}
