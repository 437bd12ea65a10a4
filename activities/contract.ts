import type { StagedBindingPolicyStatus } from '../crds/staged-binding-policy.ts';
import type { ApplicationAction } from '../domain/applications/situation.ts';
import type { ObservedApplications } from '../domain/applications/observation.ts';
import type { StageRemoval, StageChange } from '../domain/staged/state.ts';
import type { ObservedStaged, StagedLook } from '../domain/staged/observation.ts';
import type { AnalysisStep, ExperimentStep } from '../crds/cell.ts';
import type { CheckStep, JobSpec } from '../crds/update-strategy.ts';
import type { SyncedKind } from '../crds/index.ts';
import type { CellReport } from '../domain/rollout/report/events.ts';
import type { ShiftRequest, ShiftResult } from '../domain/rollout/shift.ts';
import type { FailedBefore } from '../domain/model/pace.ts';
import type { LostRun } from '../domain/model/state.ts';
import type { BackgroundPrefix, ObjectRef, ObjectKey } from '../domain/model/ids.ts';
import type { InspectedForwarding, LoadBalancerType, Route } from '../domain/load-balancers/load-balancer.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import type { TargetGroup } from '../domain/model/target-group.ts';
import type { TargetHealth } from '../domain/gates/health.ts';
import type { AnalysisVerdict } from '../domain/rollout/measure/analysis.ts';
import type { ReadVerdict } from '../domain/rollout/measure/measurement.ts';
import type { VersionSet } from '../domain/versions/version.ts';

export type { ShiftRequest, ShiftResult };

/** What a rollout needs of the Kubernetes API about its Cell. */
export interface CellActivities {
  /** Reads the Cell, the AWSTargetGroups that it selects, and what its configuration object says is served. */
  observeCell(key: ObjectKey): Promise<ObservedCell>;
  /** Writes `.status` by server-side apply and emits the Events that belong to it. */
  reportCell(report: CellReport): Promise<void>;
  /** Finds out how an earlier run of the Cell's workflow has ended. */
  readLostRun(run: { readonly workflowId: string; readonly runId: string }): Promise<LostRun>;
}

/** Whether what others have set up may be taken over; `NotOfOthers`: only what no object of another namespace owns. */
export type Adoption = boolean | 'NotOfOthers';

/** Where to look for what a load balancer serves already, and what of it would be the Cell's. */
export interface InspectRequest {
  readonly key: ObjectKey;
  readonly route: Route;
  readonly selected: readonly TargetGroup[];
  readonly adopt: boolean;
}

/** What a rollout needs of the load balancer. */
export interface TrafficActivities {
  /** Makes one write of weights: looks at the health of what gains, writes object and load balancer, reads back, reports, and looks again. */
  shiftTraffic(request: ShiftRequest): Promise<ShiftResult>;
  /** Reads what the load balancer serves; fails as a `Conflict` when that is someone else's. */
  inspectLoadBalancer(request: InspectRequest): Promise<InspectedForwarding>;
  /** Reads the health of the targets of each target group, in the order of the ARNs given. */
  readTargetHealth(targetGroupARNs: readonly string[]): Promise<readonly TargetHealth[]>;
}

/** What is needed to start the analysis of a step, or one in the background. */
export interface AnalysisRequest {
  readonly cell: ObjectRef;
  readonly name: string;
  readonly rollout: string;
  readonly step: number | BackgroundPrefix;
  readonly analysis: AnalysisStep;
  /** Whether its metrics may measure without an end, because the rollout ends it. */
  readonly mayBeEndless: boolean;
  /** What `fieldRef` may read besides the Cell itself: the status as this rollout sees it now. */
  readonly desiredVersion: string;
}

/** What is needed to start the experiment of a step. */
export interface ExperimentRequest extends Omit<AnalysisRequest, 'step' | 'analysis' | 'mayBeEndless'> {
  readonly step: number;
  readonly experiment: ExperimentStep;
}

/** What a rollout needs of Argo Rollouts to measure. */
export interface AnalysisActivities {
  /** Creates the AnalysisRun from its templates, or finds the one that an earlier attempt has created. */
  startAnalysis(request: AnalysisRequest): Promise<ReadVerdict>;
  readAnalysis(run: ObjectKey): Promise<ReadVerdict>;
  /** Asks Argo Rollouts to end an AnalysisRun, and answers with how far it had come; one that has ended is left as it is. */
  terminateAnalysis(run: ObjectKey): Promise<AnalysisVerdict>;
}

/** Which AnalysisRuns, Experiments, Checks and Jobs of a Cell to keep; undefined: 5. */
export interface PruneRequest {
  readonly key: ObjectKey;
  /** When no rollout was under way, in milliseconds since the epoch: what was made before that and measures still was left behind. */
  readonly atRestAt: number;
  readonly successful?: number | undefined;
  readonly unsuccessful?: number | undefined;
}

/** What keeps the number of finished AnalysisRuns, Experiments, Checks and Jobs down. */
export interface MeasurementActivities {
  /** Deletes the oldest finished AnalysisRuns, Experiments, Checks and Jobs of a Cell beyond those that are kept, and ends those that a lost run has left behind. */
  pruneMeasurements(request: PruneRequest): Promise<void>;
}

/** What a rollout needs of Argo Rollouts to run pods and measure them. */
export interface ExperimentActivities {
  /** Creates the Experiment from its ReplicaSets, or finds the one that an earlier attempt has created. */
  startExperiment(request: ExperimentRequest): Promise<ReadVerdict>;
  readExperiment(experiment: ObjectKey): Promise<ReadVerdict>;
  /** Asks Argo Rollouts to end an Experiment; one that is gone or has ended is left as it is. */
  terminateExperiment(experiment: ObjectKey): Promise<void>;
}

/** What is needed to start the check of a step. */
export interface CheckRequest extends Omit<AnalysisRequest, 'step' | 'analysis' | 'mayBeEndless'> {
  readonly step: number;
  readonly check: CheckStep;
  readonly listenerARN: string;
  readonly canary: VersionSet;
  readonly stable: VersionSet;
  /** The clusters that are judged where there are no target groups. */
  readonly clusters?: readonly {
    readonly clusterName: string;
    /** The cluster secret, which has the tags of the cluster. */
    readonly secretName: string;
    readonly labels: Readonly<Record<string, string>>;
  }[];
}

/** The result of a look at a Check. */
export interface CheckRun extends Synced {
  /** How many looks in a row have been throttled, this one included. */
  readonly throttled?: number;
}

/** What Checks, and the steps that make them, need. */
export interface CheckActivities {
  /** Takes a sample of a Check when one is due, and reports on it. */
  runCheck(key: ObjectKey, throttled?: number): Promise<CheckRun>;
  /** Creates the Checks of a step, or finds those that an earlier attempt has created. */
  startCheck(request: CheckRequest): Promise<AnalysisVerdict>;
  readCheck(run: ObjectKey): Promise<AnalysisVerdict>;
  /** Asks for the end of the Checks of a step; those that are gone or have ended are left as they are. */
  terminateCheck(run: ObjectKey): Promise<void>;
}

/** What is needed to run a Job for a Cell. */
export interface JobRequest extends Omit<AnalysisRequest, 'step' | 'analysis' | 'mayBeEndless'> {
  /** The index of the step; undefined: it is of none. */
  readonly step?: number;
  readonly job: JobSpec;
}

/** What a rollout needs to run Jobs. */
export interface JobActivities {
  /** Creates the Job, or finds the one that an earlier attempt has created; it is never run twice. */
  startJob(request: JobRequest): Promise<AnalysisVerdict>;
  readJob(job: ObjectKey): Promise<AnalysisVerdict>;
  /** Ends a Job, and answers with how far it had come; one that has ended is left as it is. */
  terminateJob(job: ObjectKey): Promise<AnalysisVerdict>;
}

/** What is needed to apply an object that configures a load balancer, or to remove what it has made. */
export interface ConfigRequest {
  readonly ref: LoadBalancerConfigRef;
  readonly verify: boolean;
}

/** The result of applying an object. */
export type ConfigResult =
  | { readonly is: 'Served' }
  /** There is no such object any more, or its Cell is the one who writes it. */
  | { readonly is: 'Gone' };

/** What the writer of a load balancer's configuration needs. */
export interface LoadBalancerConfigActivities {
  /** Makes a load balancer serve what an object without a Cell says, with at most one write of weights, reads back, and reports. */
  applyLoadBalancer(request: ConfigRequest): Promise<ConfigResult>;
  /** Does with what an object that is being deleted has made what its policy says, and lets it go. */
  removeLoadBalancer(request: Omit<ConfigRequest, 'verify'>): Promise<ConfigResult>;
  /** Lets an object go that is being deleted, and leaves what it has made; one that is gone already is left as it is. */
  releaseLoadBalancer(ref: LoadBalancerConfigRef): Promise<void>;
}

/** An object that configures a load balancer. */
export interface LoadBalancerConfigRef {
  readonly type: LoadBalancerType;
  readonly key: ObjectKey;
}

/** A place that is watched for changes made elsewhere. */
export interface WatchedPlace {
  readonly type: LoadBalancerType;
  /** As `placeOf` names it: the ARN of a listener. */
  readonly place: string;
}

/** A look at a place, and what the one before it has found. */
export interface DriftRequest extends WatchedPlace {
  /** The target groups that carried traffic without a healthy target. */
  readonly unhealthy?: readonly string[];
}

/** What one look at a place found. */
export interface DriftFinding {
  /** How many objects name the place. */
  readonly watched: number;
  /** How many namespaces may not be read, whose objects may name it too. */
  readonly unread?: number;
  /** The objects of which something else is served than their status says, with the difference in words. */
  readonly drifted: readonly (Drift & Pick<WriterRef, 'isOwnedByCell'>)[];
  /** The target groups that carry traffic without a healthy target, by ARN. */
  readonly unhealthy: readonly string[];
  /** The objects of Cells that such a target group has joined or left since the last look. */
  readonly changed: readonly ObjectKey[];
  /** Whether traffic is split, so that the next look is made sooner. */
  readonly isSplit: boolean;
  readonly intervalSeconds?: number;
}

/** How what is served differs from what the status of an object says. */
export interface Drift {
  readonly key: ObjectKey;
  readonly difference: string;
}

interface WriterRef extends LoadBalancerConfigRef {
  readonly isOwnedByCell: boolean;
  /** Whether it is woken for the health of targets, and not for drift. */
  readonly forTargets?: true;
}

/** The result of a sync. */
export interface Synced {
  readonly isPresent: boolean;
  readonly message: string;
  readonly intervalSeconds?: number;
  /** After how many seconds to look again, when that is before the interval is over. */
  readonly againInSeconds?: number;
}

/** Which stage of a StagedBindingPolicy something is about, and which object of that name. */
export interface StageRef {
  readonly name: string;
  readonly uid: string;
  readonly stage: string;
}

/** What the BindingPolicy of a stage is to be, by a generation of its StagedBindingPolicy, which may have another when that is written. */
export type StageApplied = StageRef & StageChange & { readonly generation: number };

/** What the workflow of a StagedBindingPolicy needs. */
export interface StagedActivities {
  /** Reads a StagedBindingPolicy, its BindingPolicies and Bindings, and how far the stage is that it is at. */
  observeStaged(look: StagedLook): Promise<ObservedStaged & Paced>;
  /** Makes a stage's BindingPolicy and Okra's StatusCollector, and keeps what it reaches; fails as a `Conflict` when the name is taken. */
  applyStage(change: StageApplied): Promise<void>;
  /** Makes the BindingPolicy by which KubeStellar says which clusters a stage selects. */
  selectClusters(ref: StageRef): Promise<void>;
  /** Deletes a BindingPolicy of a StagedBindingPolicy, unless it is another one by now, or goes by a spec that was edited since. */
  removeStage(request: { readonly name: string; readonly policy: StageRemoval }): Promise<void>;
  /** Lets a StagedBindingPolicy go that is being deleted, once nothing of it is left elsewhere. */
  releaseStaged(name: string): Promise<void>;
  reportStaged(report: {
    readonly name: string;
    readonly uid: string;
    readonly status: StagedBindingPolicyStatus;
  }): Promise<void>;
}

/** What the workflow of a Cell of applications needs, besides `reportCell`. */
export interface ApplicationsActivities {
  /** Reads a Cell of applications, and all that its rollout depends on; without EKS and the clusters for what does not wait until they answer. */
  observeApplications(
    key: ObjectKey,
    how?: { readonly withoutClusters: true },
  ): Promise<ObservedApplications & Paced>;
  /** Performs one action; it may be repeated, and refuses with a `Conflict` to touch what is not the Cell's. */
  performApplication(
    request: ObjectRef & {
      readonly application: string;
      readonly action: ApplicationAction;
    },
  ): Promise<void>;
  /** Does with what a Cell that is being deleted has made what its policy says, and lets it go; `isDone` says that nothing of it is left. */
  releaseApplications(cell: ObjectRef): Promise<{ readonly isDone: boolean; readonly message: string }>;
}

/** What an answer says about the next look. */
export interface Paced {
  readonly intervalSeconds?: number;
}

/** Makes what an object asks for the same as what there is, and reports on it. */
export type SyncActivity = (key: ObjectKey, before?: FailedBefore) => Promise<Synced>;

/** What the workflow of each synced kind needs: an activity `sync<Type>`, by the type of the workflow. */
export type SyncActivities = {
  readonly [Type in SyncedKind['workflow']['type'] as `sync${Capitalize<Type>}`]: SyncActivity;
};

/** What the check of a namespace's AWSTargetGroups needs. */
export interface TargetGroupActivities {
  /** Compares the AWSTargetGroups of a namespace with what AWS knows, and says in their conditions what holds. */
  checkTargetGroups(namespace: string, before?: FailedBefore): Promise<Synced>;
}

/** What the watch over a place needs. */
export interface DriftActivities {
  /** Reads a place once, compares it with what the objects' `.status` mirrors, and reads the health of what carries traffic. */
  findDrift(request: DriftRequest, before?: FailedBefore): Promise<DriftFinding>;
  wakeWriter(ref: WriterRef): Promise<void>;
}

/** Who approves a step of a Cell. */
export interface ApprovalReview {
  readonly key: ObjectKey;
  readonly by: string;
  readonly groups: readonly string[];
}

/** What a step that takes approvals needs of the Kubernetes API. */
export interface ApprovalActivities {
  /** Asks Kubernetes whether someone may approve the steps of a Cell (SubjectAccessReview). */
  reviewApproval(review: ApprovalReview): Promise<{ readonly allowed: boolean }>;
}

/** What the gate of a version of the worker needs; nothing is written. */
export interface GateActivities {
  /** Asks the API server whether it is ready, and whether it has the kind Cell; answers in a sentence. */
  reachKubernetes(): Promise<string>;
  /** Asks ELBv2 in the region of this worker for a target group; answers in a sentence. */
  reachELBv2(): Promise<string>;
}

/** Every activity. */
export type Activities = CellActivities &
  ApprovalActivities &
  LoadBalancerConfigActivities &
  AnalysisActivities &
  ExperimentActivities &
  JobActivities &
  MeasurementActivities &
  CheckActivities &
  TrafficActivities &
  SyncActivities &
  TargetGroupActivities &
  StagedActivities &
  ApplicationsActivities &
  DriftActivities &
  GateActivities;
