import { digest } from '../../clients/digest.ts';
import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import { AWS_TARGET_GROUP, CHECK, SECRET } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Check } from '../../crds/check.ts';
import type { Metadata } from '../../crds/resource.ts';
import { checksFor, type CheckToMake } from '../../domain/checks/checks-for.ts';
import { HASH_ANNOTATION, isOver } from '../../domain/checks/next-run.ts';
import type { CheckVariables } from '../../domain/checks/variables.ts';
import { COUNT_ANNOTATION, RUN_LABEL, verdictOfAll } from '../../domain/checks/verdict.ts';
import { knownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import {
  BINDING_LABELS,
  CELL_LABEL,
  CLUSTER_SECRETS,
  ROLLOUT_LABEL,
  SOURCE_ANNOTATION,
  STEP_LABEL,
} from '../../domain/kubernetes/labels.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { VersionSet } from '../../domain/versions/version.ts';
import type { CheckActivities, CheckRequest } from '../contract.ts';
import { failure } from '../failure.ts';
import { createOnce } from '../kubernetes/create-once.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';

interface NewCheck {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: object;
}

/** Makes the activities that start, read and end the Checks of a step. */
export function checkStepActivities(kubernetes: KubernetesClient): Omit<CheckActivities, 'runCheck'> {
  const checksOf = ({ namespace, name }: ObjectKey): Promise<readonly Check[]> =>
    kubernetes.list<Check>(CHECK, { namespace, labelSelector: `${RUN_LABEL}=${name}` });
  return {
    async startCheck(request) {
      const key = { namespace: request.cell.key.namespace, name: request.name };
      const known = await checksOf(key);
      const wanted = Number(known[0]?.metadata.annotations?.[COUNT_ANNOTATION] ?? 0);
      if (known.length === 0 || known.length < wanted) await create(kubernetes, request);
      return verdictOfAll(request.name, await checksOf(key));
    },
    readCheck: async (key) => verdictOfAll(key.name, await checksOf(key)),
    async terminateCheck(key) {
      for (const { metadata, status } of await checksOf(key)) {
        if (isOver(status)) continue;
        await terminate(kubernetes, { namespace: key.namespace, name: metadata.name });
      }
    },
  };
}

async function terminate(kubernetes: KubernetesClient, key: ObjectKey): Promise<void> {
  try {
    await kubernetes.patch(CHECK, key, { spec: { terminate: true } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Creates what is not there yet; what was made of an earlier look at the groups stays as it is. */
async function create(kubernetes: KubernetesClient, request: CheckRequest): Promise<void> {
  const { cell, name, check, canary, stable, clusters } = request;
  const variablesOf = await variablesIn(kubernetes, request);
  const made = checksFor({
    name,
    analysis: check.analysis,
    canary:
      canary.groups.length === 0 && clusters !== undefined ? withoutGroups(clusters) : variablesOf(canary),
    stable: variablesOf(stable),
  });
  if (!made.ok) throw failure('CheckInvalid', made.problems.join(' '));
  for (const one of made.value) {
    const key = { namespace: cell.key.namespace, name: one.name };
    await createOnce(kubernetes, { kind: CHECK, key }, () =>
      Promise.resolve(checkOf(one, made.value.length, request)),
    );
  }
}

/** What queries may say of clusters that no load balancer sends traffic to. */
const withoutGroups = (clusters: NonNullable<CheckRequest['clusters']>): readonly CheckVariables[] =>
  clusters.map((cluster) => ({ targetGroupARN: '', listenerARN: '', version: '', ...cluster }));

const checkOf = (
  { name, analysis }: CheckToMake,
  count: number,
  { cell, name: run, rollout, step }: CheckRequest,
): NewCheck => ({
  apiVersion: CHECK.apiVersion,
  kind: CHECK.kind,
  metadata: {
    namespace: cell.key.namespace,
    name,
    labels: {
      [CELL_LABEL]: cell.key.name,
      [STEP_LABEL]: String(step),
      [ROLLOUT_LABEL]: rollout,
      [RUN_LABEL]: run,
    },
    annotations: { [HASH_ANNOTATION]: digest(canonical(analysis)), [COUNT_ANNOTATION]: String(count) },
    ownerReferences: ownedByCell(cell),
  },
  spec: { analysis },
});

type SecretObject = Parameters<typeof knownCluster>[0];

/** Reads what queries may say of target groups: their labels, and the tags of their clusters. */
async function variablesIn(
  kubernetes: KubernetesClient,
  { cell: { key }, check, listenerARN }: CheckRequest,
): Promise<(side: VersionSet) => readonly CheckVariables[]> {
  const [groups, secrets] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
    // Who asks for no tags needs no leave to read Secrets.
    JSON.stringify(check.analysis).includes('.Vars.tags.')
      ? kubernetes.list<SecretObject>(SECRET, { namespace: key.namespace, labelSelector: CLUSTER_SECRETS })
      : [],
  ]);
  const byName = new Map(groups.map((group) => [group.metadata.name, group]));
  const clusters = new Map(
    secrets.map((secret) => knownCluster(secret, decodeBase64)).map((cluster) => [cluster.name, cluster]),
  );
  return ({ version, groups: side }) =>
    side.map(({ name, arn }) => {
      const { labels = {}, annotations = {} } = byName.get(name)?.metadata ?? {};
      const [fromBinding = ''] = (annotations[SOURCE_ANNOTATION] ?? '').split('/');
      const clusterName = fromBinding === '' ? (labels[BINDING_LABELS.cluster] ?? '') : fromBinding;
      const tags = clusters.get(clusterName)?.tags;
      return {
        clusterName,
        targetGroupARN: arn,
        listenerARN,
        version,
        labels,
        ...(tags === undefined ? {} : { tags }),
      };
    });
}
