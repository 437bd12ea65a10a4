import { AWS_TARGET_GROUP, CELL, SECRET } from '../../clients/kubernetes/kinds.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Metadata } from '../../crds/resource.ts';
import { childName } from '../../domain/applications/names.ts';
import { watchedApplications } from '../../domain/applications/watched.ts';
import { canonical, compareText } from '../../domain/kubernetes/canonical.ts';
import { CELL_LABEL, CLUSTER_SECRETS } from '../../domain/kubernetes/labels.ts';
import { targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import { configViewOf, readConfig } from '../load-balancers/config-object.ts';
import { findRevisions } from './revisions.ts';
import { digest } from '../../clients/digest.ts';
import { isForbidden, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { isSupersededBy } from '../../domain/applications/assumed.ts';
import type { ObservedApplication, ObservedApplications } from '../../domain/applications/observation.ts';
import { recorded } from '../../domain/applications/revisions.ts';
import { resolveApplications } from '../../domain/applications/resolve.ts';
import { unusedSecrets } from '../../domain/applications/secrets.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { given } from '../../domain/model/fields.ts';
import { freezesIn } from '../kubernetes/freezes.ts';
import { findBindings, lookAtClusters, unseenClusters, type LookedAtCluster } from './clusters.ts';
import { findChild, observedChild, observedGroups } from './child.ts';
import { readCell, type ApplicationsDependencies, type ReadCell } from './dependencies.ts';
import { deploymentOf, leftOn, readArgoCD, targetsOf, type ArgoCD } from './deployments.ts';
import { findMeasurements } from './measurements.ts';
import { findSecrets } from './secrets.ts';

/** Reads a Cell with applications, and all that its rollout depends on. */
export async function observeApplications(
  key: ObjectKey,
  dependencies: ApplicationsDependencies,
  { signal, withoutClusters = false }: { readonly signal: AbortSignal; readonly withoutClusters?: boolean },
): Promise<ObservedApplications> {
  const { kubernetes } = dependencies;
  const read = await readCell(kubernetes, key);
  const nothing = { key, clusters: [], secrets: [], applications: [], freezes: [], digest: '' };
  if (read === undefined) return nothing;
  const { spec, problems } = read;
  const { metadata, status = {} } = read.object;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const cell = { uid: read.uid, generation: metadata.generation ?? 0, isDeleting, spec, status, problems };
  const parts = await readParts(read, kubernetes);
  const { groups, cells, marked, access, revisions } = parts;
  // Watchers look at the same.
  const watched = watchedApplications(read.object, { groups, cells, secrets: marked }, access);
  const seen = { ...nothing, cell, digest: digest(watched) };
  if (isDeleting) return seen;
  // What cannot be read only takes traffic back, which needs nothing else.
  if (problems.length > 0) {
    const applications = await observeAll(read, { ...parts, resolved: {} }, kubernetes);
    return recorded({ ...seen, applications }, digest);
  }
  const looked = withoutClusters ? unseenClusters(spec) : await lookAtClusters(read, dependencies, signal);
  const facts = await resolve(spec, looked);
  const known = facts.clusters.flatMap(({ found }) => found ?? []);
  const kept = [...revisions.values()].flat().flatMap(({ content }) => content.clusters);
  const secrets =
    spec.applications.some(({ argocd }) => argocd !== undefined) || marked.length > 0
      ? await findSecrets(kubernetes, key, [...known, ...kept])
      : [];
  const unused = unusedSecrets(secrets.map(({ observed }) => observed));
  const isNamed = spec.applications.some(({ argocd }) => argocd?.applicationSet !== undefined);
  const [argoCD, measurements, freezes] = await Promise.all([
    // It may have more than what is urgent can wait for.
    withoutClusters
      ? undefined
      : isNamed || unused.length > 0
        ? readArgoCD(kubernetes, key.namespace)
        : { sets: [], applications: [] },
    findMeasurements(kubernetes, read),
    freezesIn(kubernetes, [key.namespace]),
  ]);
  const world = { ...parts, ...facts, secrets, argoCD, measurements };
  const applications = await observeAll(read, world, kubernetes);
  const all = {
    ...seen,
    clusters: facts.clusters,
    ...(withoutClusters ? { isWithoutClusters: true as const } : {}),
    secrets: secrets.map(({ observed, found }) => ({
      ...observed,
      ...(argoCD !== undefined && unused.includes(observed)
        ? given({ leftApplication: leftOn(found, argoCD, spec.applications, revisions) })
        : {}),
    })),
    applications,
    freezes,
  };
  return recorded(all, digest);
}

/** Says what each application comes to by what was seen of the clusters. */
export async function resolve(spec: ReadCell['spec'], looked: readonly LookedAtCluster[]) {
  const bindings = await findBindings(spec.applications, looked);
  const clusters = looked.map(({ observed }) => observed);
  const resolved = resolveApplications({
    clusters: { written: spec.clusters, observed: clusters },
    applications: spec.applications,
    bindings,
    digest,
  });
  return { clusters, resolved };
}

/** By what an application is observed; what is left out nobody has looked at. */
interface World extends Awaited<ReturnType<typeof readParts>> {
  readonly resolved: ReturnType<typeof resolveApplications>;
  readonly secrets?: Awaited<ReturnType<typeof findSecrets>>;
  readonly argoCD?: ArgoCD | undefined;
  readonly measurements?: Awaited<ReturnType<typeof findMeasurements>>;
}

/** Observes each application by what was read of its Cell. */
const observeAll = (
  read: ReadCell,
  world: World,
  kubernetes: KubernetesClient,
): Promise<readonly ObservedApplication[]> => {
  const { key, spec } = read;
  const observeOne = async (application: ApplicationOfCell): Promise<ObservedApplication> => {
    const { name } = application;
    const revisions = world.revisions.get(name) ?? [];
    const resolved = world.resolved[name] ?? { ok: false, problems: [] };
    const [newest] = revisions;
    const isSuperseded =
      newest !== undefined && !resolved.ok && isSupersededBy({ spec, digest }, application, newest);
    const wanted = resolved.ok ? resolved.value : undefined;
    const [found, forwardHash] = await Promise.all([
      findChild(kubernetes, read, { application: name, wanted, all: world.groups }),
      forwardHashOf(kubernetes, key, application),
    ]);
    const child = observedChild(read, revisions, found);
    const targets = targetsOf({ name, resolved, revisions }, world.secrets ?? []);
    const deployments = deploymentOf(application, targets, world.argoCD);
    return {
      name,
      resolved,
      ...(isSuperseded ? { isSuperseded } : {}),
      revisions,
      ...given({ deployments, child }),
      targetGroups: observedGroups(found),
      forwardHash,
      measurements: world.measurements?.get(name) ?? [],
    };
  };
  return Promise.all(spec.applications.map(observeOne));
};

/** Digest of the forward config of an application: what `alb` says, and the target groups that get traffic now. */
async function forwardHashOf(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  { name, alb }: ApplicationOfCell,
): Promise<string> {
  const child = { namespace: key.namespace, name: childName(key.name, name) };
  const ref = { type: 'AWSApplicationLoadBalancer', key: child } as const;
  const object = await readConfig(kubernetes, ref);
  const observed = object && configViewOf(ref, object).status.observed;
  const served = observed === undefined ? [] : targetGroupsOf(observed).filter(({ weight }) => weight > 0);
  return digest(canonical([alb, served.map(({ arn }) => arn).toSorted(compareText)]));
}

async function readParts({ key, spec, uid }: ReadCell, kubernetes: KubernetesClient) {
  const { namespace, name } = key;
  const labelSelector = `${CELL_LABEL}=${name}`;
  const marks = { namespace, labelSelector: `${CLUSTER_SECRETS},${labelSelector}` };
  const marked = kubernetes.list<{ readonly metadata: Metadata }>(SECRET, marks).catch((error: unknown) => {
    // Who may not read any Secret needs none, as long as no application asks for one.
    if (isForbidden(error) && spec.applications.every(({ argocd }) => argocd === undefined)) return [];
    throw error;
  });
  const [groups, cells, secrets, revisions, access] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
    kubernetes.list<Cell>(CELL, { namespace, labelSelector }),
    marked,
    findRevisions(kubernetes, { key, uid }),
    accessPolicies(kubernetes).of(namespace),
  ]);
  return { groups, cells, marked: secrets, revisions, access };
}
