import type {
  ClusterReading,
  ExistingBinding,
  ObservedTargetGroupSet,
  RemoteBinding,
} from './observed-target-group-set.ts';
import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import { compareText } from '../../kubernetes/canonical.ts';
import {
  compareGenerated,
  type Existing,
  hasHeirs,
  letGo,
  selectClaims,
  selectDesiredGroups,
} from '../generated.ts';
import { bindingsTakenBy, generatorLooksInto } from './looks-into.ts';
import { isOfFormerCluster, markFormerClusters, findMissedBySet } from './lost-clusters.ts';
import { lostKindsIn, findUnreadSources } from './unread-sources.ts';
import { matches } from '../../kubernetes/selector.ts';
import type { Problem } from '../sync-status.ts';
import { nameGroups } from './target-group-names.ts';
import {
  deriveGroup,
  type SourcedGroup,
  parseSource,
  renderBinding,
  dropRivals,
} from './target-group-of-binding.ts';

/** Says which AWSTargetGroups and AWSTargetGroupBindings to make, change and delete; those of a cluster that cannot be read, or was there a moment ago, stay. */
export function decideTargetGroupSet(seen: ObservedTargetGroupSet) {
  const observed = { ...seen, groups: markFormerClusters(seen) };
  const problems: Problem[] = observed.readings.flatMap(({ cluster, found }) =>
    found.ok ? [] : [{ cluster: cluster.name, reason: found.reason, message: found.message }],
  );
  const { missed, isAwaited, problems: missing } = findMissedBySet(observed);
  const bindings = decideBindings(observed, isAwaited);
  const sources = [
    ...observed.readings.flatMap((reading) => groupsIn(observed.spec, reading)),
    ...bindings.groups,
  ];
  const unusable = sources.filter(({ asked }) => asked === undefined);
  // What is bound, but cannot be used as it is now, keeps what it had before.
  const unusableSources = new Set(unusable.map(({ source }) => source));
  const asking = sources.flatMap(({ asked }) => asked ?? []);
  const own = observed.groups.filter(({ owner }) => owner?.uid === observed.uid);
  const lost = lostKindsIn(observed, own, asking);
  const unread = findUnreadSources(observed.readings, { unrendered: bindings.unrendered, lost });
  const named = nameGroups(asking, {
    ...observed,
    isSpared: (group) =>
      unread.mayHide(group) ||
      unusableSources.has(sourceOf(group)) ||
      // It keeps its name until it is gone, but not its target group from a binding that has the very same.
      (isOfFormerCluster(group) && !asking.some(({ arn }) => arn === group.arn)),
  });
  const kept = new Set([...unusableSources, ...named.kept]);
  const unwanted = own.filter(({ name }) => !named.groups.some((group) => group.name === name));
  const leaving = unwanted.filter((group) => !unread.mayHide(group) && !kept.has(sourceOf(group)));
  const me = { uid: observed.uid, kind: 'AWSTargetGroupSet' };
  return {
    groups: {
      ...compareGenerated(named.groups, own, (group, wanted) => group.arn === wanted.arn),
      ...letGo(leaving.filter((group) => hasHeirs(group) || !isAwaited(group))),
      claim: selectClaims(
        selectDesiredGroups(observed.groups, { uid: me.uid, asking, bindings: bindings.taken }),
        me,
      ),
    },
    bindings: { ...bindings.changes, claim: selectClaims(bindings.taken, me) },
    problems: [
      ...problems,
      ...lost.problems,
      ...missing,
      ...bindings.problems,
      ...unusable.flatMap((source) => source.problems),
      ...unread.problemsOf(unwanted),
      ...named.problems,
    ],
    missed,
  };
}

const sourceOf = (object: Pick<Existing, 'annotations'>): string => parseSource(object)?.source ?? '';

function groupsIn(spec: AWSTargetGroupSetSpec, { cluster, found }: ClusterReading): readonly SourcedGroup[] {
  if (!found.ok) return [];
  const isWanted = ({ labels }: RemoteBinding): boolean =>
    spec.generators.some(
      (generator) =>
        generatorLooksInto(generator, cluster) && matches(bindingsTakenBy(generator, spec), labels),
    );
  return found.bindings
    .filter((binding) => !binding.isDeleting && isWanted(binding))
    .toSorted((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name))
    .map((binding) => deriveGroup(spec, cluster, binding));
}

function decideBindings(observed: ObservedTargetGroupSet, isAwaited: (binding: ExistingBinding) => boolean) {
  const own = observed.bindings.filter(({ owner }) => owner?.uid === observed.uid);
  const { bindingTemplate: template } = observed.spec;
  const rendered = dropRivals(
    template === undefined
      ? []
      : observed.readings.map(({ cluster }) => renderBinding(observed, template, cluster)),
    own,
    isAwaited,
  );
  const wanted = rendered.flatMap(({ binding }) => binding ?? []);
  const failed = rendered.filter(({ binding }) => binding === undefined);
  const unrendered = failed.map(({ cluster }) => cluster.secret);
  // A template that cannot be filled in for a cluster does not say which binding is the one of that cluster.
  const mayBeWanted = (one: ExistingBinding): boolean => {
    const secret = parseSource(one)?.secret;
    return secret === undefined ? unrendered.length > 0 : unrendered.includes(secret);
  };
  const gone = own
    .filter(({ name, isDeleting }) => isDeleting !== true && !wanted.some((one) => one.name === name))
    .filter((one) => !mayBeWanted(one) && (hasHeirs(one) || !isAwaited(one)));
  const taken = observed.bindings.filter((one) =>
    failed.some(({ cluster, problems }) => {
      const isNamed = problems.some(({ reason, object }) => reason === 'NameTaken' && object === one.name);
      return isNamed && parseSource(one)?.secret === cluster.secret;
    }),
  );
  return {
    changes: {
      ...compareGenerated(wanted, own, (binding, one) => binding.spec === one.spec),
      ...letGo(gone),
    },
    taken,
    groups: rendered.flatMap(({ group }) => group ?? []),
    unrendered,
    problems: rendered.flatMap(({ problems }) => problems),
  };
}
