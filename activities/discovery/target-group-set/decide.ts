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
import type { AskKinds } from '../clusters/ask-kinds.ts';

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
