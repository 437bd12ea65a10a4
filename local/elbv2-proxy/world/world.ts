import { type Fields, fieldsOf, items, text } from '../protocol/fields.ts';
import { listenerOfRule, loadBalancerOfListener } from './arns.ts';

/** What one account has in one region; every map is keyed by ARN and never changed, only replaced. */
export interface World {
  readonly loadBalancers: ReadonlyMap<string, Fields>;
  readonly listeners: ReadonlyMap<string, Fields>;
  readonly rules: ReadonlyMap<string, Fields>;
  readonly targetGroups: ReadonlyMap<string, Fields>;
  readonly tags: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The attributes of target groups and load balancers, as far as they were read or written. */
  readonly attributes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** The registered targets of each target group, by id and port. */
  readonly targets: ReadonlyMap<string, ReadonlyMap<string, Fields>>;
}

/** A world in which nothing was created yet. */
export const emptyWorld: World = {
  loadBalancers: new Map(),
  listeners: new Map(),
  rules: new Map(),
  targetGroups: new Map(),
  tags: new Map(),
  attributes: new Map(),
  targets: new Map(),
};

/** A target group in a forward action; the weight is missing where the caller gave none. */
export interface Forward {
  readonly arn: string;
  readonly weight?: number;
}

/** A rule as the log shows it. */
export interface RuleView {
  readonly ruleArn: string;
  readonly listenerArn: string;
  readonly priority: string;
  readonly conditions: readonly Fields[];
  readonly forward: readonly Forward[];
  readonly tags?: Readonly<Record<string, string>>;
  /** The tags of the listener, with its default rule only, which is what the listener itself forwards to. */
  readonly listenerTags?: Readonly<Record<string, string>>;
}

/** Lists the groups of one forward action, whichever of its two forms it has. */
export function forwardOf(action: Fields): readonly Forward[] {
  const tuples = items(fieldsOf(action, 'ForwardConfig'), 'TargetGroups');
  if (tuples.length === 0) {
    const arn = text(action, 'TargetGroupArn');
    return arn === undefined ? [] : [{ arn }];
  }
  return tuples.map((tuple) => {
    const weight = text(tuple, 'Weight');
    const arn = text(tuple, 'TargetGroupArn') ?? '';
    return weight === undefined ? { arn } : { arn, weight: Number(weight) };
  });
}

/** Tells whether a forward action keeps clients with the target group that they have met. */
export const isSticky = (action: Fields): boolean =>
  text(fieldsOf(fieldsOf(action, 'ForwardConfig'), 'TargetGroupStickinessConfig'), 'Enabled') === 'true';

/** Lists the ARNs of all groups that a list of actions forwards to. */
export const groupsOf = (actions: readonly Fields[]): readonly string[] =>
  actions.flatMap((action) => forwardOf(action).map((one) => one.arn));

/** Shows a rule as the log does. */
export function viewOf(world: World, ruleArn: string): RuleView | undefined {
  const rule = world.rules.get(ruleArn);
  if (rule === undefined) return undefined;
  const listenerArn = listenerOfRule(ruleArn);
  const tags = world.tags.get(ruleArn);
  const listenerTags = isDefault(rule) ? world.tags.get(listenerArn) : undefined;
  return {
    ruleArn,
    listenerArn,
    priority: text(rule, 'Priority') ?? '',
    conditions: items(rule, 'Conditions'),
    forward: items(rule, 'Actions').flatMap((action) => forwardOf(action)),
    ...(tags === undefined ? {} : { tags }),
    ...(listenerTags === undefined ? {} : { listenerTags }),
  };
}

/** Lists the rules of a listener. */
export const rulesOf = (world: World, listenerArn: string): readonly Fields[] =>
  [...world.rules].filter(([arn]) => listenerOfRule(arn) === listenerArn).map(([, rule]) => rule);

/** Tells whether a rule is the default rule of its listener. */
export const isDefault = (rule: Fields): boolean => text(rule, 'IsDefault') === 'true';

type Users = ReadonlyMap<string, ReadonlySet<string>>;

function findUsers({ rules, listeners }: World): Users {
  const users = new Map<string, Set<string>>();
  const add = (actions: readonly Fields[], loadBalancer: string): void => {
    for (const arn of groupsOf(actions)) users.set(arn, (users.get(arn) ?? new Set()).add(loadBalancer));
  };
  for (const [arn, rule] of rules) add(items(rule, 'Actions'), loadBalancerOfListener(listenerOfRule(arn)));
  for (const [arn, listener] of listeners)
    add(items(listener, 'DefaultActions'), loadBalancerOfListener(arn));
  return users;
}

const nobody: ReadonlySet<string> = new Set();

// Found once for the rules and listeners that are there, since they are asked for far more often than they change.
const known = new WeakMap<
  World['rules'],
  { readonly listeners: World['listeners']; readonly users: Users }
>();

/** Finds the load balancers that route to a target group, at any weight. */
export function usersOf(world: World, targetGroupArn: string): ReadonlySet<string> {
  const { rules, listeners } = world;
  const found = known.get(rules);
  const users = found?.listeners === listeners ? found.users : findUsers(world);
  if (users !== found?.users) known.set(rules, { listeners, users });
  return users.get(targetGroupArn) ?? nobody;
}

/** Puts rules in the order of their priority, the default rule last. */
export function byPriority(rules: readonly Fields[]): readonly Fields[] {
  const rank = (rule: Fields): number => {
    const priority = Number(text(rule, 'Priority'));
    return Number.isNaN(priority) ? Number.POSITIVE_INFINITY : priority;
  };
  return rules.toSorted((left, right) => (rank(left) === rank(right) ? 0 : rank(left) - rank(right)));
}
