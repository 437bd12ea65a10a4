import { describe, expect, it } from 'vitest';
import { isRefusedAddress } from './guarded-connect.ts';

describe('an address that a secret leads to is refused', () => {
  it.each([
    ['the metadata service of a machine', '169.254.169.254'],
    ['that of ECS tasks', '169.254.170.2'],
    ['that of EKS Pod Identity', '169.254.170.23'],
    ['any other link-local one', '169.254.0.1'],
    ['that of Azure', '168.63.129.16'],
    ['that of Alibaba', '100.100.100.200'],
    ['that of Oracle', '192.0.0.192'],
    ['no address', '0.0.0.0'],
    ['a broadcast', '255.255.255.255'],
    ['a multicast', '224.0.0.1'],
    ['the metadata service of AWS by IPv6', 'fd00:ec2::254'],
    ['that of EKS Pod Identity by IPv6', 'fd00:ec2::23'],
    ['that of Google by IPv6', 'fd20:ce::254'],
    ['a link-local one by IPv6', 'fe80::1'],
    ['one with a zone', 'fe80::1%eth0'],
    ['one with a zone, whatever it is', '2600::1%1'],
    ['a site-local one', 'fec0::1'],
    ['no address by IPv6', '::'],
    ['a multicast by IPv6', 'ff02::1'],
    ['a mapped one', '::ffff:169.254.169.254'],
    ['a mapped one in hexadecimal digits', '::ffff:a9fe:a9fe'],
    ['a mapped one in full', '0:0:0:0:0:ffff:a9fe:a9fe'],
    ['a translated one', '::ffff:0:169.254.169.254'],
    ['a compatible one', '::a9fe:a9fe'],
    ['one behind NAT64', '64:ff9b::169.254.169.254'],
    ['one behind a NAT64 of its own', '64:ff9b:1::a9fe:a9fe'],
    ['one behind 6to4', '2002:a9fe:a9fe::1'],
    ['one behind Teredo', '2001::5601:5601'],
    ['what is no address', 'example.com'],
    ['nothing', ''],
  ])('%s: %s', (_, address) => {
    expect(isRefusedAddress(address)).toBe(true);
  });

  it.each([
    ['of a private network', '10.0.0.1'],
    ['of another one', '192.168.1.1'],
    ['of the shared space of VPCs', '100.64.0.1'],
    ['beside the link-local ones', '169.253.255.255'],
    ['of the internet', '52.28.0.1'],
    ['of this machine, as a tunnel has it', '127.0.0.1'],
    ['of this machine by IPv6', '::1'],
    ['of a private network by IPv6', 'fd12:3456::1'],
    ['of the internet by IPv6', '2a05:d014::1'],
    ['behind NAT64', '64:ff9b::10.0.0.1'],
  ])('unless it is one %s: %s', (_, address) => {
    expect(isRefusedAddress(address)).toBe(false);
  });
});
