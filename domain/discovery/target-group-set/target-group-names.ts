import { isObjectName } from '../../kubernetes/selector.ts';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import type { Problem } from '../sync-status.ts';
import type { DesiredGroup, ExistingGroup } from './observed-target-group-set.ts';
import type { AskedGroup } from './target-group-of-binding.ts';

interface Known {
  readonly uid: string;
  /** Whether what a group is made of keeps it, though it cannot ask for it now: its cluster cannot be read, say. */
  readonly isSpared: (group: ExistingGroup) => boolean;
  readonly groups: readonly ExistingGroup[];
}

/** Names groups: each keeps the name that it has, as a Cell knows it by that; others get a free one. */
export function nameGroups(asking: readonly AskedGroup[], { uid, groups, isSpared }: Known) {
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
