import type {
  ClusterReading,
  ExistingBinding,
  ObservedTargetGroupSet,
  RemoteBinding,
  DesiredGroup,
  ExistingGroup,
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
import { matches, isObjectName } from '../../kubernetes/selector.ts';
import type { Problem } from '../sync-status.ts';
import {
  deriveGroup,
  type SourcedGroup,
  parseSource,
  renderBinding,
  dropRivals,
  type AskedGroup,
} from './target-group-of-binding.ts';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';

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

interface Known {
  readonly uid: string;
  /** Whether what a group is made of keeps it, though it cannot ask for it now: its cluster cannot be read, say. */
  readonly isSpared: (group: ExistingGroup) => boolean;
  readonly groups: readonly ExistingGroup[];
}

/** Names groups: each keeps the name that it has, as a Cell knows it by that; others get a free one. */
function nameGroups(asking: readonly AskedGroup[], { uid, groups, isSpared }: Known) {
  const own = groups.filter(({ owner }) => owner?.uid === uid);
  const heldBy = new Map(own.map(({ name, annotations }) => [name, annotations[SOURCE_ANNOTATION]]));
  const nameHeld = new Map([...heldBy].map(([name, source]) => [source, name]));
  const asked = new Set(asking.map(({ source }) => source));
  const nameOfARN = new Map(
    own
      .filter(({ annotations }) => !asked.has(annotations[SOURCE_ANNOTATION] ?? ''))
      .map(({ arn, name }) => [arn, name]),
  );
  const nameBefore = ({ source, arn }: AskedGroup): string | undefined =>
    nameHeld.get(source) ?? nameOfARN.get(arn);
  const foreign = new Map(groups.filter(({ owner }) => owner?.uid !== uid).map((one) => [one.name, one]));
  const demand = Map.groupBy(asking, ({ names }) => names[0]);
  const silent = own
    .filter((group) => !asked.has(group.annotations[SOURCE_ANNOTATION] ?? '') && isSpared(group))
    .map(({ name, arn, annotations }) => ({ name, arn, source: annotations[SOURCE_ANNOTATION] ?? name }));
  const arns = new Map(silent.map(({ arn, source }) => [arn, source]));
  const taken = new Map(silent.map(({ name, source }) => [name, source]));
  const named: DesiredGroup[] = [];
  // What asks for a group that it cannot have now, and keeps what it had before.
  const kept: string[] = [];
  const problems: Problem[] = [];

  const withNameFirst = asking.toSorted(
    (a, b) => Number(nameBefore(b) !== undefined) - Number(nameBefore(a) !== undefined),
  );
  for (const one of withNameFirst) {
    const problem = problemOf(one);
    if (problem === undefined) continue;
    kept.push(one.source);
    problems.push({ cluster: one.cluster, object: one.source, ...problem });
  }
  return { groups: named, kept, problems };

  function problemOf(one: AskedGroup): Pick<Problem, 'reason' | 'message'> | undefined {
    const sharing = arns.get(one.arn);
    if (sharing !== undefined) return shared(one, sharing);
    const name = nameBefore(one) ?? freeName(one);
    const other = foreign.get(name);
    if (other !== undefined) return takenBy(one, name, describe(other.owner));
    const holder = taken.get(name);
    if (holder !== undefined) return takenBy(one, name, `belongs to ${holder}`);
    if (!isObjectName(name)) return unusable(one, name);
    taken.set(name, one.source);
    arns.set(one.arn, one.source);
    named.push({ name, arn: one.arn, labels: one.labels, annotations: one.annotations });
    return undefined;
  }

  function freeName({ source, names: [plain, withCluster] }: AskedGroup): string {
    const holder = heldBy.get(plain);
    const isContested = (demand.get(plain) ?? []).length > 1;
    return isContested || (holder !== undefined && holder !== source) ? withCluster : plain;
  }
}

const describe = (owner: { readonly kind: string; readonly name: string } | undefined): string =>
  owner === undefined ? 'was not created by Okra' : `belongs to ${owner.kind} ${owner.name}`;

const takenBy = ({ source }: AskedGroup, name: string, by: string) => ({
  reason: 'NameTaken',
  message: `AWSTargetGroup ${name} for TargetGroupBinding ${source} already exists and ${by}. Delete or rename one of them.`,
});

const unusable = ({ source }: AskedGroup, name: string) => ({
  reason: 'InvalidName',
  message: `The name of the AWSTargetGroup for TargetGroupBinding ${source} would have ${name.length} characters; at most 253 are allowed. Rename it.`,
});

const shared = ({ source, arn }: AskedGroup, other: string) => ({
  reason: 'SharedTargetGroup',
  message: `TargetGroupBinding ${source} has the same target group as ${other}, ${arn}. A rule can name a target group only once; remove one of them from the set.`,
});
