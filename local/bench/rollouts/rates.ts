import { imageEnvironment, packagedOkrad } from '../package.ts';
import { openOkrad, type RunningOkrad } from '../okrad.ts';
import type { Ground } from '../world.ts';

/** Nothing is held back. */
export const unheld = { writes: 500, burst: 500, reads: 500 };

/** As for an account that others use as well. */
export const held = { writes: 3, burst: 10, reads: 10 };

/** For how many seconds' worth of reads there is room at once, as at AWS. */
export const BURST_OF_READS = 4;

/** How many writes and reads of ELBv2 a second okrad may send. */
export const ratesEnvironment = ({
  writes,
  burst,
  reads,
}: typeof held): Readonly<Record<string, string>> => ({
  OKRA_ELBV2_WRITES_PER_SECOND: String(writes),
  OKRA_ELBV2_WRITE_BURST: String(burst),
  OKRA_ELBV2_READS_PER_SECOND: String(reads),
  OKRA_ELBV2_READ_BURST: String(BURST_OF_READS * reads),
});

/** Starts okrad of the package with such rates. */
export async function openWithRates(ground: Ground, rates: typeof held): Promise<RunningOkrad> {
  const { stack } = ground;
  const program = await packagedOkrad(stack);
  const environment = { ...stack.environment, ...imageEnvironment, ...ratesEnvironment(rates) };
  return await openOkrad({ ...ground, environment, program });
}
