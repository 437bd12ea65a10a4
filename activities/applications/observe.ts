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
import type {
  ObservedApplication,
  ObservedApplications,
  ObservedRevision,
} from '../../domain/applications/observation.ts';
import { recorded } from '../../domain/applications/revisions.ts';
import { resolveApplications, type Resolution } from '../../domain/applications/resolve.ts';
import { unusedSecrets } from '../../domain/applications/secrets.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { given } from '../../domain/model/fields.ts';
import { freezesIn } from '../kubernetes/freezes.ts';
import { findBindings, lookAtClusters, unseenClusters, type LookedAtCluster } from './clusters.ts';
import { findChild, groupNames, observedChild, observedGroups } from './child.ts';
import { readCell, type ApplicationsDependencies, type ReadCell } from './dependencies.ts';
import { deploymentOf, leftOn, readArgoCD, targetsOf, type ArgoCD } from './deployments.ts';
import { findMeasurements } from './measurements.ts';
import { findSecrets } from './secrets.ts';

/** How a look is made. */
export interface Looking {
  readonly signal: AbortSignal;
  /** Whether EKS and the clusters are left out. */
  readonly withoutClusters?: boolean;
}

/** Reads a Cell with applications, and all that its rollout depends on. */
export async function observeApplications(
  key: ObjectKey,
  dependencies: ApplicationsDependencies,
  { signal, withoutClusters = false }: Looking,
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
  const seen = { ...nothing, cell, digest: digestOf(read, parts) };
  if (isDeleting) return seen;
  // What cannot be read only takes traffic back, which needs nothing else.
  if (problems.length > 0) {
    const applications = await observeAll(read, { ...parts, resolved: {} }, kubernetes);
    return recorded({ ...seen, applications }, digest);
  }
  const looked = withoutClusters ? unseenClusters(spec) : await lookAtClusters(read, dependencies, signal);
  const facts = await factsOf(spec, looked);
  const { revisions } = parts;
  const known = facts.clusters.flatMap(({ found }) => found ?? []);
  const kept = [...revisions.values()].flat().flatMap(({ content }) => content.clusters);
  const secrets =
    spec.applications.some(({ argocd }) => argocd !== undefined) || parts.marked.length > 0
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
  const naming = { applications: spec.applications, revisions };
  const all = {
    ...seen,
    clusters: facts.clusters,
    ...(withoutClusters ? { isWithoutClusters: true as const } : {}),
    secrets: secrets.map(({ observed, found }) => ({
      ...observed,
      ...given({
        leftApplication: argoCD && unused.includes(observed) ? leftOn(found, argoCD, naming) : undefined,
      }),
    })),
    applications,
    freezes,
  };
  return recorded(all, digest);
}

interface ResolvedFacts {
  readonly clusters: ObservedApplications['clusters'];
  readonly resolved: Readonly<Record<string, Resolution>>;
}

/** Asks EKS and the clusters, and says what each application comes to. */
export async function resolve(
  read: ReadCell,
  dependencies: ApplicationsDependencies,
  signal: AbortSignal,
): Promise<ResolvedFacts> {
  return await factsOf(read.spec, await lookAtClusters(read, dependencies, signal));
}

/** Says what each application comes to by what was seen of the clusters. */
async function factsOf(spec: ReadCell['spec'], looked: readonly LookedAtCluster[]): Promise<ResolvedFacts> {
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
interface World extends Parts, Pick<ResolvedFacts, 'resolved'> {
  readonly secrets?: Awaited<ReturnType<typeof findSecrets>>;
  readonly argoCD?: ArgoCD | undefined;
  readonly measurements?: Awaited<ReturnType<typeof findMeasurements>>;
}

const observeAll = (
  read: ReadCell,
  world: World,
  kubernetes: KubernetesClient,
): Promise<readonly ObservedApplication[]> =>
  Promise.all(
    read.spec.applications.map((application) => observeApplication(read, application, { world, kubernetes })),
  );

/** Observes one application by what was read of its Cell. */
async function observeApplication(
  read: ReadCell,
  application: ApplicationOfCell,
  { world, kubernetes }: { readonly world: World; readonly kubernetes: KubernetesClient },
): Promise<ObservedApplication> {
  const { name } = application;
  const revisions = world.revisions.get(name) ?? [];
  const resolved = world.resolved[name] ?? { ok: false, problems: [] };
  const [newest] = revisions;
  const isSuperseded =
    newest !== undefined && !resolved.ok && isSupersededBy({ spec: read.spec, digest }, application, newest);
  const [found, forwardHash] = await Promise.all([
    findChild(kubernetes, read, {
      application: name,
      names: groupNames(read, resolved.ok ? [resolved.value] : []),
      all: world.groups,
    }),
    forwardHashOf(kubernetes, read.key, application),
  ]);
  const child = observedChild(read, revisions, found);
  const deployments = deploymentOf(
    application,
    targetsOf(name, { resolved, revisions, secrets: world.secrets ?? [] }),
    world.argoCD,
  );
  return {
    name,
    resolved,
    ...(isSuperseded ? { isSuperseded } : {}),
    revisions,
    ...given({ deployments, child }),
    targetGroups: observedGroups(found.groups, found.object?.metadata.uid),
    forwardHash,
    measurements: world.measurements?.get(name) ?? [],
  };
}

/** Digest of the forward config of an application: what `alb` says, and the target groups that get traffic now. */
const forwardHashOf = async (
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  { name, alb }: ApplicationOfCell,
): Promise<string> => digest(canonical([alb, await servedBy(kubernetes, key, name)]));

/** The target groups that an application's rule gives traffic to now. */
async function servedBy(
  kubernetes: Pick<KubernetesClient, 'get'>,
  { namespace, name }: ObjectKey,
  application: string,
): Promise<readonly string[]> {
  const type = 'AWSApplicationLoadBalancer';
  const ref = { type, key: { namespace, name: childName(name, application) } } as const;
  const object = await readConfig(kubernetes, ref);
  const observed = object === undefined ? undefined : configViewOf(ref, object).status.observed;
  if (observed === undefined) return [];
  return targetGroupsOf(observed)
    .flatMap(({ arn, weight }) => (weight > 0 ? [arn] : []))
    .toSorted(compareText);
}

/** What of the Cell's own there is in its namespace. */
interface Parts {
  readonly groups: readonly AWSTargetGroup[];
  readonly cells: readonly Cell[];
  readonly marked: readonly { readonly metadata: Metadata }[];
  readonly revisions: ReadonlyMap<string, readonly ObservedRevision[]>;
  readonly access: Awaited<ReturnType<ReturnType<typeof accessPolicies>['of']>>;
}

/** Reads what of a Cell's own there is in its namespace. */
async function readParts(read: ReadCell, kubernetes: KubernetesClient): Promise<Parts> {
  const { namespace, name } = read.key;
  const labelSelector = `${CELL_LABEL}=${name}`;
  const [groups, cells, marked, revisions, access] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
    kubernetes.list<Cell>(CELL, { namespace, labelSelector }),
    secretsOf(kubernetes, read),
    findRevisions(kubernetes, read),
    accessPolicies(kubernetes).of(namespace),
  ]);
  return { groups, cells, marked, revisions, access };
}

/** The cluster secrets of a Cell; none for who may not read any, as long as no application asks for one. */
async function secretsOf(
  kubernetes: KubernetesClient,
  { key, spec }: ReadCell,
): Promise<readonly { readonly metadata: Metadata }[]> {
  const labelSelector = `${CLUSTER_SECRETS},${CELL_LABEL}=${key.name}`;
  try {
    return await kubernetes.list(SECRET, { namespace: key.namespace, labelSelector });
  } catch (error) {
    if (isForbidden(error) && spec.applications.every(({ argocd }) => argocd === undefined)) return [];
    throw error;
  }
}

/** Identifies what watchers look at, too. */
const digestOf = ({ object }: ReadCell, { groups, cells, marked, access }: Parts): string =>
  digest(watchedApplications(object, { groups, cells, secrets: marked }, access));
