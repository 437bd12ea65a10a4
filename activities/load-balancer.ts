import { Context } from '@temporalio/activity';
import type { ELBv2 } from '../clients/elbv2.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import type { WriteBudget } from '../clients/write-budget.ts';
import { formatKey } from '../domain/ids.ts';
import type { Forwarding } from '../domain/load-balancer.ts';
import { beating } from './beat.ts';
import type { ApplyRequest, ListenerRuleActivities } from './contract.ts';
import { failure } from './failure.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { ConfigObject, Writing } from './load-balancers/port.ts';

/** What the writer of load balancers is made of. */
export interface LoadBalancerDependencies {
  readonly kubernetes: KubernetesClient;
  readonly elbv2: (arn: string) => ELBv2;
  readonly budget: WriteBudget;
}

/** Makes the activities that make a load balancer what its object says. */
export function loadBalancerActivities(dependencies: LoadBalancerDependencies): ListenerRuleActivities {
  const { kubernetes, elbv2, budget } = dependencies;
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
        const { permit } = writing(forwarding, urgent, signal);
        return calls.apply(request, {
          signal,
          permit: async () => {
            await permit();
            await refuseWhenAskedOtherwise(kubernetes, request);
            signal.throwIfAborted();
          },
        });
      }),
    removeRule: (request) =>
      beating((signal) => {
        const { forwarding } = request;
        const calls = loadBalancerOf(forwarding.type).connect({ elbv2 });
        return calls.remove(request, writing(forwarding, false, signal));
      }),
  };
}

/** Keeps from writing what the object does not ask for any more; it may have been taken back since the attempt began. */
async function refuseWhenAskedOtherwise(
  kubernetes: KubernetesClient,
  { key, forwarding, generation }: ApplyRequest,
): Promise<void> {
  const { kind } = loadBalancerOf(forwarding.type);
  const signal = Context.current().cancellationSignal;
  const now = (await kubernetes.get<ConfigObject>(kind, key, { signal }))?.metadata.generation;
  if (now === generation) return;
  throw failure(
    'Superseded',
    `Expected ${kind.kind} ${formatKey(key)} to ask for the same as when the attempt began (generation ${generation}), got ${now ?? 'no such object'}.`,
  );
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
