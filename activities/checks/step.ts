import { digest } from '../../clients/digest.ts';
import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import { AWS_TARGET_GROUP, CHECK, SECRET } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Check } from '../../crds/check.ts';
import type { Metadata } from '../../crds/resource.ts';
import { checksFor } from '../../domain/checks/checks-for.ts';
import { HASH_ANNOTATION, isOver } from '../../domain/checks/next-run.ts';
import type { CheckVariables } from '../../domain/checks/question.ts';
import { COUNT_ANNOTATION, RUN_LABEL, verdictOfAll } from '../../domain/checks/verdict.ts';
import { readKnownCluster, type KnownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { parseSource } from '../../domain/discovery/target-group-set/target-group-of-binding.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { BINDING_LABELS, CLUSTER_SECRETS } from '../../domain/kubernetes/labels.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { VersionSet } from '../../domain/versions/version.ts';
import type { CheckActivities, CheckRequest } from '../contract.ts';
import { failure } from '../failure.ts';
import { createOnce } from '../kubernetes/writes.ts';
import { measuringObject } from '../kubernetes/owner-references.ts';

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
        const { namespace } = key;
        const ending = { spec: { terminate: true } };
        await unlessMissing(kubernetes.patch(CHECK, { namespace, name: metadata.name }, ending));
      }
    },
  };
}

/** Creates what is not there yet; what was made of an earlier look at the groups stays as it is. */
async function create(kubernetes: KubernetesClient, request: CheckRequest): Promise<void> {
  const { cell, name: run, check } = request;
  const made = checksFor({
    name: run,
    analysis: check.analysis,
    ...(await variablesOf(kubernetes, request)),
  });
  if (!made.ok) throw failure('CheckInvalid', made.problems.join(' '));
  const count = String(made.value.length);
  for (const { name, analysis } of made.value) {
    const annotations = { [HASH_ANNOTATION]: digest(canonical(analysis)), [COUNT_ANNOTATION]: count };
    const marks = { labels: { [RUN_LABEL]: run }, annotations };
    const object = measuringObject(CHECK, { ...request, name }, { analysis }, marks);
    const key = { namespace: cell.key.namespace, name };
    await createOnce(kubernetes, { kind: CHECK, key }, () => Promise.resolve(object));
  }
}

type SecretObject = Parameters<typeof readKnownCluster>[0];
type ClustersBySecret = ReadonlyMap<string, KnownCluster>;

async function variablesOf(
  kubernetes: KubernetesClient,
  { cell: { key }, check, listenerARN, canary, stable, clusters }: CheckRequest,
): Promise<Record<'canary' | 'stable', readonly CheckVariables[]>> {
  const groups = await kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace });
  const metadataOf = new Map(groups.map(({ metadata }) => [metadata.name, metadata]));
  const text = JSON.stringify(check.analysis);
  const asksFor = (variable: string): boolean => text.includes(`.Vars.${variable}`);
  const isSourced = [...canary.groups, ...stable.groups].some(
    ({ name }) => sourceOf(metadataOf.get(name)) !== undefined,
  );
  // A check that asks nothing of clusters needs no permission to read Secrets.
  const asksSecrets =
    asksFor('tags.') || (isSourced && (asksFor('clusterName') || asksFor('eksClusterName')));
  const secrets = asksSecrets
    ? await kubernetes.list<SecretObject>(SECRET, {
        namespace: key.namespace,
        labelSelector: CLUSTER_SECRETS,
      })
    : [];
  const bySecret = new Map(
    secrets
      .map((secret) => readKnownCluster(secret, decodeBase64))
      .map((cluster) => [cluster.secret, cluster]),
  );
  const sideOf = ({ version, groups: side }: VersionSet): readonly CheckVariables[] =>
    side.map(({ name, arn }) => {
      const metadata = metadataOf.get(name);
      const labels = metadata?.labels ?? {};
      return { ...clusterOf(metadata, bySecret), targetGroupARN: arn, listenerARN, version, labels };
    });
  const withoutGroups = clusters?.map(({ secretName, ...cluster }) => ({
    ...cluster,
    targetGroupARN: '',
    listenerARN: '',
    version: '',
    tags: bySecret.get(secretName)?.tags,
  }));
  const canaryIs = canary.groups.length === 0 ? withoutGroups : undefined;
  return { canary: canaryIs ?? sideOf(canary), stable: sideOf(stable) };
}

const sourceOf = ({ annotations = {} }: Partial<Metadata> = {}): string | undefined =>
  parseSource({ annotations })?.secret;

/** The cluster of a group: of two clusters with one name, only a secret says which one it is. */
function clusterOf(
  metadata: Metadata | undefined,
  bySecret: ClustersBySecret,
): Pick<CheckVariables, 'clusterName' | 'tags'> {
  const label = metadata?.labels?.[BINDING_LABELS.cluster] ?? '';
  const secret = sourceOf(metadata);
  const [named, ...others] = [...bySecret.values()].filter(({ name }) => name === label);
  const unique = others.length === 0 ? named : undefined;
  const cluster = secret === undefined ? unique : bySecret.get(secret);
  return { clusterName: cluster?.name ?? label, tags: cluster?.tags };
}
