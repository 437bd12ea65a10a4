import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { WeightedTargetGroup, TargetGroup } from '../../domain/model/target-group.ts';

/** Reads the groups that actions of ELBv2 forward to, by their known names; a weight that is left out is 1 (API_TargetGroupTuple). */
export function forwardedBy(
  actions: readonly Action[] | undefined,
  known: readonly TargetGroup[],
): WeightedTargetGroup[] {
  const action = actions?.find((one) => one.Type === 'forward');
  const groups =
    action?.ForwardConfig?.TargetGroups ??
    (action?.TargetGroupArn === undefined ? [] : [{ TargetGroupArn: action.TargetGroupArn }]);
  return groups.map(({ TargetGroupArn: arn = '', Weight: weight = 1 }) => ({
    name: known.find((group) => group.arn === arn)?.name ?? nameIn(arn),
    arn,
    weight,
  }));
}

/** The weight of a single group says nothing, so that it counts as the one that is wanted. */
export function singleAsDesired(
  got: WeightedTargetGroup[],
  wanted: readonly WeightedTargetGroup[],
): WeightedTargetGroup[] {
  const [only, ...others] = got;
  const [want, ...more] = wanted;
  const comparable = only !== undefined && others.length === 0 && want !== undefined && more.length === 0;
  return comparable && only.arn === want.arn ? [{ ...only, weight: want.weight }] : got;
}

/** The groups of a forward action as ELBv2 takes them (API_TargetGroupTuple). */
export const toTuples = (groups: readonly WeightedTargetGroup[]) =>
  groups.map(({ arn, weight }) => ({ TargetGroupArn: arn, Weight: weight }));

/** The name in a target group's ARN: `…:targetgroup/NAME/ID`. */
export const nameIn = (arn: string): string => arn.split('/')[1] ?? arn;
