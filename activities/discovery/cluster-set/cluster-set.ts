import { given } from '../../../domain/model/fields.ts';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import { CLUSTER_SET } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { clusterSet, type ClusterSet, type Generator } from '../../../crds/cluster-set.ts';
import {
  clusterIdsOf,
  decideClusterSet,
  secretNamesOf,
  type Reading,
} from '../../../domain/discovery/cluster-set/cluster-set.ts';
import type { Access } from '../../../domain/access/access.ts';
import {
  allowedClusters,
  allowedIds,
  generatorRefusal,
} from '../../../domain/discovery/cluster-set/cluster-set-access.ts';
import { earlierOf, type Missing } from '../../../domain/discovery/missing.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import {
  namesOf,
  saysTheSame,
  deriveSyncStatus,
  type Problem,
} from '../../../domain/discovery/sync-status.ts';
import { cut } from '../../../domain/text.ts';
import { createClusterSecrets } from './cluster-secrets.ts';
import { readGenerator, type ClusterSources } from './cluster-sources.ts';
import type { SyncActivities } from '../../contract.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import { startLifetime, type Lifetime } from '../lifetime.ts';
import { createReadReporter } from '../../kubernetes/status-reporter.ts';

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
  const report = createReadReporter(kubernetes);
  const secrets = createClusterSecrets(kubernetes);

  /** Makes the secrets what they are to be; says which clusters have one, and what is wrong. */
  async function sync(object: ClusterSet, key: ObjectKey, life: Lifetime): Promise<Outcome> {
    const parsed = clusterSet.parseSpec(object.spec);
    if (!parsed.ok) {
      return {
        names: object.status?.clusters?.names ?? [],
        waiting: [],
        missing: object.status?.missing ?? [],
        problems: parsed.problems.map((message) => ({ reason: 'InvalidObject', message })),
      };
    }
    const spec = parsed.value;
    const { signal } = life;
    const uid = object.metadata.uid ?? '';
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
    const failures = await secrets.perform({ owner: { key, uid }, life }, decision, found);
    const failed = new Set(failures.map(({ cluster }) => cluster));
    const isMade = (name: string): boolean => !failed.has(name);
    return {
      names: decision.names.filter(isMade),
      waiting: decision.waiting,
      missing: decision.missed.missing,
      againInSeconds: earlierOf(
        decision.missed.againInSeconds,
        decision.isFreed ? FREED_AGAIN_SECONDS : undefined,
      ),
      problems: [...refused, ...decision.problems, ...failures],
    };
  }

  return {
    async syncClusterSet(key) {
      const life = startLifetime();
      const object = await kubernetes.get<ClusterSet>(CLUSTER_SET, key);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
        return { isPresent: false, message: 'The ClusterSet is gone.' };
      }
      const outcome = await sync(object, key, life);
      life.assert();
      const status = statusOf(object, outcome);
      if (!saysTheSame(status, object.status)) await report(CLUSTER_SET, object, status, life.signal);
      return {
        isPresent: true,
        message: status.message ?? '',
        ...given({ againInSeconds: outcome.againInSeconds }),
      };
    },
  };
}

// Kubernetes needs a moment to delete a secret; the cluster that is to have its name need not wait for the interval.
const FREED_AGAIN_SECONDS = 15;

interface Outcome {
  readonly names: readonly string[];
  readonly waiting: readonly string[];
  readonly missing: readonly Missing[];
  readonly againInSeconds?: number | undefined;
  readonly problems: readonly Problem[];
}

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
  const refusal = generatorRefusal(generator, access);
  if (refusal !== undefined) {
    const message = `${refusal} Nothing is deleted in the meantime.`;
    return {
      clusters: [],
      places: [],
      unread: [],
      failures: [{ object: `spec.generators[${index}]`, reason: 'NotAllowed', message }],
    };
  }
  try {
    return { ...(await readGenerator(sources, generator, { signal, known })), failures: [] };
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    const reason = reasonOf(cause);
    const message = `Cannot read the clusters of spec.generators[${index}]: ${cause.message} Retrying; nothing is deleted in the meantime.`;
    const failures = [{ object: `spec.generators[${index}]`, reason, message }];
    return { clusters: [], places: [], unread: [], failures };
  }
}

function statusOf({ metadata, status = {} }: ClusterSet, { names, waiting, missing, problems }: Outcome) {
  const message = [`${names.length} clusters have a secret.`, ...waiting.map((one) => `${one}.`)].join(' ');
  const at = { generation: metadata.generation ?? 0, time: new Date().toISOString() };
  return {
    ...deriveSyncStatus({ message: cut(message, 2048), problems }, status, at),
    clusters: namesOf(names),
    ...(missing.length === 0 ? {} : { missing }),
  };
}
