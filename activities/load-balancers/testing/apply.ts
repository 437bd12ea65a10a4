import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import { arnOf } from '../../../domain/testing/builders.ts';
import type { ApplyRequest } from '../../contract.ts';
import { applicationLoadBalancer } from '../application.ts';
import type { LoadBalancerDependencies, Writing } from '../port.ts';
import { listenerARN, type FakeListener } from './listener.ts';

type Application = 'AWSApplicationLoadBalancer';

/** What is asked of the rule at priority 10. */
export const forwarding = (weights: Readonly<Record<string, number>>, place = {}) => ({
  type: 'AWSApplicationLoadBalancer' as const,
  listenerARN,
  rule: { priority: 10, hosts: ['a.com'] },
  targetGroups: Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight })),
  ...place,
});

/** Runs as an activity does whose waits are over at once. */
export const withoutWaits = <Value>(run: () => Promise<Value>): Promise<Value> =>
  asyncLocalStorage.run({ sleep: () => Promise.resolve() } as unknown as Context, run);

/** What a load balancer is reached with, by an installation of an id. */
export const meansOf = (
  { elbv2 }: Pick<FakeListener, 'elbv2'>,
  installation = 'here',
): LoadBalancerDependencies => ({
  elbv2: () => elbv2,
  installation: () => Promise.resolve(installation),
  desiredOf: () => Promise.resolve(undefined),
});

/** Applies weights to the rule of a listener, as the writer of its object does. */
export function applyTo(
  { elbv2 }: Pick<FakeListener, 'elbv2'>,
  weights: Readonly<Record<string, number>>,
  change: Partial<ApplyRequest<Application>> = {},
  permit: Writing['permit'] = () => Promise.resolve(),
  means: Partial<LoadBalancerDependencies> = {},
): Promise<ObservedForwarding<Application>> {
  const request: ApplyRequest<Application> = {
    key: { namespace: 'default', name: 'web' },
    forwarding: forwarding(weights),
    adopt: true,
    urgent: false,
    verify: false,
    ...change,
  };
  const { signal } = new AbortController();
  const calls = applicationLoadBalancer.connect({ ...meansOf({ elbv2 }), ...means });
  return withoutWaits(() => calls.apply(request, { signal, permit }));
}
