import { type Fields, items, text } from '../protocol/fields.ts';
import { listenerOfRule, loadBalancerOfListener } from '../world/arns.ts';
import { isDefault, rulesOf, type World } from '../world/world.ts';
import { typeOf } from './listener-of.ts';
import { api, firstOf, guide, invalid, whole, within, type Rule } from './refusal.ts';

const prioritiesOf = (parameters: Fields): readonly string[] => {
  const own = text(parameters, 'Priority');
  const pairs = items(parameters, 'RulePriorities').map((pair) => text(pair, 'Priority') ?? '');
  return own === undefined ? pairs : [own, ...pairs];
};

function inUse(priority: string): { readonly code: string; readonly message: string } {
  return { code: 'PriorityInUse', message: `Priority '${priority}' is currently in use` };
}

function holderOf(world: World, listenerArn: string, priority: string): string | undefined {
  const holder = rulesOf(world, listenerArn).find((rule) => text(rule, 'Priority') === priority);
  return holder === undefined ? undefined : text(holder, 'RuleArn');
}

/** What AWS refuses in a priority by itself. */
export const priorityRangeRules: readonly Rule[] = [
  {
    name: 'priority-range',
    actions: ['CreateRule', 'SetRulePriorities'],
    source: api('API_CreateRule'),
    refuse: ({ parameters }) =>
      firstOf(prioritiesOf(parameters), (priority) =>
        within(whole(priority), 1, 50_000)
          ? undefined
          : invalid(
              `1 validation error detected: Value '${priority}' at 'priority' failed to satisfy constraint: ` +
                'Member must have value between 1 and 50000',
            ),
      ),
  },
];

/** What AWS refuses because of the other rules: a taken priority, too many rules. */
export const priorityRules: readonly Rule[] = [
  {
    name: 'priority-free',
    actions: ['CreateRule'],
    source: api('API_CreateRule'),
    refuse: ({ parameters, world }) => {
      const priority = text(parameters, 'Priority') ?? '';
      const holder = holderOf(world, text(parameters, 'ListenerArn') ?? '', String(whole(priority)));
      return holder === undefined ? undefined : inUse(priority);
    },
  },
  {
    name: 'priorities-free',
    actions: ['SetRulePriorities'],
    source: api('API_SetRulePriorities'),
    refuse: ({ parameters, world }) => {
      const pairs = items(parameters, 'RulePriorities');
      const moving = new Set(pairs.map((pair) => text(pair, 'RuleArn')));
      const wanted = pairs.map((pair) => text(pair, 'Priority') ?? '');
      const twice = wanted.find((priority, index) => wanted.indexOf(priority) !== index);
      if (twice !== undefined) return invalid(`Priority '${twice}' was provided multiple times`);
      return firstOf(pairs, (pair) => {
        const priority = text(pair, 'Priority') ?? '';
        const holder = holderOf(world, listenerOfRule(text(pair, 'RuleArn') ?? ''), priority);
        return holder === undefined || moving.has(holder) ? undefined : inUse(priority);
      });
    },
  },
  {
    name: 'hundred-rules-per-load-balancer',
    actions: ['CreateRule'],
    source: guide('application', 'load-balancer-limits'),
    refuse: ({ parameters, world }) => {
      const loadBalancer = loadBalancerOfListener(text(parameters, 'ListenerArn') ?? '');
      if (typeOf(world, loadBalancer) !== 'application') return undefined;
      const rules = [...world.rules].filter(
        ([arn, rule]) => !isDefault(rule) && loadBalancerOfListener(listenerOfRule(arn)) === loadBalancer,
      );
      if (rules.length < 100) return undefined;
      return { code: 'TooManyRules', message: "The maximum number of rules has been reached: '100'" };
    },
  },
];
