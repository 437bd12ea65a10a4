import type { Fields } from '../protocol/fields.ts';
import { put } from './update.ts';
import { emptyWorld, type World } from './world.ts';

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

/** Writes a forward action, where given with a stickiness; a weight that is not given is left out. */
export function forwardTo(
  groups: Readonly<Record<string, number | undefined>>,
  TargetGroupStickinessConfig?: Fields,
): Fields {
  const TargetGroups = Object.entries(groups).map(([name, weight]) => {
    const TargetGroupArn = groupArn(name);
    return weight === undefined ? { TargetGroupArn } : { TargetGroupArn, Weight: String(weight) };
  });
  return { Type: 'forward', ForwardConfig: { TargetGroups, TargetGroupStickinessConfig } };
}

/** Writes a path condition. */
export const pathOf = (...Values: readonly string[]): Fields => ({
  Field: 'path-pattern',
  PathPatternConfig: { Values },
});

const respond: Fields = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } };

/** Adds a load balancer of that name, with one listener and its default rule; where the name ends with `dual`, it is a dual-stack one. */
export function withLoadBalancer(world: World, name: string, protocol = 'HTTP'): World {
  const isNetwork = !protocol.startsWith('HTTP');
  const Type = isNetwork ? 'network' : 'application';
  const IpAddressType = name.endsWith('dual') ? 'dualstack' : 'ipv4';
  const known = put(world, 'loadBalancers', [
    { LoadBalancerArn: loadBalancerArn(name), Type, IpAddressType },
  ]);
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
export const withGroups = (
  world: World,
  names: readonly string[],
  { Protocol = 'HTTP', IpAddressType = 'ipv4', TargetType = 'ip' }: Fields = {},
): World =>
  put(
    world,
    'targetGroups',
    names.map((name) => ({
      TargetGroupArn: groupArn(name),
      TargetGroupName: name,
      Protocol,
      IpAddressType,
      TargetType,
    })),
  );

/** Gives attributes to a target group. */
export const withAttributes = (
  world: World,
  name: string,
  attributes: Readonly<Record<string, string>>,
): World => ({ ...world, attributes: new Map([...world.attributes, [groupArn(name), attributes]]) });

/** Lets the nodes of a load balancer send requests to other zones. */
const acrossZones = (world: World, name: string): World => ({
  ...world,
  attributes: new Map([
    ...world.attributes,
    [loadBalancerArn(name), { 'load_balancing.cross_zone.enabled': 'true' }],
  ]),
});

function everyGroup(world: World): World {
  const http = withGroups(world, ['a', 'b', 'c', 'd', 'e', 'f', 'v', 'w', 'x', 'y', 'z', 's', 'sticky']);
  const names = ['tcp', 'tcp2', 'tcp3', 'tcp4', 'tcp5', 'tcp6', 'sticky-tcp', 'zonal'];
  const zonal = { 'load_balancing.cross_zone.enabled': 'false' };
  const tcp = withAttributes(withGroups(http, names, { Protocol: 'TCP' }), 'zonal', zonal);
  const others = ['UDP', 'TCP_UDP', 'TLS', 'GENEVE', 'QUIC', 'TCP_QUIC'].reduce(
    (known, Protocol) => withGroups(known, [Protocol.toLowerCase().replace('_', '-')], { Protocol }),
    withGroups(withGroups(tcp, ['nodes'], { TargetType: 'instance' }), ['ipv6'], {
      Protocol: 'TCP',
      IpAddressType: 'ipv6',
    }),
  );
  return ['sticky', 'sticky-tcp'].reduce(
    (known, name) => withAttributes(known, name, { 'stickiness.enabled': 'true' }),
    others,
  );
}

const authenticating: Fields = {
  RuleArn: ruleArn('secure', 'a10'),
  Priority: '10',
  IsDefault: 'false',
  Conditions: [pathOf('/*')],
  Actions: [
    { Type: 'authenticate-oidc', Order: '1', AuthenticateOidcConfig: { ClientId: 'c' } },
    { ...forwardTo({ s: 100 }), Order: '2' },
  ],
};

/**
 * A world with load balancers `web` and `other`, NLB `net` and dual-stack NLB `net-dual`, of which only `net` goes across zones, a rule on `web` for `a`, rules on `other` for `x`, and for
 * `y` and `z` without and `v` and `w` with group stickiness; `secure` has an HTTPS listener with a rule that authenticates before it forwards to `s`. `sticky` and `sticky-tcp` have target stickiness; `a` to `f`
 * are of HTTP, `nodes` takes instances, `tcp` to `tcp6` are of TCP, and so is `zonal`, which keeps to its zones, and there is a group for each of the other protocols.
 */
export function aWorld(): World {
  const plain = withLoadBalancer(withLoadBalancer(emptyWorld, 'web'), 'other');
  const network = acrossZones(withLoadBalancer(plain, 'net', 'TCP'), 'net');
  const networks = withLoadBalancer(network, 'net-dual', 'TCP');
  const balancers = withLoadBalancer(networks, 'secure', 'HTTPS');
  const rules: readonly (readonly [name: string, priority: string, action: Fields])[] = [
    ['web', '10', forwardTo({ a: 100 })],
    ['other', '10', forwardTo({ x: 100 })],
    ['other', '20', forwardTo({ y: 50, z: 50 })],
    ['other', '30', forwardTo({ v: 50, w: 50 }, { Enabled: 'true', DurationSeconds: '60' })],
  ];
  return rules.reduce(
    (world, [name, priority, action]) => withRule(world, name, { priority, action }),
    put(everyGroup(balancers), 'rules', [authenticating]),
  );
}
