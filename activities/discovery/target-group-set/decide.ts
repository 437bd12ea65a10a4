import {
  doubtfulClusters,
  withAsked,
  type AskedKinds,
} from '../../../domain/discovery/target-group-set/doubtful-clusters.ts';
import type {
  ClusterReading,
  ObservedTargetGroupSet,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import {
  decideTargetGroupSet,
  type TargetGroupSetDecision,
} from '../../../domain/discovery/target-group-set/target-group-set.ts';
import type { ClusterReads, RemoteCluster } from '../clusters/reader.ts';
import { absentKinds } from '../clusters/target-group-bindings.ts';

/** Asks a cluster, by the name of its secret, which kinds of TargetGroupBinding it has not got by now. */
export type AskKinds = (secret: string) => Promise<AskedKinds>;

/** Decides about a set; before a group goes, its cluster is asked once more whether it still has the kind that the group is made of. */
export async function decide(
  observed: ObservedTargetGroupSet,
  ask: AskKinds,
): Promise<TargetGroupSetDecision> {
  const asked = new Map<string, AskedKinds>();
  for (;;) {
    const readings = observed.readings.map((reading) => withAnswer(reading, asked));
    const decision = decideTargetGroupSet({ ...observed, readings });
    const doubtful = doubtfulClusters(decision, { ...observed, readings }).filter(
      (secret) => !asked.has(secret),
    );
    if (doubtful.length === 0) return decision;
    const answers = await Promise.all(doubtful.map(async (secret) => [secret, await ask(secret)] as const));
    for (const [secret, answer] of answers) asked.set(secret, answer);
  }
}

function withAnswer(reading: ClusterReading, asked: ReadonlyMap<string, AskedKinds>): ClusterReading {
  const answer = asked.get(reading.cluster.secret);
  return answer === undefined ? reading : withAsked(reading, answer);
}

/** Makes what asks clusters; a late answer is older than the lists that it is to be about. */
export const askKinds =
  (reads: ClusterReads, clusters: readonly RemoteCluster[]): AskKinds =>
  async (secret) => {
    const remote = clusters.find(({ cluster }) => cluster.secret === secret);
    if (remote === undefined) return { ok: true, absent: [] };
    const said = await reads.read(remote, 'kinds of TargetGroupBindings', ({ client }) =>
      absentKinds(client),
    );
    if (!said.ok) return said;
    if (!said.isLate) return { ok: true, absent: said.value };
    const message = `Expected cluster ${remote.cluster.name} to say in time whether it has the kinds of TargetGroupBinding that it had, got an old answer. What it had before stays.`;
    return { ok: false, reason: 'ClusterSlow', message };
  };
