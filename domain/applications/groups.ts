import type { ChildTargetGroup } from './child.ts';
import type { ObservedTargetGroup } from './observation.ts';

/** What is to be done so that an application has the AWSTargetGroups of a revision. */
export interface GroupsPlan {
  readonly create: readonly ChildTargetGroup[];
  /** Those that another revision has as well: they keep their names. */
  readonly relabel: readonly ChildTargetGroup[];
  readonly remove: readonly string[];
}

/** New AWSTargetGroups of a version, by names that are free: that of a cluster may be the one of another target group, which serves still. */
export function freelyNamed(
  groups: readonly ChildTargetGroup[],
  version: string,
  own: readonly { readonly name: string }[],
): readonly ChildTargetGroup[] {
  const taken = new Set(own.map(({ name }) => name));
  return groups.map((group) => {
    let { name } = group;
    while (taken.has(name)) name = `${name}-${version}`;
    taken.add(name);
    return { ...group, name };
  });
}

/** Plans the AWSTargetGroups of a revision; a target group keeps the name that it is known by, since a Cell knows it by that. */
export function groupsToWrite(of: {
  readonly wanted: readonly ChildTargetGroup[];
  readonly found: readonly ObservedTargetGroup[];
  /** The version of the revision. */
  readonly version: string;
  /** The ARNs of another revision, which may serve still. */
  readonly kept: readonly string[];
}): GroupsPlan {
  const { wanted, found, version, kept } = of;
  const own = found.filter(({ isOwn }) => isOwn);
  const known = wanted.map((group) => ({ group, there: own.find(({ arn }) => arn === group.arn) }));
  const missing = known.flatMap(({ group, there }) => (there === undefined ? [group] : []));
  const create = freelyNamed(missing, version, own);
  const relabel = known.flatMap(({ group, there }) =>
    there === undefined ? [] : [{ ...group, name: there.name }],
  );
  const arns = new Set([...wanted.map(({ arn }) => arn), ...kept]);
  return {
    create,
    relabel,
    remove: own.filter(({ arn }) => !arns.has(arn)).map(({ name }) => name),
  };
}
