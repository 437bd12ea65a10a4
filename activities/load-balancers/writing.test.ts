import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Forwarding, ObservedForwarding } from '../../domain/load-balancers/load-balancer.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { applyTo, forwarding } from './application-load-balancer/testing/apply.ts';
import { aListener, listenerARN } from './application-load-balancer/testing/listener.ts';
import { asActivity, asking, key, urgently, writerFor } from './testing/writer.ts';

type Weights = Readonly<Record<string, number>>;

/** What serves, and what is done while it is looked at, or while credentials are waited for. */
interface Serving {
  readonly elbv2: ELBv2;
  readonly observed: ObservedForwarding;
  readonly asked: Forwarding;
  readonly weights: () => Weights;
}

type Meanwhile = (waitingFor: 'look' | 'credentials') => Promise<unknown>;

async function aRule(meanwhile: Meanwhile): Promise<Serving> {
  const { elbv2, ...listener } = aListener();
  const observed = await applyTo({ elbv2 }, { a: 80, b: 20 });
  const rule: ELBv2['rule'] = async (...asked) => (await meanwhile('look'), elbv2.rule(...asked));
  const ready: ELBv2['ready'] = async () => void (await meanwhile('credentials'));
  const asked = forwarding({ a: 100, b: 0 });
  return { elbv2: { ...elbv2, rule, ready }, observed, asked, weights: () => listener.weights(10) };
}

async function aDefaultAction(meanwhile: Meanwhile): Promise<Serving> {
  const asked = (weights: Weights) => ({
    type: 'AWSNetworkLoadBalancer' as const,
    listenerARN,
    listener: {
      forward: {
        targetGroups: Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight })),
      },
    },
  });
  const observed = asked({ a: 80, b: 20 });
  let action: Action = { Type: 'forward', ForwardConfig: { TargetGroups: [] } };
  const elbv2: Partial<ELBv2> = {
    ready: async () => void (await meanwhile('credentials')),
    listener: async () => (await meanwhile('look'), { ListenerArn: listenerARN, DefaultActions: [action] }),
    setDefaultAction: (_, written) => ((action = written), Promise.resolve()),
  };
  const groups = () => action.ForwardConfig?.TargetGroups ?? [];
  const weights = () =>
    Object.fromEntries(groups().map(({ TargetGroupArn = '', Weight = 1 }) => [TargetGroupArn, Weight]));
  await Promise.resolve();
  return { elbv2: elbv2 as ELBv2, observed, asked: asked({ a: 100, b: 0 }), weights };
}

describe.each([
  ['a listener rule', aRule],
  ['the default action of a listener', aDefaultAction],
])('a write to %s', (_, serve) => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  type Kubernetes = ReturnType<typeof writerFor>['kubernetes'];

  /** Takes everything back, while something happens at each look right before and after the write, or before credentials are there. */
  async function takeBack(happens: (from: Kubernetes) => Promise<unknown>, when = 'look') {
    let meanwhile: Meanwhile = () => Promise.resolve();
    const { elbv2, observed, asked, weights } = await serve((waitingFor) => meanwhile(waitingFor));
    const config = asking(asked, observed);
    const { writer, kubernetes } = writerFor(elbv2, [config]);
    meanwhile = (waitingFor) => (waitingFor === when ? happens(kubernetes) : Promise.resolve());
    const before = weights();
    const get = vi.spyOn(kubernetes, 'get');
    const attempt = () => withHeartbeat(() => writer.apply(config, urgently()));
    const came = await asActivity(attempt, { heartbeatTimeoutMs: 1_500 }).then(
      ({ is }) => is,
      (error: { readonly type?: string }) => error.type,
    );
    const looks = get.mock.calls.filter(([{ kind }]) => kind === `${asked.type}Config`).length;
    return { came, isWritten: JSON.stringify(weights()) !== JSON.stringify(before), looks };
  }

  it('is made after one look at what is asked for', async () =>
    expect(await takeBack(() => Promise.resolve())).toEqual({ came: 'Served', isWritten: true, looks: 1 }));

  it.each([
    ['what serves is looked at', 'look'],
    ['credentials are waited for', 'credentials'],
  ])('is not made when something else is asked for while %s', async (_when, when) => {
    const spec = { asks: 'for something else' };
    const came = await takeBack(async (kubernetes) => {
      for (const kind of ['AWSApplicationLoadBalancerConfig', 'AWSNetworkLoadBalancerConfig'])
        await kubernetes.apply({
          apiVersion: 'okra.mumo.co/v1alpha1',
          kind,
          metadata: key,
          spec,
        } as object as never);
    }, when);
    expect(came).toMatchObject({ came: 'Superseded', isWritten: false });
  });

  it.each([
    ['what serves was looked at', 'look'],
    ['it waited for credentials', 'credentials'],
  ])('is not made by a process that was stopped while %s', async (_when, when) => {
    const stopped = () => Promise.resolve(void vi.setSystemTime(Date.now() + 60_000));
    expect(await takeBack(stopped, when)).toMatchObject({ came: 'Superseded', isWritten: false });
  });
});
