import type { AskedKinds } from '../../../domain/discovery/target-group-set/doubtful-clusters.ts';
import type { ClusterReader, RemoteCluster } from './reader.ts';
import { kindsThere } from './target-group-bindings.ts';

/** Asks a cluster, by the name of its secret, which kinds of TargetGroupBinding it has by now. */
export type AskKinds = (secret: string) => Promise<AskedKinds>;

/** Makes what asks clusters; a late answer is older than the lists that it is to be about. */
export const askKinds =
  (reader: ClusterReader, clusters: readonly RemoteCluster[]): AskKinds =>
  async (secret) => {
    const remote = clusters.find(({ cluster }) => cluster.secret === secret);
    if (remote === undefined) return { ok: true, absent: [], since: {} };
    const said = await reader.read(remote, 'kinds of TargetGroupBindings', ({ client }) =>
      kindsThere(client),
    );
    if (!said.ok) return said;
    return { ok: true, ...said.value };
  };
