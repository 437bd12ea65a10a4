import { lookup as systemLookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction, BlockList } from 'node:net';
import { createSecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { http1 } from '../bounded-request.ts';
import { limitConcurrency, untilGivenUp, withTimeLimit } from '../concurrency.ts';

// Where machines and clouds keep what is for themselves: the credentials of a machine or a pod above all.
const refused4: readonly (readonly [string, number])[] = [
  // This host, under a name of its own (RFC 1122).
  ['0.0.0.0', 8],
  // Link-local (RFC 3927), with the metadata services of most clouds, of ECS tasks and of EKS Pod Identity.
  ['169.254.0.0', 16],
  // The metadata services of Alibaba, Azure and Oracle.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['192.0.0.192', 32],
  // Multicast and broadcast.
  ['224.0.0.0', 3],
];

const refused6: readonly (readonly [string, number])[] = [
  ['::', 128],
  ['fe80::', 10],
  // Site-local, which some machines still treat as link-local (RFC 3879).
  ['fec0::', 10],
  // The metadata services of AWS and Google.
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['ff00::', 8],
  // Teredo, 6to4, and NAT64 of local use, which carry IPv4 addresses out of sight (RFC 4380, RFC 7526, RFC 8215).
  ['2001::', 32],
  ['2002::', 16],
  ['64:ff9b:1::', 48],
];

// IPv4 addresses that IPv6 addresses stand for: compatible, translated, and by NAT64 (RFC 6052); BlockList knows mapped ones.
const carriers = ['::', '::ffff:0:', '64:ff9b::'];

const list = new BlockList();
for (const [address, bits] of refused6) list.addSubnet(address, bits, 'ipv6');
for (const [address, bits] of refused4) {
  list.addSubnet(address, bits, 'ipv4');
  for (const carrier of carriers)
    // `::1` is this machine.
    if (carrier !== '::' || address !== '0.0.0.0') list.addSubnet(`${carrier}${address}`, 96 + bits, 'ipv6');
}

/** Whether nothing that a secret names may be connected to at this address, in whatever form it is written; what is no address is refused as well. */
export function isRefusedAddress(address: string): boolean {
  // A zone names an interface, which is of use for link-local addresses alone.
  if (isIP(address) === 0 || address.includes('%')) return true;
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

type Found = (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void;

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

/** Limits how many names are looked up at once, and the wait, by the system's lookup, which alone reads /etc/hosts and search domains. */
export function limitLookups(look: Lookup): NameLookups {
  const inSlot = limitConcurrency(LOOKUPS_AT_ONCE);
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
    withTimeLimit({ milliseconds: WAIT_MILLISECONDS }, (signal) =>
      untilGivenUp(lookUpOnce(hostname, options), signal).catch((error: unknown) => {
        throw signal.aborted ? late(hostname) : error;
      }),
    ).then(
      (addresses) => found(null, addresses),
      (error: unknown) => found(error instanceof Error ? error : new Error('no address'), []),
    );
  };
}

const late = (hostname: string): Error =>
  new Error(
    `cannot look up ${hostname}: no answer within ${WAIT_MILLISECONDS / 1000} s; look at the DNS server of the name`,
  );

const lookUp = (look: Lookup, hostname: string, options: LookupAllOptions): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    look(hostname, options, (error, addresses) => (error === null ? resolve(addresses) : reject(error))),
  );

/** What the other end has to show, and what is shown to it; PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

/** Says that a host is, or a name leads to, where nothing that a secret names may lead. */
class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
  readonly code = 'OKRA_ADDRESS';
}

/** After how long without a request a connection is asked whether it still stands, and closed: load balancers forget it after a minute of silence. */
export const KEEP_ALIVE_MILLISECONDS = 30_000;

/** Makes the connector for an address that others wrote; it connects to the address that was checked, whatever the name leads to later. */
export function makeGuardedConnector(tls: TlsOptions, names: NameLookups = system): buildConnector.connector {
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
