import { inOneLine } from '../terminal-text.ts';
import { messageOf } from '../../domain/text.ts';

/** How something is read that takes a while. */
export interface Reading<Given extends readonly unknown[], Result> {
  readonly read: (...given: Given) => Promise<Result>;
  /** What counts as long as nothing has been read. */
  readonly meanwhile: Result;
  /** How long a result counts, in milliseconds. */
  readonly freshMs: (result: Result) => number;
  readonly now: () => number;
  /** Called when something has been read. */
  readonly changed: () => void;
}

/** How long it counts that something could not be read, in milliseconds: it may be over at once. */
const FAILED_MS = 2_000;

/** Reads again when what it depends on has changed, or after a while; until then what was known counts, and nobody waits. */
export function remembered<Given extends readonly unknown[], Result>({
  read,
  meanwhile,
  freshMs,
  now,
  changed,
}: Reading<Given, Result>): (by: string, ...given: Given) => Result {
  let last: { readonly by?: string; readonly until: number; readonly result: Result } = {
    until: 0,
    result: meanwhile,
  };
  let open: string | undefined;
  const begin = async (by: string, given: Given): Promise<void> => {
    open = by;
    const at = now();
    const next = await read(...given).then(
      (result) => ({ result, until: at + freshMs(result) }),
      () => ({ result: last.result, until: now() + FAILED_MS }),
    );
    if (open !== by) return;
    open = undefined;
    last = { by, ...next };
    changed();
  };
  return (by, ...given) => {
    const isFresh = last.by === by && now() < last.until;
    if (!isFresh && open !== by) void begin(by, given);
    return last.result;
  };
}

/** Learns why something of a page could not be read; undefined: it could. */
export type Troubled = (what: string, why: string | undefined) => void;

/** Tells why something is not read, or that it is again. */
export async function telling<Result>(
  what: string,
  reading: Promise<Result>,
  troubled: Troubled,
): Promise<Result> {
  try {
    const result = await reading;
    troubled(what, undefined);
    return result;
  } catch (error) {
    troubled(what, inOneLine(messageOf(error)));
    throw error;
  }
}
