import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { Resource } from '../../crds/resource.ts';
import type { Condition } from '../../domain/kubernetes/conditions.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type {
  DeletionPolicy,
  Forwarding,
  InspectedForwarding,
  LoadBalancerType,
  ObservedForwarding,
} from '../../domain/load-balancers/load-balancer.ts';
import type { LoadBalancerStatus } from '../../domain/load-balancers/load-balancer-config.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import type {
  ApplyRequest,
  Drift,
  Adoption,
  InspectRequest,
  LoadBalancerConfigRef,
  RemoveRequest,
} from '../contract.ts';

/** An object that configures a load balancer, as the API server has it. */
export type ConfigObject = Resource<
  object,
  Omit<LoadBalancerStatus, 'served' | 'conditions'> & {
    readonly conditions?: readonly Condition[] | undefined;
  }
>;

/** What a configuration object says. */
export interface ConfigReading<Type extends LoadBalancerType> {
  readonly desired: Forwarding<Type>;
  /** What its status says is served. */
  readonly observed?: ObservedForwarding<Type>;
  readonly deletionPolicy: DeletionPolicy;
}

/** What load balancers are reached with. */
export interface LoadBalancerDependencies {
  readonly elbv2: (arn: string) => ELBv2;
  readonly installation: Installation;
  /** What an object of this installation asks for and what its status says; undefined when there is none, or it goes. */
  readonly desiredOf: (
    ref: LoadBalancerConfigRef,
    signal: AbortSignal,
  ) => Promise<Pick<LoadBalancerConfigView, 'desired' | 'status'> | undefined>;
}

/** How a write may be made. */
export interface Writing {
  /**
   * Lets one more write be sent; throws when this attempt may not write any more, or not yet. `Same` takes no turn in the
   * budget: it goes on with that of a write which was refused.
   */
  readonly permit: (turn?: 'Same') => Promise<void>;
  readonly signal: AbortSignal;
}

/** An object, and what its status says is served. */
export interface Mirrored<Type extends LoadBalancerType> {
  readonly key: ObjectKey;
  readonly observed: ObservedForwarding<Type>;
}

/** A look at a load balancer, and what of it may be taken over. */
export type Inspection = Omit<InspectRequest, 'adopt'> & { readonly adopt: Adoption };

/** The calls to a load balancer; what they throw is translated by their caller. */
export interface LoadBalancerCalls<Type extends LoadBalancerType = LoadBalancerType> {
  /** Makes it serve what is asked, by one write that carries all weights, and answers with what was read back. */
  apply(request: ApplyRequest<Type>, writing: Writing): Promise<ObservedForwarding<Type>>;
  /** Says what it serves now; throws a `Conflict` when that is someone else's and may not be taken over. */
  inspect(request: Inspection, signal: AbortSignal): Promise<InspectedForwarding>;
  /** Deletes what the object has made of it, and nothing else. */
  remove(request: RemoveRequest<Type>, writing: Writing): Promise<void>;
  /** Reads it once, and says of which objects it serves something else. */
  drift(
    listenerARN: string,
    objects: readonly Mirrored<Type>[],
    signal: AbortSignal,
  ): Promise<readonly Drift[]>;
}

/** A load balancer that traffic is shifted with: the object that configures it, and the calls that make it so. */
export interface LoadBalancer<Type extends LoadBalancerType = LoadBalancerType> {
  readonly kind: KindRef;
  /** Reads its configuration object. */
  read(object: ConfigObject): ConfigReading<Type>;
  /** Writes the spec of its configuration object. */
  spec(forwarding: Forwarding<Type>, deletionPolicy: DeletionPolicy): object;
  /** Writes what is served into the status of its configuration object. */
  status(served: ObservedForwarding<Type>): object;
  /** The name of the account and place whose writes share one budget. */
  quota(forwarding: Forwarding<Type>): string;
  connect(means: LoadBalancerDependencies): LoadBalancerCalls<Type>;
}
