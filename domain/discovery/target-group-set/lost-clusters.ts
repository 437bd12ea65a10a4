import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { type Marks, hasHeirs } from '../generated.ts';
import { awaitMissing, missingProblems, type Grace, type Missed } from '../missing.ts';
import type { RegisteredTarget } from '../target-group-binding/registered-target.ts';
import type { Problem } from '../sync-status.ts';
import type { ObservedTargetGroupSet, ExistingGroup } from './observed-target-group-set.ts';
import { parseSource } from './target-group-of-binding.ts';
import { CLUSTER_ID_ANNOTATION, SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import { cut } from '../../text.ts';
import { LONGEST_CLUSTER_NAME } from '../clusters/known-cluster.ts';

/** What a set has made of clusters that it does not look into any more, and which of that stays for now. */
export function findMissedBySet({ uid, readings, groups, bindings, grace }: ObservedTargetGroupSet) {
  const here = new Set(readings.map(({ cluster }) => cluster.secret));
  const own = [...groups, ...bindings].filter((one) => one.owner?.uid === uid && !hasHeirs(one));
  const gone = own.flatMap((one) => secretOf(one) ?? []).filter((secret) => !here.has(secret));
  const missed = awaitMissing(gone, grace);
  const isAwaited = (one: Named): boolean => {
    const secret = secretOf(one);
    // One that has lost where it is from may be of any cluster.
    return secret === undefined ? missed.missing.length > 0 : missed.isAwaited(secret);
  };
  const problems = missingProblems(missed, grace, {
    expected: expectedSecret,
    stays: () => 'The AWSTargetGroups of the cluster are kept',
    advice: 'restore the Secret or its labels, or delete the AWSTargetGroups to remove them now.',
  });
  return { missed, isAwaited, problems };
}

type Named = Pick<Marks, 'annotations'>;

const secretOf = (one: Named): string | undefined => parseSource(one)?.secret;

/** The clusters in which something is registered that is found by labels, and which have no secret any more. */
export function findMissedByBinding(
  registered: readonly RegisteredTarget[],
  {
    targets,
    secrets,
  }: {
    readonly targets: readonly BindingTarget[];
    /** The names of the clusters that have a secret, whoever looks into them; undefined: nobody has looked. */
    readonly secrets: readonly string[] | undefined;
  },
  grace: Grace,
): Missed & { readonly problems: readonly Problem[] } {
  // Of one that is named what was found stays for as long as the object names it.
  const named = targets.map(({ clusterName }) => clusterName);
  const gone = registered
    .flatMap(({ byCluster = [] }) => byCluster)
    .filter(({ cluster, ids }) => ids.length > 0 && !named.includes(cluster))
    .filter(({ cluster }) => secrets !== undefined && !secrets.includes(cluster))
    .map(({ cluster }) => cluster);
  const missed = awaitMissing(gone, grace);
  const problems = missingProblems(missed, grace, {
    expected: (name) => `The Argo CD cluster secret of cluster ${name} in this namespace has been missing`,
    stays: () => 'Its targets stay registered',
    advice: 'restore the Secret, unless the cluster is being removed.',
  });
  return { ...missed, problems };
}

/** What stands for the secret that a cluster had before another has one of that name: no secret is called so. */
const formerSecret = (secret: string, id: string): string =>
  cut(`${secret} (${id.replaceAll('/', '%2F')})`, LONGEST_CLUSTER_NAME);

/** Whether a group is one of those of a cluster whose secret has become another's. */
export const isOfFormerCluster = (group: Pick<ExistingGroup, 'annotations'>): boolean =>
  parseSource(group)?.secret.includes(' ') === true;

function expectedSecret(name: string): string {
  const [, secret, id] = /^(\S+) \((.*?)\)?$/.exec(name) ?? [];
  return secret === undefined || id === undefined
    ? `Secret ${name} of a cluster that this set selects has been missing`
    : `Secret ${secret} has belonged to another cluster than ${id.replaceAll('%2F', '/')}`;
}

/** Marks groups whose secret is another cluster's now: no traffic may move because of that. */
export function markFormerClusters({
  uid,
  readings,
  groups,
}: Pick<ObservedTargetGroupSet, 'uid' | 'readings' | 'groups'>): readonly ExistingGroup[] {
  const ids = new Map(readings.map(({ cluster }) => [cluster.secret, cluster.id]));
  return groups.map((group) => {
    const from = parseSource(group);
    const was = group.annotations[CLUSTER_ID_ANNOTATION];
    const is = ids.get(from?.secret ?? '');
    // Of a secret that someone has written nobody knows whether it is still of the same cluster.
    if (group.owner?.uid !== uid || from === undefined || was === undefined || is === undefined || was === is)
      return group;
    const source = `${formerSecret(from.secret, was)}${from.source.slice(from.secret.length)}`;
    return { ...group, annotations: { ...group.annotations, [SOURCE_ANNOTATION]: source } };
  });
}
