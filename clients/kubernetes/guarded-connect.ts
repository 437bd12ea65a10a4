import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { isRefusedAddress } from './refused-addresses.ts';
import { http1 } from '../http1.ts';
import { slots } from '../slots.ts';

/** What the other end has to show, and what is shown to it; PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

/** Gives all addresses of a name, as `dns.lookup` does. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Says that a host is, or a name leads to, where nothing that a secret names may lead. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
  readonly code = 'OKRA_ADDRESS';
}

/** After how long without a request a connection is asked whether it still stands, and closed: load balancers forget it after a minute of silence. */
export const KEEP_ALIVE_MILLISECONDS = 30_000;

/**
 * Makes the connector for an address that someone else has written. Each connection is made to an address that was looked at,
 * so that a name which leads to another one a moment later is of no use.
 */
export function guardedConnector(tls: TlsOptions, look: Lookup = lookup): buildConnector.connector {
  let connect: buildConnector.connector | undefined;
  return (options, callback) => {
    try {
      if (isIP(options.hostname) !== 0 && isRefusedAddress(options.hostname)) throw refused(options.hostname);
      connect ??= connectorFor(tls, look);
      connect(options, callback);
    } catch (error) {
      callback(error instanceof Error ? error : new Error('no connection'), null);
    }
  };
}

function connectorFor({ ca, cert, key, ...others }: TlsOptions, look: Lookup): buildConnector.connector {
  // Reading the certificates takes time, so it is done once and not for each connection.
  const secureContext = createSecureContext({ ca, cert, key });
  return buildConnector({
    ...http1,
    ...others,
    secureContext,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLISECONDS,
    lookup: guardedLookup(look),
  });
}

// The system looks names up in its own threads, which files and all other names need too. One whose server does not answer keeps one for many seconds.
const inSlot = slots(2);

/** Looks a name up, and gives no address when any of them is refused: an honest name has none of those. */
const guardedLookup =
  (look: Lookup): LookupFunction =>
  (hostname, options, found) => {
    void inSlot(
      () =>
        new Promise<void>((resolve) => {
          look(hostname, { ...options, all: true }, (error, addresses) => {
            resolve();
            const first = error === null ? addresses[0] : undefined;
            if (first === undefined) found(error ?? new Error('no address'), []);
            else if (addresses.some(({ address }) => isRefusedAddress(address))) found(refused(hostname), []);
            else if (options.all === true) found(null, addresses);
            else found(null, first.address, first.family);
          });
        }),
    );
  };

const refused = (host: string): RefusedAddressError =>
  new RefusedAddressError(
    isIP(host) === 0
      ? 'a name of link-local or metadata addresses, to which Okra does not connect'
      : 'a link-local or metadata address, to which Okra does not connect',
  );
