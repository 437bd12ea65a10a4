import { setTimeout } from 'node:timers/promises';
import { inOneLine } from '../terminal-text.ts';
import { messageOf } from '../../domain/text.ts';

/** How something is read that others wait for. */
export interface Reading<Given extends readonly unknown[], Result> {
  readonly read: (...given: Given) => Promise<Result>;
  /** What counts as long as nothing has been read. */
  readonly meanwhile: Result;
  /** How long a result counts, in milliseconds. */
  readonly freshMs: (result: Result) => number;
  /** How long it is waited for; then what was known counts. */
  readonly patienceMs: number;
  readonly now: () => number;
  /** Called when a result comes that nobody waits for any more. */
  readonly late: () => void;
}

/** How long it counts that something could not be read, in milliseconds: it may be over at once. */
const FAILED_MS = 2_000;

/** Reads again when what it depends on has changed, or after a while; nobody waits for long. */
export function remembered<Given extends readonly unknown[], Result>({
  read,
  meanwhile,
  freshMs,
  patienceMs,
  now,
  late,
}: Reading<Given, Result>): (by: string, ...given: Given) => Promise<Result> {
  let last: { readonly by: string; readonly until: number; readonly result: Result } | undefined;
  let open: { readonly by: string; readonly reading: Promise<Result> } | undefined;
  const begin = (by: string, given: Given): Promise<Result> => {
    const at = now();
    const reading = read(...given)
      .then(
        (result) => ({ result, until: at + freshMs(result) }),
        () => ({ result: last?.result ?? meanwhile, until: now() + FAILED_MS }),
      )
      .then(({ result, until }) => {
        if (open?.reading !== reading) return result;
        last = { by, until, result };
        open = undefined;
        return result;
      });
    open = { by, reading };
    return reading;
  };
  return async (by, ...given) => {
    if (last?.by === by && now() < last.until) return last.result;
    const reading = open?.by === by ? open.reading : begin(by, given);
    const patience = setTimeout(patienceMs, GIVEN_UP, { ref: false });
    const first = await Promise.race([reading, patience]);
    if (first !== GIVEN_UP) return first;
    void reading.then(late);
    return last?.result ?? meanwhile;
  };
}

const GIVEN_UP = Symbol('nobody waits any more');

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
