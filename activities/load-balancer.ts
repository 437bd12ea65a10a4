import { Context } from '@temporalio/activity';
import type { ELBv2 } from '../clients/elbv2.ts';
import type { WriteBudget } from '../clients/write-budget.ts';
import type { Forwarding } from '../domain/load-balancer.ts';
import { beating } from './beat.ts';
import type { ListenerRuleActivities } from './contract.ts';
import { failure } from './failure.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { Writing } from './load-balancers/port.ts';

/** What the writer of load balancers is made of. */
export interface LoadBalancerDependencies {
  readonly elbv2: (arn: string) => ELBv2;
  readonly budget: WriteBudget;
}

/** Makes the activities that make a load balancer what its object says. */
export function loadBalancerActivities({ elbv2, budget }: LoadBalancerDependencies): ListenerRuleActivities {
  const writing = (forwarding: Forwarding, urgent: boolean, signal: AbortSignal): Writing => ({
    signal,
    permit: async () => {
      await budget.take(loadBalancerOf(forwarding.type).quota(forwarding), urgent, signal);
      signal.throwIfAborted();
      refuseWhenLate();
    },
  });
  return {
    applyRule: (request) =>
      beating((signal) => {
        const { forwarding, urgent } = request;
        const calls = loadBalancerOf(forwarding.type).connect({ elbv2 });
        return calls.apply(request, writing(forwarding, urgent, signal));
      }),
    removeRule: (request) =>
      beating((signal) => {
        const { forwarding } = request;
        const calls = loadBalancerOf(forwarding.type).connect({ elbv2 });
        return calls.remove(request, writing(forwarding, false, signal));
      }),
  };
}

/** Keeps a process that was stopped for long from writing when somebody else has taken over. */
function refuseWhenLate(): void {
  const { currentAttemptScheduledTimestampMs, startToCloseTimeoutMs } = Context.current().info;
  if (Date.now() > currentAttemptScheduledTimestampMs + startToCloseTimeoutMs) {
    throw failure(
      'Superseded',
      'Expected to write in time, got here too late; another attempt has taken over.',
    );
  }
}
