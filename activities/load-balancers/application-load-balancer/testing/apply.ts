import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { CellListenerRule } from '../../../../crds/listener-rule.ts';
import type { ApplicationLoadBalancerShape } from '../../../../domain/load-balancers/application-load-balancer/application-load-balancer.ts';
import type { ObservedForwarding } from '../../../../domain/load-balancers/load-balancer.ts';
import { arnOf } from '../../../../domain/testing/builders.ts';
import { applicationLoadBalancer } from '../application-load-balancer.ts';
import type { ApplyRequest, LoadBalancerDependencies, Writing } from '../../port.ts';
import { listenerARN, type FakeListener } from './listener.ts';

type Application = 'AWSApplicationLoadBalancer';

/** What is asked of the rule at priority 10, or of another. */
export const forwarding = (
  weights: Readonly<Record<string, number>>,
  place: { readonly listenerARN?: string } = {},
  change: Partial<CellListenerRule> = {},
) => {
  const targetGroups = Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));
  const { forward, ...match } = change;
  const rule = { priority: 10, hosts: ['a.com'], ...match, forward: { targetGroups, ...forward } };
  return { type: 'AWSApplicationLoadBalancer' as const, listenerARN, listener: { rule }, ...place };
};

/** How traffic gets in by that rule. */
export const aRoute = {
  type: 'AWSApplicationLoadBalancer' as const,
  listenerARN,
  listener: { rule: { priority: 10, hosts: ['a.com'] } },
};

/** A writer that lets every write be sent. */
export const anyWriting: Writing = {
  signal: new AbortController().signal,
  turn: () => Promise.resolve(),
  permit: () => Promise.resolve(),
  onRefusal: () => undefined,
};

/** Runs as an activity does whose waits are over at once. */
export const withoutWaits = <Value>(run: () => Promise<Value>): Promise<Value> =>
  asyncLocalStorage.run({ sleep: () => Promise.resolve() } as unknown as Context, run);

/** What a load balancer is reached with, by an installation of an id. */
export const dependenciesWith = (
  { elbv2 }: Pick<FakeListener, 'elbv2'>,
  installation = 'here',
): LoadBalancerDependencies => ({
  elbv2: () => elbv2,
  installation: () => Promise.resolve(installation),
  desiredOf: () => Promise.resolve(undefined),
});

/** What is asked otherwise; with `verify` ELBv2 is read first. */
type Change = Partial<ApplyRequest<ApplicationLoadBalancerShape>> & { readonly verify?: boolean };

/** What the writer of an object believes, by what is asked of it. */
export const trustedBy = ({
  verify = false,
  urgent = false,
}: {
  readonly verify?: boolean;
  readonly urgent?: boolean;
}) => (!verify ? 'Status' : urgent ? 'Nothing' : 'Reads');

/** Applies weights to the rule of a listener, as the writer of its object does. */
export function applyTo(
  { elbv2 }: Pick<FakeListener, 'elbv2'>,
  weights: Readonly<Record<string, number>>,
  { verify = false, ...change }: Change = {},
  writing: Partial<Writing> = {},
  dependencies: Partial<LoadBalancerDependencies> = {},
): Promise<ObservedForwarding<Application>> {
  const request: ApplyRequest<ApplicationLoadBalancerShape> = {
    key: { namespace: 'default', name: 'web' },
    forwarding: forwarding(weights),
    adopt: true,
    urgent: false,
    trusts: trustedBy({ verify, ...change }),
    ...change,
  };
  const calls = applicationLoadBalancer.connect({ ...dependenciesWith({ elbv2 }), ...dependencies });
  return withoutWaits(() => calls.apply(request, { ...anyWriting, ...writing }));
}
