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
import { resources, type ObjectOf, type WatchedKind } from '../crds/index.ts';
import type { KindTraits } from '../crds/resource.ts';
import { CELL_LABEL, CLUSTER_SECRETS } from '../domain/kubernetes/labels.ts';
import { kindsWithWorkflow, type WorkflowKind } from '../domain/model/workflow-ids.ts';
import type { AnalysisPhase } from '../domain/rollout/measure/analysis.ts';
import type { JobStatus } from '../domain/rollout/measure/job.ts';
import { STAGED_UID_LABEL } from '../domain/staged/policy.ts';
import type { Informed, ObjectEvent } from './event.ts';

/** An object of another project's kind, as far as watchers keep it. */
export interface ForeignObject extends Informed {
  readonly metadata: Informed['metadata'] & {
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly status?: JobStatus & { readonly phase?: AnalysisPhase; readonly observedGeneration?: number };
  /** A digest of all that decides whether an application is deployed: of Applications and ApplicationSets. */
  readonly digest?: string;
}

interface Foreign {
  readonly ref: KindRef;
  readonly labelSelector?: string;
  /** Whether watchers remember the objects; of the others, that one came or changed is all there is to know. */
  readonly isStored: boolean;
  /** Whether each that is there counts as added when the watchers begin, and from time to time. */
  readonly isReplayed: boolean;
}

const unstored = { isStored: false, isReplayed: false } as const;
const stored = { isStored: true, isReplayed: false } as const;
const measured = { labelSelector: CELL_LABEL, isStored: true, isReplayed: true } as const;

const foreignKinds = {
  // Not replayed: who looks into their clusters is, and so has just been started.
  Secret: { ref: SECRET, labelSelector: CLUSTER_SECRETS, ...stored },
  AnalysisRun: { ref: ANALYSIS_RUN, ...measured },
  AnalysisTemplate: { ref: ANALYSIS_TEMPLATE, ...unstored },
  ClusterAnalysisTemplate: { ref: CLUSTER_ANALYSIS_TEMPLATE, ...unstored },
  Experiment: { ref: EXPERIMENT, ...measured },
  Job: { ref: JOB, ...measured },
  ReplicaSet: { ref: REPLICA_SET, ...unstored },
  BindingPolicy: { ref: BINDING_POLICY, labelSelector: STAGED_UID_LABEL, ...unstored },
  Binding: { ref: BINDING, ...unstored },
  CombinedStatus: { ref: COMBINED_STATUS, ...unstored },
  Application: { ref: APPLICATION, ...unstored },
  // Remembered for its labels, by which a Cell may select it.
  ApplicationSet: { ref: APPLICATION_SET, ...stored },
  ControllerRevision: { ref: CONTROLLER_REVISION, labelSelector: CELL_LABEL, ...unstored },
} as const satisfies Readonly<Record<string, Foreign>>;

/** The name of a kind that watchers look at and that is not Okra's. */
export type ForeignKind = keyof typeof foreignKinds;

/** The name of a kind that watchers look at. */
export type Watched = WatchedKind | ForeignKind;

/** The objects of each kind that watchers look at. */
export type Objects = { readonly [Kind in WatchedKind]: ObjectOf<Kind> } & {
  readonly [Kind in Exclude<ForeignKind, 'Secret'>]: ForeignObject;
} & { readonly Secret: StoredClusterSecret };

/** What happened, and to an object of which kind. */
export type KindEvent<Kind extends Watched = Watched> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly event: ObjectEvent<Objects[Each]> };
}[Kind];

type ForeignWhere<Trait extends 'isStored' | 'isReplayed'> = {
  [Kind in ForeignKind]: (typeof foreignKinds)[Kind][Trait] extends true ? Kind : never;
}[ForeignKind];

/** The name of a kind whose objects watchers remember. */
export type Stored = WatchedKind | ForeignWhere<'isStored'>;

/** Whether an event is about an object that watchers remember. */
export const isStored = (happened: KindEvent): happened is KindEvent<Stored> => isStoredKind(happened.kind);

const isStoredKind = (kind: string): kind is Stored => !isForeign(kind) || foreignKinds[kind].isStored;

/** A kind to watch. */
export interface Source {
  readonly kind: KindRef;
  readonly labelSelector?: string;
  readonly optional: boolean;
}

const own: readonly (KindRef & KindTraits)[] = resources;

/** Every kind that watchers look at: those of the table of kinds that are to be watched, and those of others. */
export const sources: readonly Source[] = [
  ...own
    .filter(({ watched }) => watched !== undefined)
    .map((kind) => ({ kind, optional: kind.watched === 'Optional' })),
  ...Object.values(foreignKinds).map(({ ref: kind, ...rest }) => ({ kind, ...rest, optional: true })),
];

/** Every kind whose objects watchers remember. */
export const storedKinds: readonly Stored[] = sources.map(({ kind }) => kind.kind).filter(isStoredKind);

/** Every kind whose objects count as added when the watchers begin, and from time to time: those with a workflow of their own, which may be lost, and what may have ended unseen. */
export const replayedKinds: readonly (WorkflowKind | ForeignWhere<'isReplayed'>)[] = [
  ...kindsWithWorkflow.map(({ kind }) => kind),
  ...Object.keys(foreignKinds).filter(
    (kind): kind is ForeignWhere<'isReplayed'> => isForeign(kind) && foreignKinds[kind].isReplayed,
  ),
];

function isForeign(kind: string): kind is ForeignKind {
  return Object.hasOwn(foreignKinds, kind);
}
