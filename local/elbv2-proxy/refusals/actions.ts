import { type Fields, given, text } from '../protocol/fields.ts';
import { loadBalancerArnOf, typeOf } from './listener-of.ts';
import { actionsOf, api, firstOf, forwarding, guide, invalid, whole, within, type Rule } from './refusal.ts';

const terminating = new Set(['forward', 'redirect', 'fixed-response']);

const known = [...terminating, 'authenticate-cognito', 'authenticate-oidc', 'jwt-validation'];

function lastByOrder(actions: readonly Fields[]): Fields | undefined {
  const order = (action: Fields): number => Number(text(action, 'Order') ?? 1);
  return actions.toSorted((left, right) => order(left) - order(right)).at(-1);
}

/** What AWS refuses in the list of actions. */
export const actionRules: readonly Rule[] = [
  {
    name: 'action-type',
    actions: forwarding,
    source: api('API_Action'),
    refuse: ({ parameters }) =>
      firstOf(actionsOf(parameters), (action) => {
        const type = text(action, 'Type') ?? '';
        if (known.includes(type)) return undefined;
        return invalid(`Action type '${type}' must be one of '${known.join(', ')}'`);
      }),
  },
  {
    name: 'one-terminating-action',
    actions: forwarding,
    source: guide('application', 'rule-action-types'),
    refuse: ({ action, parameters }) => {
      const actions = actionsOf(parameters);
      const isChange = action === 'ModifyRule' || action === 'ModifyListener';
      if (isChange && !given(parameters, 'Actions') && !given(parameters, 'DefaultActions')) return undefined;
      const count = actions.filter((one) => terminating.has(text(one, 'Type') ?? '')).length;
      const last = lastByOrder(actions);
      if (count === 1 && last !== undefined && terminating.has(text(last, 'Type') ?? '')) return undefined;
      const code = count > 1 ? 'TooManyActions' : 'InvalidLoadBalancerAction';
      const wanted =
        "exactly one action of type 'forward', 'redirect' or 'fixed-response', and it must be the last";
      return { code, message: `A rule must have ${wanted}; ${count} were specified` };
    },
  },
  {
    name: 'action-order',
    actions: forwarding,
    source: api('API_Action'),
    refuse: ({ parameters }) => {
      const actions = actionsOf(parameters);
      const orders = actions.map((action) => text(action, 'Order'));
      const bad = orders.find((order) => order !== undefined && !within(whole(order), 1, 50_000));
      if (bad !== undefined) return invalid(`Action order '${bad}' must be between 1 and 50000, inclusive`);
      if (actions.length < 2) return undefined;
      if (orders.includes(undefined))
        return invalid('An order must be specified for each of several actions');
      return new Set(orders).size === orders.length ? undefined : invalid('Action orders must be unique');
    },
  },
  {
    name: 'network-listeners-forward-only',
    actions: forwarding,
    source: guide('network', 'load-balancer-listeners'),
    refuse: ({ parameters, world }) => {
      if (typeOf(world, loadBalancerArnOf(parameters) ?? '') !== 'network') return undefined;
      const other = actionsOf(parameters).find((action) => action['Type'] !== 'forward');
      if (other === undefined) return undefined;
      const message = `Action type '${text(other, 'Type')}' is not supported on a Network Load Balancer`;
      return { code: 'InvalidLoadBalancerAction', message };
    },
  },
];
