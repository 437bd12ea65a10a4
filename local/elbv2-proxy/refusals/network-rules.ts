import { type Fields, given, items, text, texts } from '../protocol/fields.ts';
import { configOf } from './condition-values.ts';
import { loadBalancerArnOf, typeOf } from './listener-of.ts';
import { api, firstOf, guide, invalid, type Judged, type Refusal, type Rule } from './refusal.ts';

const ruleWrites = ['CreateRule', 'ModifyRule'];

const addressTypes = ['ipv4', 'ipv6'];

const isNetwork = ({ parameters, world }: Judged): boolean =>
  typeOf(world, loadBalancerArnOf(parameters) ?? '') === 'network';

/** A rule of a Network Load Balancer tells clients apart by the type of their address alone. */
function judgeNetworkCondition(condition: Fields): Refusal | undefined {
  const field = text(condition, 'Field') ?? '';
  if (field !== 'source-ip')
    return invalid(`Condition field '${field}' is not supported on a Network Load Balancer; use 'source-ip'`);
  const config = configOf(condition);
  if (texts(config, 'Values').length > 0)
    return invalid(
      "The 'Values' of 'SourceIpConfig' are not supported on a Network Load Balancer; use 'IpAddressType'",
    );
  const type = text(config, 'IpAddressType') ?? '';
  return addressTypes.includes(type)
    ? undefined
    : invalid(
        `1 validation error detected: Value '${type}' at 'ipAddressType' failed to satisfy constraint: ` +
          `Member must satisfy enum value set: [${addressTypes.join(', ')}]`,
      );
}

/** What AWS refuses in rules because of the type of their load balancer. */
export const networkRules: readonly Rule[] = [
  {
    name: 'network-rules-by-address-type',
    actions: ruleWrites,
    source: api('API_SourceIpConditionConfig'),
    refuse: (call) =>
      firstOf(items(call.parameters, 'Conditions'), (condition) => {
        if (isNetwork(call)) return judgeNetworkCondition(condition);
        return text(configOf(condition), 'IpAddressType') === undefined
          ? undefined
          : invalid("The 'IpAddressType' of 'SourceIpConfig' is supported only on Network Load Balancers");
      }),
  },
  {
    name: 'network-rules-on-dual-stack',
    actions: ['CreateRule'],
    source: guide('network', 'create-rule'),
    refuse: (call) => {
      const arn = loadBalancerArnOf(call.parameters) ?? '';
      const addresses = text(call.world.loadBalancers.get(arn) ?? {}, 'IpAddressType') ?? 'ipv4';
      if (!isNetwork(call) || addresses === 'dualstack') return undefined;
      return {
        code: 'InvalidConfigurationRequest',
        message: `Listener rules require a dual-stack Network Load Balancer, but the IP address type of '${arn}' is '${addresses}'`,
      };
    },
  },
  {
    name: 'network-rules-without-transforms',
    actions: ruleWrites,
    source: api('API_RuleTransform'),
    refuse: (call) =>
      isNetwork(call) && given(call.parameters, 'Transforms')
        ? invalid('Transforms are not supported on a Network Load Balancer')
        : undefined,
  },
];
