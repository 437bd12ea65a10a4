import { object, string, type z } from 'zod';
import { ingressBlocks, loadBalancerBlocks } from './load-balancers.ts';
import { keysOf, withRules, type Rule } from './rules.ts';

const APPLICATION = 'AWSApplicationLoadBalancer';
const NETWORK = 'AWSNetworkLoadBalancer';
const isOf = (kind: 'app' | 'net', arn: string): boolean => arn.includes(`:listener/${kind}/`);

const fields = object({
  type: string()
    .max(64)
    .describe(`The kind of load balancer: ${keysOf(loadBalancerBlocks).join(' or ')}.`),
  ...ingressBlocks,
});

type Ingress = z.output<typeof fields>;

const types = keysOf(loadBalancerBlocks);
const blocks = keysOf(ingressBlocks);

/** Expects the block that belongs to a type, under one of the names that it may have. */
const blockExpected = (type: keyof typeof loadBalancerBlocks): Rule<Ingress> => {
  const names: readonly (typeof blocks)[number][] = loadBalancerBlocks[type];
  return {
    cel: `self.type != '${type}' || ${names.map((name) => `has(self.${name})`).join(' || ')}`,
    message: `spec.ingress.${names[0] ?? ''} is required, because spec.ingress.type is ${type}. Add the block.`,
    holds: (value) => value.type !== type || names.some((name) => value[name] !== undefined),
  };
};

/** The load balancer in front of a Cell: its type, and the one block that belongs to it. */
export const ingress = withRules(fields, [
  {
    cel: `self.type in [${types.map((type) => `'${type}'`).join(', ')}]`,
    message: `spec.ingress.type must be ${types.join(' or ')}. Correct the type.`,
    messageExpression: `'spec.ingress.type must be ${types.join(' or ')}, got ' + self.type + '. Correct the type.'`,
    holds: ({ type }) => types.some((known) => known === type),
  },
  {
    cel: `[${blocks.map((name) => `has(self.${name})`).join(', ')}].filter(x, x).size() <= 1`,
    message: `spec.ingress must have only one of ${blocks.join(' and ')}. Remove the one that spec.ingress.type does not name.`,
    holds: (value) => blocks.filter((name) => value[name] !== undefined).length <= 1,
  },
  ...types.map(blockExpected),
  {
    cel: `self.type != '${APPLICATION}' || !has(self.awsApplicationLoadBalancer) || !self.awsApplicationLoadBalancer.listenerARN.contains(':listener/net/')`,
    message: `spec.ingress.awsApplicationLoadBalancer.listenerARN must be the ARN of a listener of an Application Load Balancer (listener/app/…), not of a Network Load Balancer. Correct the ARN, or set spec.ingress.type to ${NETWORK}.`,
    holds: ({ type, awsApplicationLoadBalancer: block }) =>
      type !== APPLICATION || block === undefined || !isOf('net', block.listenerARN),
  },
  {
    cel: `self.type != '${APPLICATION}' || !has(self.awsApplicationLoadBalancer) || has(self.awsApplicationLoadBalancer.listener)`,
    message: `spec.ingress.awsApplicationLoadBalancer.listener.rule is required, because spec.ingress.type is ${APPLICATION}. Add the rule, with a priority and a condition.`,
    holds: ({ type, awsApplicationLoadBalancer: block }) =>
      type !== APPLICATION || block === undefined || block.listener !== undefined,
  },
  {
    cel: `self.type != '${NETWORK}' || !has(self.awsApplicationLoadBalancer) || !self.awsApplicationLoadBalancer.listenerARN.contains(':listener/app/')`,
    message: `listenerARN in spec.ingress must be the ARN of a listener of a Network Load Balancer (listener/net/…), because spec.ingress.type is ${NETWORK}. Correct the ARN, or set spec.ingress.type to ${APPLICATION}.`,
    holds: ({ type, awsApplicationLoadBalancer: block }) =>
      type !== NETWORK || block === undefined || !isOf('app', block.listenerARN),
  },
  {
    cel: `self.type != '${NETWORK}' || !has(self.awsApplicationLoadBalancer) || !has(self.awsApplicationLoadBalancer.listener)`,
    message: `spec.ingress must have no listener block, because spec.ingress.type is ${NETWORK} and the weights are those of the default action. Remove it; awsNetworkLoadBalancer takes listener.forward.`,
    holds: ({ type, awsApplicationLoadBalancer: block }) => type !== NETWORK || block?.listener === undefined,
  },
]);
