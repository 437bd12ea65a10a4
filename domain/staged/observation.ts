import type { StagedBindingPolicySpec, StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import type { Freezing } from '../gates/freeze.ts';
import type { Clusters } from './progressive.ts';

/** A BindingPolicy that Okra has made for a stage, as it was found. */
interface FoundPolicy {
  readonly stage: string;
  readonly name: string;
  readonly uid: string;
  /** Whether it says what the StagedBindingPolicy asks for now. */
  readonly isAsAsked: boolean;
  readonly isDeleting: boolean;
}

/** The BindingPolicy that places the workload of a stage. */
export interface StagePolicy extends FoundPolicy {
  readonly isBound: boolean;
  /** Why KubeStellar does not bind it as it is now; undefined when it does, or has not tried yet. */
  readonly refusal?: string;
  /** The clusters that it reaches, while it does not reach all that its stage selects. */
  readonly only?: readonly string[];
}

/** The BindingPolicy that asks KubeStellar which clusters a stage selects. */
export interface ClusterSelection extends FoundPolicy {
  readonly clusters?: readonly string[];
}

/** How far the stage that was looked at is. */
export interface StageView {
  readonly stage: string;
  /** Why KubeStellar has not bound it; undefined when it has. */
  readonly unbound?: string;
  /** Whether KubeStellar has not observed its BindingPolicy as it is now, or refuses it. */
  readonly isOutOfDate?: true;
  /** How many objects the stage looks at, and how many of them fulfil it. */
  readonly objects: number;
  readonly fulfilled: number;
  readonly first?: { readonly object: string; readonly reason: string };
  /** A digest of the objects, their versions and the clusters; empty while it is not bound. */
  readonly print: string;
  /** Of a progressive stage: all clusters, those that it was told to reach, and those that fulfil it. */
  readonly clusters?: Clusters;
  /** Why its Cell keeps it from being fulfilled; undefined when nothing does. */
  readonly cell?: string;
}

/** A StagedBindingPolicy that is there. */
export interface PresentPolicy {
  readonly uid: string;
  readonly generation: number;
  /** Undefined when the spec cannot be followed. */
  readonly spec?: StagedBindingPolicySpec;
  /** What is wrong with the spec, or with the space. */
  readonly problems: readonly { readonly reason: string; readonly message: string }[];
  readonly isDeleting: boolean;
  /** Whether its BindingPolicies are in another API server, where Kubernetes does not collect them. */
  readonly isElsewhere: boolean;
  readonly status: StagedBindingPolicyStatus;
}

/** A look at a StagedBindingPolicy. */
export interface StagedLook {
  readonly name: string;
  readonly at?: string;
  /** Whether a stage is, or may be, taken back: which one is gone back to may be any that is earlier. */
  readonly isTakingBack?: true;
}

/** What one look at a StagedBindingPolicy has found. */
export interface ObservedStaged {
  readonly object?: PresentPolicy;
  readonly policies: readonly StagePolicy[];
  readonly selection?: ClusterSelection;
  readonly view?: StageView;
  readonly freezes: readonly Freezing[];
}

/** What a turn looks at. */
export interface Situation {
  readonly observed: ObservedStaged;
  readonly object: PresentPolicy;
  readonly spec: StagedBindingPolicySpec;
  readonly now: number;
}
