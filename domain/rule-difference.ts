import type { ListenerRule } from '../crds/listener-rule.ts';
import { sameMatch } from './listener-rule.ts';
import { sameShares } from './weights.ts';

/** What has to change in a rule so that it is what is wanted. */
export interface RuleDifference {
  readonly priority: boolean;
  readonly conditions: boolean;
  readonly forward: boolean;
}

/** Compares a rule with what is wanted; undefined when they serve the same. */
export function differenceOf(wanted: ListenerRule, got: ListenerRule): RuleDifference | undefined {
  const difference = {
    priority: wanted.priority !== got.priority,
    conditions: !sameMatch({ ...wanted, priority: got.priority }, got),
    forward: !sameShares(wanted.forward.targetGroups, got.forward.targetGroups),
  };
  return difference.priority || difference.conditions || difference.forward ? difference : undefined;
}

/** Says a difference for people. */
export function describeDifference({ priority, conditions, forward }: RuleDifference): string {
  const parts = [
    priority ? 'its priority' : '',
    conditions ? 'its conditions' : '',
    forward ? 'its weights' : '',
  ];
  return `The rule differs in ${parts.filter((part) => part !== '').join(' and ')}.`;
}
