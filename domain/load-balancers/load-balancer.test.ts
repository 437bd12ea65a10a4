import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import type { CellListenerRule } from '../../crds/listener-rule.ts';
import { decide } from '../rollout/decide/decide.ts';
import { listenerARNOf, routeOf, sameRoute, observedAfter, type Route } from './load-balancer.ts';
import { loadBalancerStatus } from './load-balancer-config.ts';
import { initialState } from '../model/state.ts';
import { targetDeploymentStatus } from './application-load-balancer/target-deployment.ts';
import { revertedShares } from '../rollout/decide/revert.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { aCell, arnOf } from '../testing/builders.ts';

const ARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener';
const app = `${ARN}/app/web/a/b`;
const net = `${ARN}/net/web/a/b`;
const targetGroupSelector = { matchLabels: { role: 'web' } };
const rule = { priority: 10, hosts: ['example.com'] };
const application = (change: Partial<CellListenerRule> = {}, listenerARN = app): Route => ({
  type: 'AWSApplicationLoadBalancer',
  listenerARN,
  listener: { rule: { ...rule, ...change } },
});
const network: Route<'AWSNetworkLoadBalancer'> = { type: 'AWSNetworkLoadBalancer', listenerARN: net };
const keeping = (enabled: boolean): Route => ({
  ...network,
  listener: { forward: { targetGroupStickiness: { enabled } } },
});
/** What a listener forwards to, and how it keeps clients. */
const forwardingTo = (targetGroups: readonly WeightedTargetGroup[], more: object = {}) => ({
  ...network,
  listener: { forward: { targetGroups: [...targetGroups], ...more } },
});

describe('the route of a Cell', () => {
  it('is by a listener, behind a load balancer of ELBv2', () => {
    expect([application(), network].map(listenerARNOf)).toEqual([app, net]);
  });

  it.each<[string, CellSpec['ingress'], Route | undefined]>([
    [
      'is a rule of an Application Load Balancer',
      {
        type: 'AWSApplicationLoadBalancer',
        awsApplicationLoadBalancer: { listenerARN: app, listener: { rule }, targetGroupSelector },
      },
      application(),
    ],
    [
      'is the listener of a Network Load Balancer',
      { type: 'AWSNetworkLoadBalancer', awsNetworkLoadBalancer: { listenerARN: net, targetGroupSelector } },
      network,
    ],
    [
      'A-N05 is the listener of a Network Load Balancer in the block of the other',
      {
        type: 'AWSNetworkLoadBalancer',
        awsApplicationLoadBalancer: { listenerARN: net, targetGroupSelector },
      },
      network,
    ],
    [
      'is the listener of a Network Load Balancer, and how it keeps clients',
      {
        type: 'AWSNetworkLoadBalancer',
        awsNetworkLoadBalancer: {
          listenerARN: net,
          listener: { forward: { targetGroupStickiness: { enabled: true } } },
          targetGroupSelector,
        },
      },
      keeping(true),
    ],
    ['is nothing without a block', { type: 'AWSNetworkLoadBalancer' }, undefined],
    ['is nothing with an unknown type', { type: 'Envoy' }, undefined],
  ])('%s', (_, ingress, want) => expect(routeOf({ ingress })).toEqual(want));
});

describe('two routes', () => {
  it.each<[string, Route, Route, boolean]>([
    ['are the same with the same rule', application(), application({ forward: {} }), true],
    ['differ in their conditions', application(), application({ hosts: ['other.com'] }), false],
    ['differ in their priority', application(), application({ priority: 11 }), false],
    ['differ in their listener', application(), application({}, `${app}c`), false],
    [
      'differ in how clients are kept',
      application(),
      application({ forward: { targetGroupStickiness: { durationSeconds: 60 } } }),
      false,
    ],
    ['are the same with the same listener', network, { ...network }, true],
    ['are the same when one of them says nothing of how clients are kept', network, keeping(true), true],
    ['differ in how a listener keeps clients', keeping(false), keeping(true), false],
    ['are the same when clients are kept by neither', keeping(false), network, true],
    ['differ in their load balancer', network, application({}, net), false],
  ])('%s', (_, a, b, want) => expect(sameRoute(a, b)).toBe(want));
});

describe('a Cell whose settings are edited', () => {
  const cell = aCell().withGroups('1.0.0', 'a').serving({ a: 100 });
  const withRule = (change: object) => ({
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: `${ARN}/app/demo/aaa/bbb`,
        listener: { rule: { ...rule, ...change } },
        targetGroupSelector,
      },
    },
  });
  it.each<[string, Partial<CellSpec>, string]>([
    ['does nothing when they are the same', withRule({ forward: {} }), 'Close'],
    ['keeps its weights when its hosts change', withRule({ hosts: ['b.com'] }), 'Reconfiguring'],
    ['keeps its weights when its priority changes', withRule({ priority: 20 }), 'Reconfiguring'],
    [
      'keeps its weights when clients are to be kept',
      withRule({ forward: { targetGroupStickiness: { durationSeconds: 60 } } }),
      'Reconfiguring',
    ],
    ['tells its configuration of another policy', { deletionPolicy: 'Delete' }, 'Reconfiguring'],
    ['need not tell it of the default', { deletionPolicy: 'Retain' }, 'Close'],
  ])('%s', (_, spec, want) => {
    const decision = decide(cell.withSpec(spec).seen(), initialState, 0);
    const shares = [{ name: 'a', arn: arnOf('a'), weight: 100 }];
    expect(decision).toMatchObject(want === 'Close' ? { do: want } : { purpose: want, shares });
  });
});

describe('what takes traffic back behind a Network Load Balancer', () => {
  const observed = aCell().withGroups('1.0.0', 'a').withGroups('2.0.0', 'b').serving({ a: 80, b: 20 }).seen();
  const [a, b] = observed.weighted;
  const shares = (enabled: boolean): readonly string[] => {
    const { weighted: targetGroups, cell } = observed;
    if (a === undefined || b === undefined || cell === undefined) return [];
    const serving = forwardingTo(targetGroups, { targetGroupStickiness: { enabled } });
    return revertedShares([a], [b], { observed: { ...observed, observedForwarding: serving }, cell }).map(
      ({ name }) => name,
    );
  };
  it.each([
    ['leaves nobody with the others where flows are kept with a target group', true, ['a']],
    ['leaves the others at 0 where they are not', false, ['a', 'b']],
  ])('%s', (_, enabled, want) => expect(shares(enabled)).toEqual(want));

  it('does not forget, when nobody could look, how clients were kept', () => {
    const before = forwardingTo([], { targetGroupStickiness: { enabled: true } });
    const after = forwardingTo(observed.weighted);
    expect(observedAfter(after, before)).toEqual(
      forwardingTo(observed.weighted, { targetGroupStickiness: { enabled: true } }),
    );
    const asked = forwardingTo(observed.weighted, { targetGroupStickiness: { enabled: false } });
    expect(observedAfter(asked, before)).toEqual(asked);
  });
});

describe('the status of a configuration', () => {
  const served = forwardingTo([{ name: 'a', arn: arnOf('a'), weight: 100 }]);
  const config = {
    key: { namespace: 'default', name: 'web' },
    uid: 'u',
    generation: 2,
    desired: served,
    status: {},
    adopt: false,
    deletion: { policy: 'Retain', isHeld: false, isUnderWay: false },
  } as const;

  it('says what is served', () =>
    expect(loadBalancerStatus(config, { is: 'Served', served, created: true }, 'now')).toMatchObject({
      observedGeneration: 2,
      phase: 'Created',
      message: 'ELBv2 serves the default action of the listener with a: 100.',
      observed: served,
    }));

  it('keeps what is still served when something refuses', () => {
    const refusal = { is: 'Refused', reason: 'Throttled', message: 'Too fast.' } as const;
    const before = { ...config, status: { observedGeneration: 1, observed: served } };
    expect(loadBalancerStatus(before, refusal, 'now')).toMatchObject({
      observedGeneration: 1,
      phase: 'Error',
      reason: 'Throttled',
      observed: served,
    });
  });
});

describe('the view of what a rule routes to', () => {
  const targetGroups = [
    { name: 'a', arn: arnOf('a'), weight: 80 },
    { name: 'b', arn: arnOf('b'), weight: 10 },
    { name: 'c', arn: arnOf('c'), weight: 10 },
  ];
  const served = {
    type: 'AWSApplicationLoadBalancer' as const,
    listenerARN: app,
    listener: { rule: { ...rule, forward: { targetGroups } } },
    ruleARN: 'arn:rule',
  };

  it('names the version with the most weight', () => {
    const versions = new Map([
      [arnOf('a'), '1.0.0'],
      [arnOf('b'), '2.0.0'],
    ]);
    expect(targetDeploymentStatus(served, versions)).toEqual({
      listenerARN: app,
      ruleARN: 'arn:rule',
      priority: 10,
      version: '1.0.0',
      weights: 'a: 80, b: 10, c: 10',
      targetGroups: [
        { name: 'a', arn: arnOf('a'), weight: 80, version: '1.0.0' },
        { name: 'b', arn: arnOf('b'), weight: 10, version: '2.0.0' },
        { name: 'c', arn: arnOf('c'), weight: 10 },
      ],
    });
  });

  it('names no version when nobody knows one', () =>
    expect(targetDeploymentStatus(served, new Map())).not.toHaveProperty('version'));
});
