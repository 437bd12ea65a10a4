import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { createCluster, type ClusterFacts, type EmulatedAws } from './eks-fixture.ts';
import type { WorkloadCluster } from './workload-cluster.ts';

/** A cluster that the API server of another one plays as well, at an address of its own. */
export interface TwinCluster extends ClusterFacts {
  readonly name: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/**
 * Names another cluster in the emulated EKS, whose endpoint leads to the API server of a workload cluster: for tests that
 * need many clusters, and of each no more than that it answers and takes tokens for its name.
 */
export async function addTwin(
  aws: EmulatedAws,
  cluster: WorkloadCluster,
  twin: TwinCluster,
): Promise<{ readonly endpoint: string } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(cluster.kubernetes.url);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.on('error', () => one.destroy());
    }
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  const endpoint = `https://127.0.0.1:${own}`;
  cluster.authenticator.alsoFor(twin.name);
  await createCluster(aws, { endpoint, caData: cluster.caData, ...twin });
  return {
    endpoint,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
