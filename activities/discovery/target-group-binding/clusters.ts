import { NODE, POD } from '../../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroupBindingSpec } from '../../../crds/aws-target-group-binding.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { targetLooksInto } from '../../../domain/discovery/target-group-set/looks-into.ts';
import { readNode, readPod, trimRemote, type RemoteObject } from '../../../domain/discovery/clusters/seen.ts';
import { lookedAt, type SeenCluster } from '../../../domain/discovery/target-group-binding/binding-ids.ts';
import type { SeenNode, SeenPod } from '../../../domain/discovery/target-group-binding/target-ids.ts';
import {
  retryUnreadInSeconds,
  type ClusterAccess,
  type ClusterReader,
  type RemoteCluster,
  type RemoteReading,
} from '../clusters/reader.ts';

/** What was seen in the clusters that a binding looks into. */
interface SeenClusters {
  readonly clusters: readonly SeenCluster[];
  /** The names of all clusters of the namespace, whether anything was seen in them or not; undefined when nobody has looked. */
  readonly secrets?: readonly string[];
  /** After how many seconds to look again; undefined when all have answered. */
  readonly againInSeconds?: number | undefined;
}

/** Reads the nodes and pods of the clusters that the targets of a binding may be in, and no others. */
export async function readClusters(
  reader: ClusterReader,
  { targets }: AWSTargetGroupBindingSpec,
  { namespace }: ObjectKey,
): Promise<SeenClusters> {
  if (targets.every(({ ids }) => ids !== undefined)) return { clusters: [] };
  const found = await reader.find(namespace);
  const readings = await Promise.all(
    found.flatMap((remote) => {
      const looking = targets.filter((target) => targetLooksInto(target, remote.cluster));
      const whats = new Set(looking.map((target) => lookedAt(target, namespace)));
      return [...whats].map((what) => readOne(reader, remote, what));
    }),
  );
  return {
    clusters: readings.map(({ cluster }) => cluster),
    secrets: found.map(({ cluster }) => cluster.name),
    againInSeconds: retryUnreadInSeconds(readings.map(({ said }) => said)),
  };
}

interface Reading {
  readonly cluster: SeenCluster;
  readonly said: RemoteReading<SeenCluster['seen']>;
}

async function readOne(reader: ClusterReader, remote: RemoteCluster, what: string): Promise<Reading> {
  const { name, labels } = remote.cluster;
  const said = await reader.read(remote, what, (access) => seenIn(access, { cluster: name, what }));
  const seen: SeenCluster['seen'] = said.ok
    ? said.value
    : { ok: false, reason: said.reason, message: said.message };
  return { cluster: { name, labels, what, seen }, said };
}

async function seenIn(
  { client, namespaces }: ClusterAccess,
  { cluster, what }: { readonly cluster: string; readonly what: string },
): Promise<SeenCluster['seen']> {
  if (what === 'nodes') {
    const nodes: readonly SeenNode[] = (await client.list<RemoteObject>(NODE, { trim: trimRemote })).map(
      readNode,
    );
    return { ok: true, nodes, pods: [] };
  }
  const namespace = what.slice('pods/'.length);
  if (namespaces.length > 0 && !namespaces.includes(namespace)) {
    const message = `Expected namespace ${namespace} among those that the secret of cluster ${cluster} allows, got ${namespaces.join(', ')}. Add it to namespaces in the secret, or correct podNamespace.`;
    return { ok: false, reason: 'NamespaceNotAllowed', message };
  }
  const pods: readonly SeenPod[] = (
    await client.list<RemoteObject>(POD, { namespace, trim: trimRemote })
  ).map(readPod);
  return { ok: true, nodes: [], pods };
}
