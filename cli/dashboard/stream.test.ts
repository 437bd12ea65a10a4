import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openStream, type Stream } from './stream.ts';

const BIG = 'x'.repeat(1_000_000);

/** A stream to one who does not read. */
async function toTheDeaf(unreadMs: number): Promise<{ stream: Stream; socket: Socket; close: () => void }> {
  const { promise, resolve } = Promise.withResolvers<Stream>();
  const server = createServer((_, response) => resolve(openStream(response, { beatMs: 10_000, unreadMs })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const stream = await promise;
  return { stream, socket, close: () => (socket.destroy(), server.close()) };
}

/** Tells until no more is taken. */
function fill(stream: Stream): number {
  let taken = 0;
  while (stream.send('rows', BIG)) taken += 1;
  return taken;
}

it('tells no more to one who does not read, and continues when they do', async () => {
  const { stream, socket, close } = await toTheDeaf(60_000);
  const room = new Promise<void>((resolve) => stream.onRoom(resolve));
  expect(fill(stream)).toBeLessThan(3);
  expect(stream.send('head', {})).toBe(false);
  socket.resume();
  await room;
  expect(stream.send('head', {})).toBe(true);
  close();
});

it('lets one go who does not read for long', async () => {
  const { stream, close } = await toTheDeaf(20);
  // Until what lies between the two is full.
  stream.onRoom(() => fill(stream));
  fill(stream);
  if (!stream.signal.aborted) await once(stream.signal, 'abort');
  expect(stream.send('head', {})).toBe(false);
  close();
});
