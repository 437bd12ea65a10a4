import { ApplicationFailure } from '@temporalio/common';
import { withTimeLimit } from '../../clients/time-limit.ts';
import type { ApplyRequest, Writing } from './port.ts';

/** How long what takes traffic back waits for ELBv2 to be read, in milliseconds; then it goes by the status. */
const URGENT_READ_MS = 1_000;

/**
 * Reads before a write. What takes traffic back does not wait for it: DescribeRules may be throttled, or hang, while
 * ModifyRule is fine. A read that is late writes nothing any more. A `Conflict` that it comes to is thrown on.
 */
export async function readInTime<Known>(
  { urgent }: Pick<ApplyRequest, 'urgent'>,
  writing: Writing,
  read: (writing: Writing) => Promise<Known>,
  reported: Known | undefined,
): Promise<Known> {
  // Without anything to go by there is nothing but the read.
  if (!urgent || reported === undefined) return read(writing);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), URGENT_READ_MS);
  const reading = read(boundedBy(late.signal, writing));
  try {
    return await Promise.race([reading, whenAborted(late.signal, reported)]);
  } catch (error) {
    if (error instanceof ApplicationFailure || writing.signal.aborted) throw error;
    return reported;
  } finally {
    clearTimeout(timer);
    reading.catch(() => undefined);
  }
}

/**
 * Reads what a write can do without. What takes traffic back waits for it no longer than for any other read, and goes on
 * with `otherwise` when it is late or refused.
 */
export async function readIfInTime<Known, Otherwise>(
  { urgent, signal }: { readonly urgent: boolean; readonly signal: AbortSignal },
  read: (signal: AbortSignal) => Promise<Known>,
  otherwise: Otherwise,
): Promise<Known | Otherwise> {
  if (!urgent) return await read(signal);
  try {
    return await withTimeLimit({ milliseconds: URGENT_READ_MS, signal }, read);
  } catch (error) {
    if (signal.aborted) throw error;
    return otherwise;
  }
}

const boundedBy = (late: AbortSignal, { turn, permit, onRefusal, signal }: Writing): Writing => ({
  signal: AbortSignal.any([signal, late]),
  turn,
  onRefusal,
  permit: async (weights) => {
    late.throwIfAborted();
    await permit(weights);
    late.throwIfAborted();
  },
});

const whenAborted = <Value>(signal: AbortSignal, value: Value): Promise<Value> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(value), { once: true }));
