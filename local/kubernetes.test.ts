import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { applyObject } from './kubernetes.ts';

/** A server that does with each connection what it is told, and counts them. */
async function serverThat(does: (socket: Socket) => void): Promise<{
  readonly access: Parameters<typeof applyObject>[0];
  readonly connections: () => number;
}> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    does(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const folder = await mkdtemp(join(tmpdir(), 'okra-apply-'));
  const caFile = join(folder, 'ca.crt');
  await writeFile(caFile, '');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await rm(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  const access = { url: `https://127.0.0.1:${port}`, caFile, kubeconfig: '', token: '' };
  return { access, connections: () => sockets.length };
}

it('applies an object for longer each time where no answer comes, and then says so and what to do', async () => {
  const { access, connections } = await serverThat(() => undefined);
  await expect(applyObject(access, '/api/v1/nodes/a', '{}', { limitMs: 50 })).rejects.toThrow(
    'PATCH /api/v1/nodes/a?fieldManager=okra-local&force=true was not answered within 0.8 s. Start again when the machine has less other work',
  );
  expect(connections()).toBe(5);
});

it('does not repeat what failed', async () => {
  const { access, connections } = await serverThat((socket) => socket.destroy());
  await expect(applyObject(access, '/api/v1/nodes/a', '{}')).rejects.toThrow(
    /ECONNRESET|socket disconnected/,
  );
  expect(connections()).toBe(1);
});
