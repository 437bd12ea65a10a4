import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { Resource } from '../../crds/resource.ts';
import type { TargetHealth, WeightChange, ZonesByGroup } from '../../domain/gates/health.ts';
import type { Condition } from '../../domain/kubernetes/conditions.ts';
import type { LoadBalancerShape } from '../../domain/load-balancers/kind.ts';
import type { LoadBalancerShapes } from '../../domain/load-balancers/kinds.ts';
import type {
  AnyShape,
  DeletionPolicy,
  InspectedForwarding,
} from '../../domain/load-balancers/load-balancer.ts';
import type {
  LoadBalancerConfigView,
  LoadBalancerStatus,
} from '../../domain/load-balancers/load-balancer-config.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { Adoption, Drift, InspectRequest, LoadBalancerConfigRef } from '../contract.ts';

/** An object that configures a load balancer, as the API server has it. */
export type ConfigObject = Resource<
  object,
  Omit<LoadBalancerStatus, 'served' | 'conditions'> & {
    readonly conditions?: readonly Condition[] | undefined;
  }
>;

interface ConfigReading<Of extends LoadBalancerShape> {
  readonly desired: Of['forwarding'];
  readonly observed?: Of['observed'];
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
  /** Waits for the rate limit of the next write, for those who read once more before `permit`. */
  readonly turn: () => Promise<void>;
  /** Waits for the rate limit, then throws when this attempt may write no more or leaves traffic without a healthy target (`NoHealthyTargets`); call it right before the write. */
  readonly permit: (weights?: WeightChange) => Promise<void>;
  /** Slows down the writes of this process where ELBv2 has throttled one that the attempt continues without. */
  readonly onRefusal: (refusal: unknown) => void;
  readonly signal: AbortSignal;
}

/** What is needed to make a load balancer serve what its object says. */
export interface ApplyRequest<Of extends LoadBalancerShape = AnyShape> {
  readonly key: ObjectKey;
  readonly forwarding: Of['forwarding'];
  /** What the object's status says is served. */
  readonly observed?: Of['observed'];
  readonly adopt: Adoption;
  /** Whether this takes traffic back: then no read is waited for, and where none answers it is written without one. */
  readonly urgent: boolean;
  /** Whether no Cell owns the object: the targets of a Cell's first rule cannot be healthy before (`Installing`). */
  readonly isStandalone?: boolean;
  /** What is believed of what it serves; `Nothing`: a read may be older than the write to undo, so it is written whatever that shows. */
  readonly trusts: 'Status' | 'Reads' | 'Nothing';
}

/** What is needed to delete what an object has made of its load balancer. */
export type RemoveRequest<Of extends LoadBalancerShape = AnyShape> = Pick<
  ApplyRequest<Of>,
  'key' | 'forwarding' | 'observed'
>;

/** An object, and what its status says is served. */
export interface Mirrored<Of extends LoadBalancerShape = AnyShape> {
  readonly key: ObjectKey;
  readonly observed: Of['observed'];
}

/** A look at a load balancer, and what of it may be taken over. */
export type Inspection<Of extends LoadBalancerShape = AnyShape> = Omit<InspectRequest, 'adopt' | 'route'> & {
  readonly route: Of['route'];
  readonly adopt: Adoption;
};

/** The calls to a load balancer; what they throw is translated by their caller. */
export interface LoadBalancerCalls<Of extends LoadBalancerShape = AnyShape> {
  /** Makes it serve what is asked, by one write that carries all weights, and answers with what was read back. */
  apply(request: ApplyRequest<Of>, writing: Writing): Promise<Of['observed']>;
  /** Says what it serves now; throws a `Conflict` when that is someone else's and may not be taken over. */
  inspect(request: Inspection<Of>, signal: AbortSignal): Promise<InspectedForwarding>;
  remove(request: RemoveRequest<Of>, writing: Writing): Promise<void>;
  /** Reads a place once, and says of which objects it serves something else. */
  drift(place: string, objects: readonly Mirrored<Of>[], signal: AbortSignal): Promise<readonly Drift[]>;
  /** In which zones each group that is to gain needs targets of its own; left out, in none. */
  zonesOf?(
    forwarding: Of['forwarding'],
    gaining: readonly TargetHealth[],
    signal: AbortSignal,
  ): Promise<ZonesByGroup>;
}

/** A load balancer that traffic is shifted with: the object that configures it, and the calls that make it so. */
export interface LoadBalancer<Of extends LoadBalancerShape = AnyShape> {
  readonly kind: KindRef;
  read(object: ConfigObject): ConfigReading<Of>;
  spec(forwarding: Of['forwarding'], deletionPolicy: DeletionPolicy): object;
  status(observed: Of['observed']): object;
  /** The field selector that finds the objects at a place; without it, all objects are read. */
  selector?(place: string): string;
  /** The name of the account and place whose writes AWS counts together. */
  quota(forwarding: Of['forwarding']): string;
  connect(dependencies: LoadBalancerDependencies): LoadBalancerCalls<Of>;
}

/** A load balancer for each shape. */
export type LoadBalancersOf<Shapes = LoadBalancerShapes> = {
  readonly [Type in keyof Shapes]: Shapes[Type] extends LoadBalancerShape
    ? LoadBalancer<Shapes[Type]>
    : never;
};
