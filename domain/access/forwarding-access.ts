import { type Access, type Use, mayUse, refusalOf } from './access.ts';
import { canonical } from '../kubernetes/canonical.ts';
import {
  placeOf,
  samePlace,
  sameRoute,
  targetGroupSettingsOf,
  targetGroupsOf,
  type Forwarding,
  type ObservedForwarding,
} from '../load-balancers/load-balancer.ts';
import type { SelectedTargetGroup, WeightedTargetGroup } from '../model/target-group.ts';

/** What a write asks for that is not served yet: the listener and each gaining group; taking back, only what was not served before, so that no AccessPolicy stops it. */
export function usesOf(
  asked: Forwarding,
  served: ObservedForwarding | undefined,
  { takesBack }: { readonly takesBack: boolean },
): readonly Use[] {
  const before = served !== undefined && samePlace(served, asked) ? served : undefined;
  const groups = before === undefined ? [] : targetGroupsOf(before);
  const known = new Map(groups.map(({ arn, weight }) => [arn, weight]));
  const isTouched = !takesBack && keepsTargetsOtherwise(asked, before);
  const gaining = targetGroupsOf(asked).filter(
    ({ arn, weight }) => isTouched || weight > (known.get(arn) ?? -1),
  );
  const isNew = takesBack ? ({ arn }: WeightedTargetGroup): boolean => !known.has(arn) : (): boolean => true;
  const changes = before === undefined || !sameRoute(asked, before) || gaining.length > 0;
  const needsListener = takesBack ? before === undefined : changes;
  return [
    ...(needsListener ? [{ of: 'Listener' as const, arn: placeOf(asked) }] : []),
    ...gaining.filter(isNew).map(({ arn }) => ({ of: 'TargetGroup' as const, arn })),
  ];
}

/** Whether clients are kept with targets in another way than before, which is written to the target groups themselves. */
function keepsTargetsOtherwise(asked: Forwarding, before: ObservedForwarding | undefined): boolean {
  const keeping = (one: Forwarding | undefined): string =>
    canonical((one === undefined ? undefined : targetGroupSettingsOf(one)) ?? null);
  return keeping(asked) !== keeping(before);
}

/** Marks the target groups that a Cell may not use; one in the rule stays as it is, and may gain only by the check before each write. */
export function withRefusals(
  selected: readonly SelectedTargetGroup[],
  access: Access | undefined,
  inRule: readonly WeightedTargetGroup[] = [],
): readonly SelectedTargetGroup[] {
  if (access === undefined) return selected;
  const staying = new Set(inRule.map(({ arn }) => arn));
  return selected.map((group) => {
    const use = { of: 'TargetGroup', arn: group.arn } as const;
    const refusal = staying.has(group.arn) ? undefined : refusalOf(access, use);
    return refusal === undefined ? group : { ...group, refusal };
  });
}

/** Which of the target groups that a Cell selects it may not use, so that it is looked at again when that changes. */
export const refusedAmong = (
  selected: readonly SelectedTargetGroup[],
  access: Access | undefined,
): readonly string[] =>
  selected.filter(({ arn }) => !mayUse(access, { of: 'TargetGroup', arn })).map(({ arn }) => arn);
