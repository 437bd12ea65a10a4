import { setTimeout as wait } from 'node:timers/promises';

/** The outcome of a read: its end, or that it has none within the deadline. */
export type Outcome<T> =
  | { readonly is: 'Done'; readonly value: T }
  | { readonly is: 'Failed'; readonly error: unknown }
  | { readonly is: 'Waiting' };

/** Reads by key: never two of one key at once, and none that began before its caller asked. */
type SingleFlight = <T>(key: string, read: () => Promise<T>) => Promise<Outcome<T>>;

/** A read under way, and the one that begins after it for those who ask meanwhile. */
interface Flight {
  readonly ended: Promise<Outcome<unknown>>;
  isLate: boolean;
  next?: Flight;
}

const WAITING = { is: 'Waiting' } as const;

/**
 * Makes a place to share reads in, none of which is waited for longer than a deadline, in milliseconds. What ends later
 * is not used, since someone may have seen something newer; until it ends, the same is not read again.
 */
export function createSingleFlight(deadlineMilliseconds: number): SingleFlight {
  const flights = new Map<string, Flight>();

  function begin(key: string, read: () => Promise<unknown>, after: Promise<unknown>): Flight {
    const ended = after
      .then(() => settle(read))
      .finally(() => {
        if (flight.next === undefined) flights.delete(key);
        else flights.set(key, flight.next);
      });
    const flight: Flight = { ended, isLate: false };
    return flight;
  }

  return async <T>(key: string, read: () => Promise<T>) => {
    const before = flights.get(key);
    if (before?.isLate === true) return WAITING;
    const flight = before?.next ?? begin(key, read, before?.ended ?? Promise.resolve());
    if (before === undefined) flights.set(key, flight);
    else before.next = flight;
    const stop = new AbortController();
    const late = wait(deadlineMilliseconds, WAITING, { signal: stop.signal, ref: false });
    const outcome = await Promise.race([flight.ended, late]);
    stop.abort();
    late.catch(() => undefined);
    if (outcome === WAITING) (flights.get(key) ?? flight).isLate = true;
    return outcome as Outcome<T>;
  };
}

async function settle(read: () => Promise<unknown>): Promise<Outcome<unknown>> {
  try {
    return { is: 'Done', value: await read() };
  } catch (error) {
    return { is: 'Failed', error };
  }
}
