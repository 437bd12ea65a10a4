import { listenerARN, networkListenerARN } from './arns.ts';
import { cell, withRule } from './cell.ts';

const selector = { targetGroupSelector: { matchLabels: { role: 'web' } } };
const network = { listenerARN: networkListenerARN, ...selector };
const application = {
  listenerARN,
  listener: { rule: { priority: 10, hosts: ['example.com'] } },
  ...selector,
};

/** A Cell with this ingress. */
export const behind = (ingress: object, spec: object = {}): object => ({ ingress, ...spec });

const networkCell = (spec: object = {}, block: object = {}): object =>
  behind({ type: 'AWSNetworkLoadBalancer', awsNetworkLoadBalancer: { ...network, ...block } }, spec);

const keeping = (forward: object): object => withRule({ priority: 10, hosts: ['example.com'], forward });
const group = { targetGroupStickiness: { durationSeconds: 3600 } };
const target = (changed: object = {}): object =>
  keeping({ ...group, targetStickiness: { type: 'lb_cookie', durationSeconds: 3600, ...changed } });

/** Specs of Cells behind load balancers that have to be accepted, by what they show. */
export const goodLoadBalancers: Readonly<Record<string, unknown>> = {
  'a Network Load Balancer': networkCell(),
  'a Network Load Balancer with weights': networkCell({
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }] } },
  }),
  'a Network Load Balancer whose rule stays, as it must': networkCell({ deletionPolicy: 'Retain' }),
  'a Network Load Balancer that keeps clients with a target group': networkCell(
    {},
    { listener: { forward: { targetGroupStickiness: { enabled: true } } } },
  ),
  'a Network Load Balancer in the block of the other': behind({
    type: 'AWSNetworkLoadBalancer',
    awsApplicationLoadBalancer: network,
  }),
  'a rule that goes with its Cell': cell({ deletionPolicy: 'Delete' }),
  'a rule that stays without its Cell': cell({ deletionPolicy: 'Retain' }),
  'clients that stay with a target group': keeping(group),
  'clients that stay with a target group for a week': keeping({
    targetGroupStickiness: { durationSeconds: 604_800 },
  }),
  'clients that stay with a target by a cookie of the load balancer': target(),
};

/** What is wrong behind a load balancer, the spec, and what a refusal has to mention. */
export const badLoadBalancers: readonly (readonly [string, unknown, string])[] = [
  [
    'no block for a network load balancer',
    behind({ type: 'AWSNetworkLoadBalancer' }),
    'spec.ingress.awsNetworkLoadBalancer is required',
  ],
  [
    'the other block for the load balancer',
    behind({ type: 'AWSApplicationLoadBalancer', awsNetworkLoadBalancer: network }),
    'spec.ingress.awsApplicationLoadBalancer is required',
  ],
  [
    'both blocks',
    behind({
      type: 'AWSNetworkLoadBalancer',
      awsNetworkLoadBalancer: network,
      awsApplicationLoadBalancer: network,
    }),
    'must have only one of',
  ],
  [
    'an application load balancer without a rule',
    behind({
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: { ...application, listener: undefined },
    }),
    'listener.rule',
  ],
  [
    'a network load balancer with a cookie',
    networkCell({}, { listener: { forward: { targetStickiness: {} } } }),
    'has no cookies',
  ],
  [
    'a network load balancer with the listener of another kind',
    networkCell({}, { listenerARN }),
    'listener of a Network Load Balancer',
  ],
  [
    'a network load balancer with a rule',
    networkCell({}, { listener: application.listener }),
    'spec.ingress.awsNetworkLoadBalancer.listener.rule is not supported',
  ],
  [
    'a network load balancer in the block of the other, with its ARN',
    behind({
      type: 'AWSNetworkLoadBalancer',
      awsApplicationLoadBalancer: { ...application, listener: undefined },
    }),
    'listener of a Network Load Balancer',
  ],
  [
    'a network load balancer in the block of the other, with a rule',
    behind({
      type: 'AWSNetworkLoadBalancer',
      awsApplicationLoadBalancer: { ...application, listenerARN: networkListenerARN },
    }),
    'spec.ingress must have no listener block',
  ],
  [
    'a network load balancer without a selector',
    networkCell({}, { targetGroupSelector: undefined }),
    'targetGroupSelector',
  ],
  [
    'a network load balancer whose listener is to be deleted',
    networkCell({ deletionPolicy: 'Delete' }),
    'spec.deletionPolicy',
  ],
  ['an unknown deletion policy', cell({ deletionPolicy: 'Orphan' }), 'spec.deletionPolicy'],
  [
    'clients that stay for no time',
    keeping({ targetGroupStickiness: { durationSeconds: 0 } }),
    'targetGroupStickiness.durationSeconds',
  ],
  [
    'clients that stay for more than a week',
    keeping({ targetGroupStickiness: { durationSeconds: 604_801 } }),
    'targetGroupStickiness.durationSeconds',
  ],
  [
    'clients that stay without a time',
    keeping({ targetGroupStickiness: {} }),
    'targetGroupStickiness.durationSeconds',
  ],
  [
    'clients that stay with a target but not with its group',
    keeping({ targetStickiness: { type: 'lb_cookie', durationSeconds: 60 } }),
    'forward.targetStickiness needs forward.targetGroupStickiness',
  ],
  ['a cookie of an unknown kind', target({ type: 'source_ip' }), 'targetStickiness.type'],
  ['a cookie of the application without a name', target({ type: 'app_cookie' }), 'cookieName'],
  ['a cookie of the load balancer with a name', target({ cookieName: 'session' }), 'cookieName'],
  [
    'a cookie of the application, which does not work with weights',
    target({ type: 'app_cookie', cookieName: 'session' }),
    'does not work with weighted target groups',
  ],
  [
    'a cookie with a name that is taken',
    target({ type: 'app_cookie', cookieName: 'AWSALBAPP-0' }),
    'AWSALBAPP and AWSALBTG',
  ],
  ['a cookie that stays for more than a week', target({ durationSeconds: 604_801 }), 'durationSeconds'],
];
