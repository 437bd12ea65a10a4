import type { ApplicationOfCell, ClusterOfCell } from '../../crds/application.ts';
import type { ApplicationsSpec } from '../../crds/cell.ts';
import type { ObservedCluster, ObservedRevision, ResolvedCluster } from './observation.ts';
import { secretNameOf } from '../discovery/cluster-set/cluster-set.ts';
import { eksNameOf, resolveApplications, type Facts, type FoundBinding } from './resolve.ts';

/** What is known of a Cell with applications without EKS and without its clusters. */
interface Known {
  readonly spec: ApplicationsSpec;
  /** Newest first, by the name of the application. */
  readonly revisions: ReadonlyMap<string, readonly ObservedRevision[]>;
  readonly digest: Facts['digest'];
}

/** Takes it for granted that clusters are ready and have target groups, and says so in sentences without an end; what a revision has kept of them is known. */
export function assumeFacts({ spec, revisions, digest }: Known) {
  const kept = [...revisions.values()].flatMap((all) => all.slice(0, 1));
  const clusters = spec.clusters.map((cluster) => assumeCluster(cluster, kept));
  const bindings = spec.applications.map((application) =>
    bindingsOf(application, spec.clusters, revisions.get(application.name)?.[0]),
  );
  const resolved = resolveApplications({
    clusters: { written: spec.clusters, observed: clusters },
    applications: spec.applications,
    bindings: Object.fromEntries(bindings.map(({ name, found }) => [name, found])),
    digest,
  });
  const made = bindings.flatMap(({ name, assumed }) => {
    const one = resolved[name];
    const used = one?.ok === true ? one.value.clusters.map((cluster) => cluster.name) : [];
    return assumed.filter((cluster) => used.includes(cluster));
  });
  const hasTags = spec.applications.some((one) => Object.keys(tagsIn(one)).length > 0);
  return {
    resolved,
    assumed: [
      'EKS knows the clusters, and they are ready',
      ...(hasTags ? ['clusters have the tags in EKS that their labels in the Cell say'] : []),
      ...[...new Set(made)].map((name) => `cluster ${name} has a TargetGroupBinding for each selector`),
    ],
  };
}

/** Whether an application no longer resolves to a revision, whatever is unknown about clusters in EKS and TargetGroupBindings. */
export function isSupersededBy(
  { spec, digest }: Pick<Known, 'spec' | 'digest'>,
  application: ApplicationOfCell,
  revision: ObservedRevision,
): boolean {
  const isKept = ({ name }: ClusterOfCell): boolean =>
    revision.content.clusters.some((one) => one.name === name);
  // What tags others have is unknown.
  const clusters = Object.hasOwn(application.clusterSelector ?? {}, 'matchEKSTags')
    ? spec.clusters.filter(isKept)
    : spec.clusters;
  const revisions = new Map([[application.name, [revision]]]);
  const { resolved } = assumeFacts({
    spec: { ...spec, clusters, applications: [application] },
    revisions,
    digest,
  });
  const now = resolved[application.name];
  return now?.ok !== true || now.hash !== revision.hash;
}

/** A cluster as it was when it was looked at last, or else as it has to be. */
function assumeCluster(
  { name, eks, labels = {} }: ClusterOfCell,
  kept: readonly ObservedRevision[],
): ObservedCluster {
  const eksName = eksNameOf({ name, eks });
  const last = kept
    .flatMap(({ content }) => content.clusters)
    .find((one) => one.name === name && one.eksName === eksName);
  const found: ResolvedCluster = last ?? {
    name,
    eksName,
    server: `https://${eksName}.invalid`,
    certificateAuthority: '',
    secretName: secretNameOf(eksName),
  };
  // Tags are in EKS alone; those by which an application has selected the cluster are known.
  const selecting = kept.filter(({ content }) => content.clusters.some((one) => one.eksName === eksName));
  const tags = Object.assign({}, labels, ...selecting.map(({ content }) => tagsIn(content.application)));
  return { name, found, tags, isReady: true, message: 'It is ready.' };
}

const tagsIn = ({ clusterSelector: { matchEKSTags = {} } = {} }: ApplicationOfCell) => matchEKSTags;

function bindingsOf(
  { name, alb }: ApplicationOfCell,
  clusters: readonly ClusterOfCell[],
  kept: ObservedRevision | undefined,
): { name: string; found: Record<string, FoundBinding>; assumed: readonly string[] } {
  if (alb?.forwardConfig.targetGroup.targetgroupBindingSelector === undefined)
    return { name, found: {}, assumed: [] };
  const owner = alb.listenerARN.split(':').slice(0, 5).join(':');
  const knownARN = (cluster: string): string | undefined =>
    kept?.content.targetGroups.find((group) => group.clusters.includes(cluster))?.arn;
  const assumedARN = (cluster: string): string =>
    `${owner}:targetgroup/${cluster.replaceAll(/[^A-Za-z0-9-]/g, '-').slice(0, 32)}/assumed`;
  const names = clusters.map((one) => one.name);
  return {
    name,
    found: Object.fromEntries(names.map((one) => [one, { ok: true, arn: knownARN(one) ?? assumedARN(one) }])),
    assumed: names.filter((one) => knownARN(one) === undefined),
  };
}
