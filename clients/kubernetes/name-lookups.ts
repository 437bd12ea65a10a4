import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { slots } from '../slots.ts';

/** Receives the addresses of a name, or why there are none. */
export type Found = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

/** Finds all addresses of a name, as `dns.lookup` does. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Finds all addresses of a name in bounded time. */
export type NameLookups = (hostname: string, options: LookupAllOptions, found: Found) => void;

/** The names from Secrets and Checks that are looked up at once, each of which may occupy a thread for seconds. */
export const LOOKUPS_AT_ONCE = 10;

// Less than a connection, or a request, may take.
const WAIT_MILLISECONDS = 5_000;

/**
 * Limits how many names are looked up at once, each of them once, and how long a caller waits.
 * It uses the system's lookup, which alone reads /etc/hosts, search domains and nsswitch.conf.
 */
export function limitLookups(look: Lookup): NameLookups {
  const inSlot = slots(LOOKUPS_AT_ONCE);
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();

  function lookUpOnce(hostname: string, options: LookupAllOptions): Promise<readonly LookupAddress[]> {
    const key = JSON.stringify([hostname, options.family, options.hints]);
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const begun = inSlot(() => lookUp(look, hostname, options)).finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  }

  return (hostname, options, found) => {
    const late = new Error(
      `cannot look up ${hostname}: no answer within ${WAIT_MILLISECONDS / 1000} s; look at the DNS server of the name`,
    );
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late), WAIT_MILLISECONDS);
    Promise.race([lookUpOnce(hostname, options), promise])
      .finally(() => clearTimeout(timer))
      .then(
        (addresses) => found(null, addresses),
        (error: unknown) => found(error instanceof Error ? error : new Error('no address'), []),
      );
  };
}

const lookUp = (look: Lookup, hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    look(hostname, options, (error, addresses) => (error === null ? resolve(addresses) : reject(error))),
  );
