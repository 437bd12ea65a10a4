import type { Problem } from '../../domain/discovery/sync-status.ts';
import { toFailure } from '../failure.ts';
import type { Lifetime } from '../discovery/lifetime.ts';

/** One write of many, and what it is about in case that it fails. */
export interface Write {
  /** The kind and name of the object that is written. */
  readonly object: { readonly kind: string; readonly name: string };
  readonly cluster?: string;
  readonly run: () => Promise<unknown>;
}

/** How many writes are under way at a time. */
const AT_ONCE = 8;

/** Performs writes; one that fails is a problem, and holds no other up. Throws when the time is over. */
export async function performWrites(
  writes: readonly Write[],
  { assert }: Pick<Lifetime, 'assert'>,
): Promise<readonly Problem[]> {
  const problems: (Problem | undefined)[] = [];
  for (let begin = 0; begin < writes.length; begin += AT_ONCE) {
    // What an attempt that was given up has decided may be wrong by now.
    assert();
    problems.push(...(await Promise.all(writes.slice(begin, begin + AT_ONCE).map(perform))));
  }
  return problems.filter((one) => one !== undefined);
}

async function perform({ object: { kind, name }, cluster, run }: Write): Promise<Problem | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    const message = `Expected to write ${kind} ${name}, got: ${toFailure(error).message} It is tried again.`;
    return { ...(cluster === undefined ? {} : { cluster }), object: name, reason: 'NotWritten', message };
  }
}
