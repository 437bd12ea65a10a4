import { type Condition, conditionsFrom } from '../kubernetes/conditions.ts';
import { given } from '../model/fields.ts';
import type { ObjectKey } from '../model/ids.ts';
import {
  type DeletionPolicy,
  type Forwarding,
  type ObservedForwarding,
  describeRoute,
  targetGroupsOf,
  weightsText,
} from './load-balancer.ts';

/** An object that configures a load balancer, as the API server has it. */
export interface LoadBalancerConfigView {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  /** The version of the object as it was read or written, and how many writes were made to it by then. */
  readonly resourceVersion?: string | undefined;
  readonly sequence?: number;
  readonly desired: Forwarding;
  readonly status: LoadBalancerStatus;
  /** Whether the object may take over what Okra did not create. */
  readonly adopt: boolean;
  readonly deletion: Deletion;
}

/** How the deletion of an object stands. */
export interface Deletion {
  readonly policy: DeletionPolicy;
  /** Whether the object carries Okra's finalizer, and therefore stays until what it configures is deleted. */
  readonly isHeld: boolean;
  readonly isUnderWay: boolean;
}

/** The status of an object that configures a load balancer, whichever it is. */
export interface LoadBalancerStatus {
  readonly observedGeneration?: number | undefined;
  readonly phase?: 'Pending' | 'Created' | 'Updating' | 'Updated' | 'Error' | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** What the load balancer serves; undefined when nothing is known of it. */
  readonly observed?: ObservedForwarding | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

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
    ...said,
    ...given({ observedGeneration, observed: served }),
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
