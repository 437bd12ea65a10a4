import { Context } from '@temporalio/activity';
import { failure } from '../failure.ts';

/** How often something is read back until it shows what was written, and the first wait between, in milliseconds. */
const READ_BACK = { attempts: 6, firstWaitMs: 100 } as const;

/** What one look after a write has shown. */
export type Look<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly got: string };

/** Reads until what was written is shown; a read may be older than the write before it. */
export async function readBack<Value>(what: string, look: () => Promise<Look<Value>>): Promise<Value> {
  let got = 'nothing';
  for (let count = 0; count < READ_BACK.attempts; count += 1) {
    if (count > 0) await Context.current().sleep(READ_BACK.firstWaitMs * 2 ** (count - 1));
    const shown = await look();
    if (shown.ok) return shown.value;
    ({ got } = shown);
  }
  throw failure('NotServed', `Expected ELBv2 to serve ${what} that was written, got ${got}`);
}
