import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { clusterSet, type Generator } from '../../../crds/cluster-set.ts';
import {
  clusterIdsOf,
  decideClusterSet,
  secretNamesOf,
  type Reading,
  type SourcedCluster,
  type UnreadCluster,
} from '../../../domain/discovery/cluster-set/cluster-set.ts';
import {
  allowedClusters,
  allowedIds,
  generatorRefusal,
} from '../../../domain/discovery/cluster-set/cluster-set-access.ts';
import { earlierOf } from '../../../domain/discovery/missing.ts';
import type { SyncActivities } from '../../contract.ts';
import { attempted, failure, reasonOf, toFailure } from '../../failure.ts';
import { createSetSync, readOwned, type Found, planWrites } from '../owned-objects.ts';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { Metadata } from '../../../crds/resource.ts';
import type { ExistingSecret, DesiredSecret } from '../../../domain/discovery/cluster-set/source-reading.ts';
import { given } from '../../../domain/model/fields.ts';
import { CLUSTER_SECRETS } from '../../../domain/kubernetes/labels.ts';
import { eksPlace, type AwsScope } from '../../../clients/aws/aws-credentials.ts';
import type { DeniedCluster, EKS, EKSCluster } from '../../../clients/aws/eks.ts';
import { clusterSecretValues, configByARN } from '../../../domain/discovery/clusters/cluster-secret.ts';
import { performWrites } from '../../kubernetes/writes.ts';

interface Secret {
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
}

/** A cluster secret, and the version of it that was read. */
export type FoundSecret = ExistingSecret & Found;

/** Finds every cluster secret of a namespace, and whatever else has one of some names. */
export async function findClusterSecrets(
  kubernetes: KubernetesClient,
  namespace: string,
  names: readonly string[],
): Promise<readonly FoundSecret[]> {
  const listed = await kubernetes.list<Secret>(SECRET, { namespace, labelSelector: CLUSTER_SECRETS });
  const known = new Set(listed.map(({ metadata }) => metadata.name));
  const others = await Promise.all(
    [...new Set(names)]
      .filter((name) => !known.has(name))
      .map((name) => kubernetes.get<Secret>(SECRET, { namespace, name })),
  );
  return [...listed, ...others.filter((one) => one !== undefined)].map(existing);
}

const secretBody = ({ content: { name, server, config } }: Pick<FoundSecret, 'content'>) => {
  const written = Object.entries(given({ name, server, config })).filter(([, value]) => value !== '');
  return { type: 'Opaque', data: encodeData(Object.fromEntries(written)) };
};

function existing({ metadata, data = {} }: Secret): FoundSecret {
  const content = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString('utf8'),
  ]);
  return { ...readOwned(metadata), content: Object.fromEntries(content) };
}

/** The data of a Secret; in a patch, what is empty goes. */
export const encodeData = (
  content: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      value === '' ? null : Buffer.from(value).toString('base64'),
    ]),
  );

/** Reads every EKS cluster that there is, with its tags and how it is reached, or throws; `known` are the ids of those that have a secret. */
export type ReadClusters = ReturnType<typeof createReadClusters>;

/** Makes what reads EKS; the region is that of generators which name none. */
export const createReadClusters =
  ({ eks, region: usual }: { readonly eks: (scope: AwsScope) => EKS; readonly region?: string }) =>
  async (
    { region = usual, roleARN, externalID }: Generator['awseks'],
    signal: AbortSignal,
    known: readonly string[],
  ): Promise<Omit<Reading, 'failures'>> => {
    if (region === undefined) {
      throw failure('InvalidObject', 'No region: set awseks.region or the environment variable AWS_REGION.');
    }
    const role = given({ roleARN, externalID });
    const client = eks({ region, ...role });
    const { clusters, denied } = await client.clusters(signal, known);
    const account = (roleARN ?? clusters[0]?.arn)?.split(':')[4] ?? (await client.account());
    return {
      clusters: clusters.map((cluster) => sourced(cluster, role)),
      places: account === undefined ? [] : [eksPlace(region, account)],
      unread: denied.map((cluster) => unread(cluster, region)),
    };
  };

function sourced(
  cluster: EKSCluster,
  role: { readonly roleARN?: string; readonly externalID?: string },
): SourcedCluster {
  const { arn: id, name, region, tags, status, vpcID, endpoint, caData } = cluster;
  const known = { id, name, tags, vpcID, state: stateOf(status), said: status };
  if (endpoint === undefined || caData === undefined) return known;
  const facts = { name, endpoint, caData, region, ...role };
  const { server, config } = clusterSecretValues(facts);
  return { ...known, access: { server, config, configByARN: configByARN(facts) } };
}

function unread({ name, arns, error }: DeniedCluster, region: string): UnreadCluster {
  const cause = toFailure(error);
  const message = `Cannot describe EKS cluster ${name} in ${region}: ${cause.message} Its Secret is kept, if it has one; other clusters are not affected.`;
  return { ids: arns, named: { region, name }, problem: { cluster: name, reason: reasonOf(cause), message } };
}

function stateOf(status: string): SourcedCluster['state'] {
  if (status === 'ACTIVE') return 'Active';
  return status === 'DELETING' ? 'Deleting' : 'Waiting';
}

interface ClusterSetDependencies {
  readonly kubernetes: KubernetesClient;
  readonly readClusters: ReadClusters;
  readonly graceSeconds: number;
}

/** Makes the activities of ClusterSets. */
export function clusterSetActivities({
  kubernetes,
  readClusters,
  graceSeconds,
}: ClusterSetDependencies): Pick<SyncActivities, 'syncClusterSet'> {
  return {
    syncClusterSet: createSetSync({
      kubernetes,
      kind: clusterSet,
      graceSeconds,
      async sync(spec, { owner, life, grace }) {
        const { signal } = life;
        const { key, uid } = owner;
        const known = clusterIdsOf(uid, await findClusterSecrets(kubernetes, key.namespace, []));
        const access = await accessPolicies(kubernetes).of(key.namespace, signal);
        const askable = allowedIds(known, access);
        const answers = await Promise.all(
          spec.generators.map((generator, index) =>
            read(`spec.generators[${index}]`, generatorRefusal(generator, access), signal, () =>
              readClusters(generator.awseks, signal, askable),
            ),
          ),
        );
        const { readings, problems: refused } = allowedClusters(spec.generators, answers, { access, known });
        // What is not selected is nobody's business here: an account may have hundreds of other clusters.
        const found = await findClusterSecrets(kubernetes, key.namespace, secretNamesOf(spec, readings));
        const decision = decideClusterSet({ uid, spec, readings, secrets: found, grace: grace() });
        const writes = planWrites<DesiredSecret>(decision, {
          kubernetes,
          owner,
          ownerKind: clusterSet.kind,
          kind: SECRET,
          found,
          bodyOf: secretBody,
          clusterOf: ({ name, content }) => content.name ?? name,
        });
        const failures = await performWrites(writes, life);
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
  object: string,
  refusal: string | undefined,
  signal: AbortSignal,
  ask: () => ReturnType<ReadClusters>,
): Promise<Reading> {
  const failed = (reason: string, message: string): Reading => ({
    clusters: [],
    places: [],
    unread: [],
    failures: [{ object, reason, message }],
  });
  if (refusal !== undefined) return failed('NotAllowed', `${refusal} Nothing is deleted in the meantime.`);
  const asked = await attempted(signal, ask);
  if (asked.is === 'Answered') return { ...asked.value, failures: [] };
  const message = `Cannot read the clusters of ${object}: ${asked.message} Retrying; nothing is deleted in the meantime.`;
  return failed(asked.reason, message);
}
