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

/** What serves, and what is done while it is looked at. */
interface Serving {
  readonly elbv2: ELBv2;
  readonly observed: ObservedForwarding;
  readonly asked: Forwarding;
  readonly weights: () => Weights;
}

type WhileLooking = () => Promise<unknown>;

async function aRule(meanwhile: WhileLooking): Promise<Serving> {
  const { elbv2, ...listener } = aListener();
  const observed = await applyTo({ elbv2 }, { a: 80, b: 20 });
  const rule: ELBv2['rule'] = async (...asked) => (await meanwhile(), elbv2.rule(...asked));
  const asked = forwarding({ a: 100, b: 0 });
  return { elbv2: { ...elbv2, rule }, observed, asked, weights: () => listener.weights(10) };
}

async function aDefaultAction(meanwhile: WhileLooking): Promise<Serving> {
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
    listener: async () => (await meanwhile(), { ListenerArn: listenerARN, DefaultActions: [action] }),
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

  /** Takes everything back, while something happens at each look right before and after the write. */
  async function takeBack(happens: (from: ReturnType<typeof writerFor>['kubernetes']) => Promise<unknown>) {
    let meanwhile: WhileLooking = () => Promise.resolve();
    const { elbv2, observed, asked, weights } = await serve(() => meanwhile());
    const config = asking(asked, observed);
    const { writer, kubernetes } = writerFor(elbv2, [config]);
    meanwhile = () => happens(kubernetes);
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

  it('is not made when something else is asked for while what serves is looked at', async () => {
    const spec = { asks: 'for something else' };
    const came = await takeBack(async (kubernetes) => {
      for (const kind of ['AWSApplicationLoadBalancerConfig', 'AWSNetworkLoadBalancerConfig'])
        await kubernetes.apply({
          apiVersion: 'okra.mumo.co/v1alpha1',
          kind,
          metadata: key,
          spec,
        } as object as never);
    });
    expect(came).toMatchObject({ came: 'Superseded', isWritten: false });
  });

  it('is not made by a process that was stopped while what serves was looked at', async () => {
    const stopped = () => Promise.resolve(void vi.setSystemTime(Date.now() + 60_000));
    expect(await takeBack(stopped)).toMatchObject({ came: 'Superseded', isWritten: false });
  });
});
