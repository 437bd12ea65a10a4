import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { clusterSet, type ClusterSet, type Generator } from '../../../crds/cluster-set.ts';
import type { Access } from '../../../domain/access/access.ts';
import {
  clusterIdsOf,
  decideClusterSet,
  secretNamesOf,
  type Reading,
} from '../../../domain/discovery/cluster-set/cluster-set.ts';
import {
  allowedClusters,
  allowedIds,
  generatorRefusal,
} from '../../../domain/discovery/cluster-set/cluster-set-access.ts';
import { earlierOf } from '../../../domain/discovery/missing.ts';
import type { SyncActivities } from '../../contract.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import type { ObjectOwner } from '../../kubernetes/owner-references.ts';
import type { Lifetime } from '../lifetime.ts';
import { createSetSync } from '../owned-objects.ts';
import { createClusterSecrets } from './cluster-secrets.ts';
import { readGenerator, type ClusterSources } from './cluster-sources.ts';

/** What the activities of ClusterSets are made of. */
interface ClusterSetDependencies {
  readonly kubernetes: KubernetesClient;
  readonly sources: ClusterSources;
  /** How long what is missed keeps what it had. */
  readonly graceSeconds: number;
}

/** Makes the activities of ClusterSets. */
export function clusterSetActivities({
  kubernetes,
  sources,
  graceSeconds,
}: ClusterSetDependencies): Pick<SyncActivities, 'syncClusterSet'> {
  const secrets = createClusterSecrets(kubernetes);
  return {
    syncClusterSet: createSetSync({
      kubernetes,
      kind: clusterSet,
      async sync(spec, { object, owner, life }: { object: ClusterSet; owner: ObjectOwner; life: Lifetime }) {
        const { signal } = life;
        const { key, uid } = owner;
        const known = clusterIdsOf(uid, await secrets.find(key.namespace, []));
        const access = await accessPolicies(kubernetes).of(key.namespace, signal);
        const askable = allowedIds(known, access);
        const answers = await Promise.all(
          spec.generators.map((generator, index) =>
            read(sources, generator, { index, signal, known: askable, access }),
          ),
        );
        const { readings, problems: refused } = allowedClusters(spec.generators, answers, { access, known });
        const grace = { before: object.status?.missing ?? [], now: Date.now(), seconds: graceSeconds };
        // What is not selected is nobody's business here: an account may have hundreds of other clusters.
        const found = await secrets.find(key.namespace, secretNamesOf(spec, readings));
        const decision = decideClusterSet({ uid, spec, readings, secrets: found, grace });
        const failures = await secrets.perform({ owner, life }, decision, found);
        const failed = new Set(failures.map(({ cluster }) => cluster));
        return {
          names: decision.names.filter((name) => !failed.has(name)),
          waiting: decision.waiting,
          missing: decision.missed.missing,
          againInSeconds: earlierOf(
            decision.missed.againInSeconds,
            decision.isFreed ? FREED_AGAIN_SECONDS : undefined,
          ),
          problems: [...refused, ...decision.problems, ...failures],
        };
      },
      summarize: ({ names }) => `${names.length} clusters have a secret.`,
    }),
  };
}

// Kubernetes needs a moment to delete a secret; the cluster that is to have its name need not wait for the interval.
const FREED_AGAIN_SECONDS = 15;

/** Reads what a generator asks for; what cannot be read is a problem, and no reason to delete anything. */
async function read(
  sources: ClusterSources,
  generator: Generator,
  {
    index,
    signal,
    known,
    access,
  }: {
    readonly index: number;
    readonly signal: AbortSignal;
    readonly known: readonly string[];
    readonly access: Access | undefined;
  },
): Promise<Reading> {
  const failed = (reason: string, message: string): Reading => ({
    clusters: [],
    places: [],
    unread: [],
    failures: [{ object: `spec.generators[${index}]`, reason, message }],
  });
  const refusal = generatorRefusal(generator, access);
  if (refusal !== undefined) return failed('NotAllowed', `${refusal} Nothing is deleted in the meantime.`);
  try {
    return { ...(await readGenerator(sources, generator, { signal, known })), failures: [] };
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    return failed(
      reasonOf(cause),
      `Cannot read the clusters of spec.generators[${index}]: ${cause.message} Retrying; nothing is deleted in the meantime.`,
    );
  }
}
