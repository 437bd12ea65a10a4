import type { BindingTarget } from '../../../crds/binding-targets.ts';
import type { Marks } from '../generated.ts';
import { hasHeirs } from '../handover.ts';
import { awaitMissing, missingProblems, type Grace, type Missed } from '../missing.ts';
import type { RegisteredTarget } from '../target-group-binding/registered-target.ts';
import type { Problem } from '../sync-status.ts';
import type { ObservedTargetGroupSet } from './observed-target-group-set.ts';
import { expectedSecret } from './former-clusters.ts';
import { sourceParts } from './source-parts.ts';

/** What a set has made of clusters that it does not look into any more, and which of that stays for now. */
export function missedBySet({ uid, readings, groups, bindings, grace }: ObservedTargetGroupSet): {
  readonly missed: Missed;
  readonly isAwaited: (object: Named) => boolean;
  readonly problems: readonly Problem[];
} {
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
    stays: () => 'The AWSTargetGroups of the cluster stay',
    advice: 'bring the Secret or its labels back, or delete the AWSTargetGroups if they are to go now.',
  });
  return { missed, isAwaited, problems };
}

type Named = Pick<Marks, 'annotations'>;

const secretOf = (one: Named): string | undefined => sourceParts(one)?.secret;

/** The clusters in which something is registered that is found by labels, and which have no secret any more. */
export function missedByBinding(
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
    expected: (name) => `Expected an Argo CD cluster secret of cluster ${name} in this namespace, got none`,
    stays: () => 'What is registered of it stays',
    advice: 'bring the Secret back, unless the cluster is to go.',
  });
  return { ...missed, problems };
}
