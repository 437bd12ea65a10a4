import { networkInterfaces } from 'node:os';

type Interfaces = Readonly<Record<string, readonly { readonly family: string }[] | undefined>>;

/** The address to listen on: `::` stands for all of a machine, and where it has none of IPv6, for those of IPv4. */
export function hostToListenOn(host: string, interfaces: Interfaces = networkInterfaces()): string {
  const families = Object.values(interfaces).flatMap((some = []) => some.map(({ family }) => family));
  return host === '::' && !families.includes('IPv6') ? '0.0.0.0' : host;
}
