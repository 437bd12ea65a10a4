import { digest } from '../../clients/digest.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { accessOf } from '../../domain/access/access.ts';
import { refusedAmong } from '../../domain/access/forwarding-access.ts';
import { keyOf } from '../../domain/model/ids.ts';
import type { SelectedTargetGroup } from '../../domain/model/target-group.ts';
import { selectTargetGroups, watchedOf } from '../../domain/versions/watched.ts';

/** What is around a Cell that its rollout depends on. */
export interface Around {
  /** Of the Cell's namespace. */
  readonly groups: readonly AWSTargetGroup[];
  /** Undefined where they may not be read. */
  readonly accessPolicies: readonly AccessPolicy[] | undefined;
}

/**
 * Whether the status of a Cell was made of what the Cell and its target groups are now. A Cell with applications depends on
 * Secrets as well, which okractl does not read: it always counts as up to date.
 */
export function isUpToDate(cell: Cell, { groups, accessPolicies }: Around): boolean {
  if (cell.spec.applications !== undefined) return true;
  const selected = selectTargetGroups(cell.spec, groups);
  const refused =
    accessPolicies === undefined
      ? refusedBy(cell, selected)
      : refusedAmong(selected, accessOf(keyOf(cell).namespace, accessPolicies));
  return cell.status?.observedHash === digest(watchedOf(cell, selected, refused));
}

/** The ARNs that a Cell may not use, as its status has it. */
function refusedBy({ status = {} }: Cell, selected: readonly SelectedTargetGroup[]): readonly string[] {
  const rejected = (status.rejectedTargetGroups ?? []).filter(({ reason }) => reason === 'NotAllowed');
  const names = new Set(rejected.map(({ name }) => name));
  return selected.filter(({ name }) => names.has(name)).map(({ arn }) => arn);
}
