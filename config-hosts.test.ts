import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hostToListenOn } from './config-hosts.ts';

const four = { lo: [{ family: 'IPv4' }] };
const both = { lo: [{ family: 'IPv4' }, { family: 'IPv6' }] };

describe('the address to listen on', () => {
  it.each([
    ['is all of IPv6, and so those of IPv4 too', '::', both, '::'],
    ['is all of IPv4 on a machine without IPv6', '::', four, '0.0.0.0'],
    ['is the one that is named', '0.0.0.0', both, '0.0.0.0'],
    ['is the one that is named, without IPv6 too', '127.0.0.1', four, '127.0.0.1'],
  ])('%s', (_, host, interfaces, want) => expect(hostToListenOn(host, interfaces)).toBe(want));

  it('can be listened on here', async () => {
    const server = createServer().listen(0, hostToListenOn('::'));
    await once(server, 'listening');
    server.close();
  });
});
