import { BlockList, isIP } from 'node:net';

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
  // Teredo, and NAT64 of local use, which carry IPv4 addresses out of sight (RFC 4380, RFC 8215).
  ['2001::', 32],
  ['64:ff9b:1::', 48],
];

const list = new BlockList();
for (const [address, bits] of refused4) list.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of refused6) list.addSubnet(address, bits, 'ipv6');

/** Whether nothing that a secret names may be connected to at this address, in whatever form it is written; what is no address is refused as well. */
export function isRefusedAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return list.check(address, 'ipv4');
  // A zone names an interface, which is of use for link-local addresses alone.
  if (family === 0 || address.includes('%')) return true;
  const carried = carriedBy(groupsOf(address));
  return list.check(address, 'ipv6') || (carried !== undefined && list.check(carried, 'ipv4'));
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // URL writes each address in one way, and in hexadecimal digits alone.
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** The IPv4 address that an IPv6 address stands for: compatible, mapped, translated, NAT64 (RFC 6052) or 6to4. */
function carriedBy(groups: readonly number[]): string | undefined {
  const start = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  // Compatible ones begin above `::1`, which is this machine.
  if (carriers.has(start) && groups[6] !== 0) return dotted(groups.slice(6));
  return groups[0] === 0x2002 ? dotted(groups.slice(1, 3)) : undefined;
}

const carriers = new Set(['0:0:0:0:0:0', '0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0']);

const dotted = (groups: readonly number[]): string =>
  groups.flatMap((group) => [group >> 8, group & 255]).join('.');
