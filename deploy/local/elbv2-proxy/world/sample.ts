import type { Fields } from '../protocol/fields.ts';
import { put } from './update.ts';
import { emptyWorld } from './world.ts';
import type { World } from './world.ts';

/* Builders of small worlds for tests. */

const prefix = 'arn:aws:elasticloadbalancing:us-east-1:123456789012';

const balancer = (name: string): string =>
  `${name.startsWith('net') ? 'net' : 'app'}/${name}/50dc6c495c0c9188`;

/** Names a load balancer for tests; where the name begins with `net` it is a Network Load Balancer. */
export const loadBalancerArn = (name: string): string => `${prefix}:loadbalancer/${balancer(name)}`;

/** Names the listener of a load balancer for tests. */
export const listenerArn = (name: string): string => `${prefix}:listener/${balancer(name)}/f2f7dc8efc522ab2`;

/** Names a rule for tests; `default` is the default rule. */
export const ruleArn = (name: string, rule: string): string =>
  `${prefix}:listener-rule/${balancer(name)}/f2f7dc8efc522ab2/${rule}`;

/** Names a target group for tests. */
export const groupArn = (name: string): string => `${prefix}:targetgroup/${name}/73e2d6bc24d8a067`;

/** Writes a forward action; a weight that is not given is left out. */
export function forwardTo(groups: Readonly<Record<string, number | undefined>>): Fields {
  const TargetGroups = Object.entries(groups).map(([name, weight]) => {
    const TargetGroupArn = groupArn(name);
    return weight === undefined ? { TargetGroupArn } : { TargetGroupArn, Weight: String(weight) };
  });
  return { Type: 'forward', ForwardConfig: { TargetGroups } };
}

/** Writes a path condition. */
export const pathOf = (...Values: readonly string[]): Fields => ({
  Field: 'path-pattern',
  PathPatternConfig: { Values },
});

const respond: Fields = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } };

/** Adds a load balancer of that name, with one listener and its default rule. */
export function withLoadBalancer(world: World, name: string, protocol = 'HTTP'): World {
  const isNetwork = !protocol.startsWith('HTTP');
  const Type = isNetwork ? 'network' : 'application';
  const known = put(world, 'loadBalancers', [{ LoadBalancerArn: loadBalancerArn(name), Type }]);
  const DefaultActions = isNetwork ? [] : [respond];
  const listener = { ListenerArn: listenerArn(name), Protocol: protocol, DefaultActions };
  const rule = {
    RuleArn: ruleArn(name, 'default'),
    Priority: 'default',
    IsDefault: 'true',
    Actions: DefaultActions,
  };
  return put(put(known, 'listeners', [listener]), 'rules', [rule]);
}

/** Adds a rule with a path condition. */
export const withRule = (
  world: World,
  name: string,
  rule: { readonly priority: string; readonly action: Fields },
): World =>
  put(world, 'rules', [
    {
      RuleArn: ruleArn(name, `a${rule.priority}`),
      Priority: rule.priority,
      IsDefault: 'false',
      Conditions: [pathOf('/*')],
      Actions: [rule.action],
    },
  ]);

/** Adds target groups of one protocol. */
export const withGroups = (world: World, names: readonly string[], Protocol = 'HTTP'): World =>
  put(
    world,
    'targetGroups',
    names.map((name) => ({
      TargetGroupArn: groupArn(name),
      TargetGroupName: name,
      Protocol,
      TargetType: 'ip',
    })),
  );

/**
 * A world with load balancers `web` and `other` and NLB `net`, HTTP groups `a` to `f`, TCP groups `tcp` to `tcp6`,
 * a group for each of the other protocols, and a rule at 10 on `web` for `a`.
 */
export function aWorld(): World {
  const balancers = withLoadBalancer(
    withLoadBalancer(withLoadBalancer(emptyWorld, 'web'), 'other'),
    'net',
    'TCP',
  );
  const http = withGroups(balancers, ['a', 'b', 'c', 'd', 'e', 'f', 'x']);
  const tcp = withGroups(http, ['tcp', 'tcp2', 'tcp3', 'tcp4', 'tcp5', 'tcp6'], 'TCP');
  const groups = ['UDP', 'TCP_UDP', 'TLS'].reduce(
    (world, protocol) => withGroups(world, [protocol.toLowerCase()], protocol),
    tcp,
  );
  const ruled = withRule(groups, 'web', { priority: '10', action: forwardTo({ a: 100 }) });
  return withRule(ruled, 'other', { priority: '10', action: forwardTo({ x: 100 }) });
}
