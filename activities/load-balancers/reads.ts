import { Context } from '@temporalio/activity';
import { awsErrorType, failure } from '../failure.ts';
import type { Writing, ApplyRequest } from './port.ts';
import { ApplicationFailure } from '@temporalio/common';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { untilGivenUp } from '../../clients/concurrency.ts';

/** How long what takes traffic back waits for ELBv2 to be read, in milliseconds; then it goes by the status. */
const URGENT_READ_MS = 1_000;

/** Reads what a write can do without; an urgent one continues with `otherwise` after a second, or when refused. A `Conflict` is thrown on. */
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

/** How often something is read until it shows what was written, and the first wait between, in milliseconds. */
const READ_BACK = { attempts: 6, firstWaitMs: 100 } as const;

/** What one look has shown. */
export type Look<Value> =
  | { readonly is: 'Shown'; readonly value: Value }
  | { readonly is: 'Another'; readonly got: string }
  | { readonly is: 'Missing' };

/** Looks until what is looked for is shown; a read may be older than the write before it. */
export async function lookUntilShown<Value>(look: () => Promise<Look<Value>>): Promise<Look<Value>> {
  let last: Look<Value> = { is: 'Missing' };
  for (let count = 0; count < READ_BACK.attempts; count += 1) {
    if (count > 0) await Context.current().sleep(READ_BACK.firstWaitMs * 2 ** (count - 1));
    const shown = await look();
    if (shown.is === 'Shown') return shown;
    // One that was seen once, and is another, is not forgotten because of a read that sees none.
    if (shown.is === 'Another') last = shown;
  }
  return last;
}

/** Whether all reads, for as long as they are waited for after a write, show what a write that AWS has refused would make. */
export async function isShownWithout(
  refusal: unknown,
  look: () => Promise<Look<unknown>>,
  { onRefusal }: Pick<Writing, 'onRefusal'>,
): Promise<boolean> {
  if (awsErrorType(refusal) === undefined) return false;
  onRefusal(refusal);
  try {
    for (let count = 1; count < READ_BACK.attempts; count += 1) {
      await Context.current().sleep(READ_BACK.firstWaitMs * 2 ** (count - 1));
      if ((await look()).is !== 'Shown') return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Reads until what was written is shown; `unseen` says what to go by where no read has shown anything at all. */
export async function readBack<Value>(
  what: string,
  look: () => Promise<Look<Value>>,
  unseen?: () => Promise<Look<Value>>,
): Promise<Value> {
  const seen = await lookUntilShown(look);
  const last = seen.is === 'Missing' && unseen !== undefined ? await unseen() : seen;
  if (last.is === 'Shown') return last.value;
  const got = last.is === 'Another' ? last.got : 'nothing at all.';
  throw failure(
    'NotServed',
    `ELBv2 does not show ${what} yet, as it was written; it shows ${got} Okra retries.`,
  );
}

/** Lets a write be sent only once ELBv2 can be called at once: what was allowed may be refused by the time that credentials are there. */
export const onceReady = (elbv2: Pick<ELBv2, 'ready'>, writing: Writing): Writing => ({
  ...writing,
  permit: async (weights) => {
    await untilGivenUp(elbv2.ready(), writing.signal);
    await writing.permit(weights);
  },
});
