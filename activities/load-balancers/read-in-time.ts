import { ApplicationFailure } from '@temporalio/common';
import type { ApplyRequest, Writing } from './port.ts';

/** How long what takes traffic back waits for ELBv2 to be read, in milliseconds; then it goes by the status. */
const URGENT_READ_MS = 1_000;

/**
 * Reads what a write can do without. What takes traffic back waits no longer than a second, and goes on with `otherwise` when the
 * read is late or refused: DescribeRules may be throttled, or hang, while ModifyRule is fine. A `Conflict` is thrown on.
 */
export async function readIfInTime<Known, Otherwise>(
  { urgent, signal }: { readonly urgent: boolean; readonly signal: AbortSignal },
  read: (signal: AbortSignal) => Promise<Known>,
  otherwise: Otherwise,
): Promise<Known | Otherwise> {
  if (!urgent) return await read(signal);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), URGENT_READ_MS);
  const reading = read(AbortSignal.any([signal, late.signal]));
  try {
    return await Promise.race([reading, whenAborted(late.signal, otherwise)]);
  } catch (error) {
    if (error instanceof ApplicationFailure || signal.aborted) throw error;
    return otherwise;
  } finally {
    clearTimeout(timer);
    reading.catch(() => undefined);
  }
}

/** Reads before a write, and goes by what is reported where that is late; a read that is late writes nothing any more. */
export async function readInTime<Known>(
  { urgent }: Pick<ApplyRequest, 'urgent'>,
  writing: Writing,
  read: (writing: Writing) => Promise<Known>,
  reported: Known | undefined,
): Promise<Known> {
  // Without anything to go by there is nothing but the read.
  if (!urgent || reported === undefined) return await read(writing);
  const readBy = (signal: AbortSignal): Promise<Known> =>
    read({
      ...writing,
      signal,
      permit: async (weights) => {
        signal.throwIfAborted();
        await writing.permit(weights);
        signal.throwIfAborted();
      },
    });
  return await readIfInTime({ urgent, signal: writing.signal }, readBy, reported);
}

const whenAborted = <Value>(signal: AbortSignal, value: Value): Promise<Value> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(value), { once: true }));
