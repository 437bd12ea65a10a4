import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { clusterName, secretFor } from './objects.ts';
import { isSynced, untilStatus } from './status.ts';
import type { World } from './world.ts';

/** How many clusters get into trouble: the last ones. */
export const troubled = 2;

/** Trouble that can begin and end; each answers when the AWSTargetGroupSet has noticed. */
export interface Trouble extends AsyncDisposable {
  begin(): Promise<void>;
  end(): Promise<void>;
}

// A port that belongs to a service that nobody runs.
const NOBODY = 'https://127.0.0.1:2';

/** Prepares trouble: one cluster that takes connections and says nothing, and one that is gone. */
export async function inTrouble(world: World): Promise<Trouble> {
  const { size, cluster, management, signal } = world;
  const [gone, hanging] = [clusterName(size.clusters - 1), clusterName(size.clusters - 2)];
  const { url, close } = await startSilentServer();
  const point = async (name: string, server?: string): Promise<void> => {
    await management.apply(secretFor(name, cluster, server), { force: true });
  };
  return {
    async begin() {
      await Promise.all([point(gone, NOBODY), point(hanging, url)]);
      await untilStatus({ management, signal }, `to name ${gone} and ${hanging}`, ({ problems = [] }) =>
        [gone, hanging].every((name) => problems.some((problem) => problem.cluster === name)),
      );
    },
    async end() {
      await Promise.all([point(gone), point(hanging)]);
      await untilStatus({ management, signal }, 'to be Synced again', isSynced);
    },
    [Symbol.asyncDispose]: close,
  };
}

async function startSilentServer(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: `https://127.0.0.1:${portOf(server)}`, close };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('Expected the silent server to have a port, got none.');
}
