import type { ListenerRule } from '../crds/listener-rule.ts';
import { canonical } from './canonical.ts';
import { sameMatch } from './listener-rule.ts';
import { sameShares } from './weights.ts';

/** What has to change in a rule so that it is what is wanted. */
export interface RuleDifference {
  readonly priority: boolean;
  readonly conditions: boolean;
  /** Its weights, or how it keeps clients with a target group. */
  readonly forward: boolean;
  /** How its target groups keep clients with a target. */
  readonly targets: boolean;
}

/** Compares a rule with what is wanted; undefined when they serve the same. */
export function differenceOf(wanted: ListenerRule, got: ListenerRule): RuleDifference | undefined {
  const difference = {
    priority: wanted.priority !== got.priority,
    conditions: !sameMatch({ ...wanted, priority: got.priority }, got),
    forward:
      !sameShares(wanted.forward.targetGroups, got.forward.targetGroups) ||
      !same(wanted.forward.targetGroupStickiness, got.forward.targetGroupStickiness),
    targets: !same(wanted.forward.targetStickiness, got.forward.targetStickiness),
  };
  return Object.values(difference).includes(true) ? difference : undefined;
}

const same = (a: unknown, b: unknown): boolean => canonical(a ?? null) === canonical(b ?? null);

/** Says a difference for people. */
export function describeDifference({ priority, conditions, forward, targets }: RuleDifference): string {
  const parts = [
    priority ? 'its priority' : '',
    conditions ? 'its conditions' : '',
    forward ? 'its weights or its stickiness' : '',
    targets ? 'the stickiness of its target groups' : '',
  ];
  return `The rule differs in ${parts.filter((part) => part !== '').join(' and ')}.`;
}
