import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { limitLookups, type NameLookups } from './name-lookups.ts';
import { isRefusedAddress } from './refused-addresses.ts';
import { http1 } from '../http1.ts';

/** What the other end has to show, and what is shown to it; PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

/** How names are looked up. */
export interface GuardOptions {
  /** By default those of the system, which all share. */
  readonly names?: NameLookups | undefined;
}

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
export function guardedConnector(
  tls: TlsOptions,
  { names = system }: GuardOptions = {},
): buildConnector.connector {
  const guarded = guardedLookup(names);
  let connect: buildConnector.connector | undefined;
  return (options, callback) => {
    try {
      if (isIP(options.hostname) !== 0 && isRefusedAddress(options.hostname)) throw refused(options.hostname);
      connect ??= connectorFor(tls, guarded);
      connect(options, callback);
    } catch (error) {
      callback(error instanceof Error ? error : new Error('no connection'), null);
    }
  };
}

function connectorFor(
  { ca, cert, key, ...others }: TlsOptions,
  lookup: LookupFunction,
): buildConnector.connector {
  // Reading the certificates takes time, so it is done once and not for each connection.
  const secureContext = createSecureContext({ ca, cert, key });
  return buildConnector({
    ...http1,
    ...others,
    secureContext,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLISECONDS,
    lookup,
  });
}

const system = limitLookups(systemLookup);

/** Looks a name up, and gives no address when any of them is refused: an honest name has none of those. */
const guardedLookup =
  (names: NameLookups): LookupFunction =>
  (hostname, options, found) => {
    names(hostname, { ...options, all: true }, (error, addresses) => {
      const first = error === null ? addresses[0] : undefined;
      if (first === undefined) found(error ?? new Error('no address'), []);
      else if (addresses.some(({ address }) => isRefusedAddress(address))) found(refused(hostname), []);
      else if (options.all === true) found(null, [...addresses]);
      else found(null, first.address, first.family);
    });
  };

const refused = (host: string): RefusedAddressError =>
  new RefusedAddressError(
    isIP(host) === 0
      ? 'a name of link-local or metadata addresses, to which Okra does not connect'
      : 'a link-local or metadata address, to which Okra does not connect',
  );
