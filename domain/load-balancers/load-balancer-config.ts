import type { Condition } from '../kubernetes/conditions.ts';
import type { ObjectKey } from '../model/ids.ts';
import type { DeletionPolicy, Forwarding, ObservedForwarding } from './load-balancer.ts';

/** An object that configures a load balancer, as the API server has it. */
export interface LoadBalancerConfigView {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: number;
  /** The version of the object as it was read or written, and how many writes were made to it by then. */
  readonly resourceVersion?: string | undefined;
  readonly sequence?: number;
  readonly desired: Forwarding;
  /** What the status says; what is served is in it. */
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
