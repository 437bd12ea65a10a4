import {
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  APPLICATION,
  APPLICATION_SET,
  BINDING,
  BINDING_POLICY,
  COMBINED_STATUS,
  CLUSTER_ANALYSIS_TEMPLATE,
  CONTROLLER_REVISION,
  EXPERIMENT,
  JOB,
  REPLICA_SET,
  SECRET,
  type KindRef,
} from '../clients/kubernetes/kinds.ts';
import type { StoredClusterSecret } from '../clients/kubernetes/remote-clusters.ts';
import { CELL_LABEL, CLUSTER_SECRETS } from '../domain/kubernetes/labels.ts';
import type { AnalysisPhase } from '../domain/rollout/measure/analysis.ts';
import type { ExperimentStatus } from '../domain/rollout/measure/experiment.ts';
import type { JobStatus } from '../domain/rollout/measure/job.ts';
import { STAGED_UID_LABEL } from '../domain/staged/policy.ts';
import type { Informed } from './event.ts';

/** An object with labels. */
interface Labelled extends Informed {
  readonly metadata: Informed['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
}

/** An AnalysisRun of Argo Rollouts, as far as it is looked at. */
export interface AnalysisRun extends Labelled {
  readonly status?: { readonly phase?: AnalysisPhase };
}

/** An Experiment of Argo Rollouts, as far as it is looked at. */
export interface Experiment extends Labelled {
  readonly status?: ExperimentStatus;
}

/** A Job that a Cell has made, as far as it is looked at. */
export interface Job extends Labelled {
  readonly status?: JobStatus;
}

/** A ReplicaSet, as far as it is looked at. */
export interface ReplicaSet extends Informed {
  readonly metadata: Informed['metadata'] & { readonly generation?: number };
}

/** An object of KubeStellar's that a stage depends on: a BindingPolicy, its Binding, or a CombinedStatus. */
export interface StagedPart extends Labelled {
  readonly metadata: Labelled['metadata'] & { readonly generation?: number };
  readonly status?: { readonly observedGeneration?: number };
}

/** What Argo CD deploys: an ApplicationSet, or one of its Applications. */
export interface Deployed extends Labelled {
  readonly metadata: Labelled['metadata'] & {
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  /** All of it that decides whether an application is deployed, in a word. */
  readonly says?: string;
}

/** A revision of an application of a Cell. */
export type Revision = Labelled;

/** The objects of each kind that watchers look at and that is not Okra's. */
export interface ForeignObjects {
  readonly Secret: StoredClusterSecret;
  readonly AnalysisRun: AnalysisRun;
  readonly AnalysisTemplate: Informed;
  readonly ClusterAnalysisTemplate: Informed;
  readonly Experiment: Experiment;
  readonly Job: Job;
  readonly ReplicaSet: ReplicaSet;
  readonly BindingPolicy: StagedPart;
  readonly Binding: StagedPart;
  readonly CombinedStatus: StagedPart;
  readonly Application: Deployed;
  readonly ApplicationSet: Deployed;
  readonly ControllerRevision: Revision;
}

/** The name of a kind that watchers look at and that is not Okra's. */
export type ForeignKind = keyof ForeignObjects;

/** How objects are watched that are not Okra's; Okra can do without each of these kinds. */
interface Foreign {
  readonly ref: KindRef;
  readonly labelSelector?: string;
  /** Whether watchers remember the objects; of the others, that one came or changed is all there is to know. */
  readonly isStored: boolean;
  /** Whether each that is there counts as added when the watchers begin, and from time to time. */
  readonly isReplayed: boolean;
}

const told = { isStored: false, isReplayed: false } as const;

/** The kinds of others that watchers look at. */
export const foreignKinds = {
  // Not replayed: who looks into their clusters is, and so has just been started.
  Secret: { ref: SECRET, labelSelector: CLUSTER_SECRETS, isStored: true, isReplayed: false },
  AnalysisRun: { ref: ANALYSIS_RUN, labelSelector: CELL_LABEL, isStored: true, isReplayed: true },
  AnalysisTemplate: { ref: ANALYSIS_TEMPLATE, ...told },
  ClusterAnalysisTemplate: { ref: CLUSTER_ANALYSIS_TEMPLATE, ...told },
  Experiment: { ref: EXPERIMENT, labelSelector: CELL_LABEL, isStored: true, isReplayed: true },
  Job: { ref: JOB, labelSelector: CELL_LABEL, isStored: true, isReplayed: true },
  ReplicaSet: { ref: REPLICA_SET, ...told },
  BindingPolicy: { ref: BINDING_POLICY, labelSelector: STAGED_UID_LABEL, ...told },
  Binding: { ref: BINDING, ...told },
  CombinedStatus: { ref: COMBINED_STATUS, ...told },
  Application: { ref: APPLICATION, ...told },
  // Remembered for its labels, by which a Cell may select it.
  ApplicationSet: { ref: APPLICATION_SET, isStored: true, isReplayed: false },
  ControllerRevision: { ref: CONTROLLER_REVISION, labelSelector: CELL_LABEL, ...told },
} as const satisfies Readonly<Record<ForeignKind, Foreign>>;
