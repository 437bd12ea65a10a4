import { Context } from '@temporalio/activity';
import { awsErrorType, failure } from '../failure.ts';
import type { Writing } from './port.ts';

/** How often something is read until it shows what was written, and the first wait between, in milliseconds. */
const READ_BACK = { attempts: 6, firstWaitMs: 100 } as const;

/** What one look has shown. */
export type Look<Value> =
  | { readonly is: 'Shown'; readonly value: Value }
  | { readonly is: 'Another'; readonly got: string }
  /** Nothing is there, or not for this read yet. */
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

/**
 * Whether a write may be done without that AWS has refused, because reads show what it writes: not one alone, which may be
 * older than what is to be undone, but all for as long as they are waited for after a write.
 */
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

/**
 * Reads until what was written is shown. `unseen` says what to go by where no read has shown anything at all; a read that
 * shows something else is always believed.
 */
export async function readBack<Value>(
  what: string,
  look: () => Promise<Look<Value>>,
  unseen?: () => Promise<Look<Value>>,
): Promise<Value> {
  const seen = await lookUntilShown(look);
  const last = seen.is === 'Missing' && unseen !== undefined ? await unseen() : seen;
  if (last.is === 'Shown') return last.value;
  const got = last.is === 'Another' ? last.got : 'nothing at all.';
  throw failure('NotServed', `Expected ELBv2 to serve ${what} that was written, got ${got}`);
}
