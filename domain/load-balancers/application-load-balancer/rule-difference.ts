import type { Carried, ListenerRule } from '../../../crds/listener-rule.ts';
import { canonical } from '../../kubernetes/canonical.ts';
import { describeCarried, lostActions } from './carried.ts';
import { sameMatch } from './listener-rule.ts';
import { sameShares } from '../weights.ts';

/** What a rule has to be: what its object says, and what it has to go on doing besides. */
export interface DesiredRule {
  readonly rule: ListenerRule;
  readonly carried: Carried;
}

/** A rule as it is. */
export interface PresentRule extends DesiredRule {
  /** The conditions that no object can say, in words. */
  readonly unsaid: readonly string[];
}

/** What has to change in a rule so that it is what is wanted. */
export interface RuleDifference {
  readonly priority: boolean;
  readonly conditions: boolean;
  /** The actions before it forwards, which someone has removed. */
  readonly actions: boolean;
  /** Its weights, or how it keeps clients with a target group. */
  readonly forward: boolean;
  /** How its target groups keep clients with a target. */
  readonly targets: boolean;
}

/** Compares a rule with what is wanted; undefined when they serve the same. */
export function differenceOf(wanted: DesiredRule, got: PresentRule): RuleDifference | undefined {
  const [want, have] = [wanted.rule, got.rule];
  const difference = {
    priority: want.priority !== have.priority,
    conditions: got.unsaid.length > 0 || !sameMatch({ ...want, priority: have.priority }, have),
    actions: lostActions(wanted.carried, got.carried).length > 0,
    forward:
      !sameShares(want.forward.targetGroups, have.forward.targetGroups) ||
      !same(want.forward.targetGroupStickiness, have.forward.targetGroupStickiness),
    targets: !same(want.forward.targetStickiness, have.forward.targetStickiness),
  };
  return Object.values(difference).includes(true) ? difference : undefined;
}

const same = (a: unknown, b: unknown): boolean => canonical(a ?? null) === canonical(b ?? null);

/** Says a difference for people. */
export function describeDifference(difference: RuleDifference): string {
  const { priority, conditions, actions, forward, targets } = difference;
  const parts = [
    priority ? 'its priority' : '',
    conditions ? 'its conditions' : '',
    actions ? 'its other actions' : '',
    forward ? 'its weights or its stickiness' : '',
    targets ? 'the stickiness of its target groups' : '',
  ];
  return `The rule differs in ${parts.filter((part) => part !== '').join(' and ')}.`;
}

/** Says for people how a rule is another than the one that was read last; undefined when it is the same. */
export function describeDrift(last: DesiredRule, got: PresentRule): string | undefined {
  const difference = differenceOf(last, got);
  const said = [
    difference === undefined ? undefined : describeDifference(difference),
    describeCarried(last.carried, got.carried),
  ].filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join(' ');
}
