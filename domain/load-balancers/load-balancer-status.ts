import type { LoadBalancerStatus, LoadBalancerConfigView } from './load-balancer-config.ts';
import { conditionsFrom } from '../kubernetes/conditions.ts';
import { describeRoute, targetGroupsOf, weightsText, type ObservedForwarding } from './load-balancer.ts';

/** The result of one attempt to apply an object. */
export type ApplyOutcome =
  | {
      readonly is: 'Served';
      readonly served: ObservedForwarding;
      readonly created: boolean;
      readonly message?: never;
    }
  | {
      readonly is: 'Refused';
      readonly reason: string;
      readonly message: string;
    };

/** Derives the status of an object from the result of applying it; what is still served stays in it. */
export function loadBalancerStatus(
  config: LoadBalancerConfigView,
  outcome: ApplyOutcome,
  time: string,
): LoadBalancerStatus {
  const before = config.status;
  const said = saidOf(outcome);
  const settled = outcome.is === 'Served';
  const served = settled ? outcome.served : before.observed;
  const observedGeneration = settled ? config.generation : before.observedGeneration;
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...said,
    ...(served === undefined ? {} : { observed: served }),
    conditions: conditionsFrom(
      [
        { type: 'Ready', holds: settled, reason: said.reason, message: said.message },
        { type: 'Degraded', holds: !settled, reason: said.reason, message: said.message },
      ],
      before.conditions ?? [],
      { generation: config.generation, time },
    ),
  };
}

function saidOf(outcome: ApplyOutcome) {
  if (outcome.is === 'Refused') {
    return { phase: 'Error', reason: outcome.reason, message: outcome.message } as const;
  }
  const { served, created } = outcome;
  return {
    phase: created ? 'Created' : 'Updated',
    reason: 'Served',
    message: `ELBv2 serves ${describeRoute(served)} with ${weightsText(targetGroupsOf(served))}.`,
  } as const;
}
