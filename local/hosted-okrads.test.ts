import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startOkradHost, type OkradHost } from '../test/support/okrads/host.ts';
import { startHosted } from '../test/support/okrads/hosted.ts';
import { until } from '../test/support/until.ts';

const LOST = 'Expected the process of the okrads to run, got its end. See /tmp/okrads.log.';
const order = { environment: {}, log: '/dev/null' };

/** What takes orders and never answers, as a process that is about to end. */
async function openHost(): Promise<{ readonly host: OkradHost; readonly die: () => Promise<void> }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = { pid: 1, port, log: '/tmp/okrads.log', secretAccessKey: '', environment: {} };
  const die = async (): Promise<void> => {
    if (sockets.length === 0) await once(server, 'connection');
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { host, die };
}

const forget = (): void => {
  globalThis.okradLine = undefined;
};
beforeEach(forget);
afterEach(forget);

it('all that waits for an okrad ends as soon as the process that runs it has ended', async () => {
  const { host, die } = await openHost();
  const stages = [startHosted(host, order), startHosted(host, order)];
  const ending = stages[0]?.okrad.end('SIGTERM');
  const waits = ['a weight', 'a phase'].map((what) =>
    expect(until(what, () => Promise.resolve(false))).rejects.toThrow(LOST),
  );
  await Promise.all([die(), ...waits, expect(ending).rejects.toThrow(LOST)]);
  // What comes later does not begin to wait.
  await expect(until('a rule', () => Promise.resolve(true))).rejects.toThrow(LOST);
  await expect(stages[1]?.okrad.end('SIGTERM')).rejects.toThrow(LOST);
  expect(() => startHosted(host, order)).toThrow(LOST);
});

it('the process that runs the okrads outlives a process of tests that dies', async () => {
  const logs = await mkdtemp(join(tmpdir(), 'okra-okrads-'));
  using host = await startOkradHost({ logs, environment: {} });
  const connected = async (): Promise<Socket> => {
    const socket = createConnection(host.view.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const [dying, other] = [await connected(), await connected()];
  // A process that is killed with something unread resets its connection.
  dying.resetAndDestroy();
  await once(dying, 'close');
  other.write('{"do":"End","id":1}\n');
  expect(String((await once(other, 'data'))[0])).toBe('{"ended":1}\n');
  other.destroy();
  await rm(logs, { recursive: true });
});
