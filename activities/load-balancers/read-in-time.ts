import { ApplicationFailure } from '@temporalio/common';
import type { ApplyRequest } from '../contract.ts';
import type { Writing } from './port.ts';

/** How long what takes traffic back waits for ELBv2 to be read, in milliseconds; then it goes by the status. */
export const URGENT_READ_MS = 1_000;

/**
 * Reads before a write. What takes traffic back does not wait for it: DescribeRules may be throttled, or hang, while
 * ModifyRule is fine. A `Conflict` that the read comes to is thrown on.
 */
export async function readInTime<Known, Told>(
  { urgent }: Pick<ApplyRequest, 'urgent'>,
  { signal }: Pick<Writing, 'signal'>,
  read: () => Promise<Known>,
  told: Told,
): Promise<Known | Told> {
  // Without anything to go by there is nothing but the read.
  if (!urgent || told === undefined) return read();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), URGENT_READ_MS);
  const reading = read();
  try {
    return await Promise.race([reading, whenAborted(late.signal, told)]);
  } catch (error) {
    if (error instanceof ApplicationFailure || signal.aborted) throw error;
    return told;
  } finally {
    clearTimeout(timer);
    reading.catch(() => undefined);
  }
}

const whenAborted = <Told>(signal: AbortSignal, told: Told): Promise<Told> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(told), { once: true }));
