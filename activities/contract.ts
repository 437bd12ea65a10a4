import type { ListenerRule } from '../crds/listener-rule.ts';
import type { AnalysisStep, ExperimentStep } from '../crds/cell.ts';
import type { CellReport, LoadBalancerReport } from '../domain/report.ts';
import type { BackgroundPrefix, ObjectKey } from '../domain/ids.ts';
import type { ObservedCell, ObservedLoadBalancerConfig } from '../domain/observation.ts';
import type { TargetHealth } from '../domain/health.ts';
import type { AnalysisVerdict } from '../domain/analysis.ts';

/** What Okra serves with a listener rule, as it was read back from ELBv2. */
export interface AppliedRule {
  readonly listenerARN: string;
  readonly ruleARN: string;
  readonly rule: ListenerRule;
}

/** What a rollout needs of the Kubernetes API about its Cell. */
export interface CellActivities {
  /** Reads the Cell, the AWSTargetGroups that it selects, and the rule that its configuration object says is served. */
  observeCell(key: ObjectKey): Promise<ObservedCell>;
  /** Writes `.status` by server-side apply and emits the Events that belong to it. */
  reportCell(report: CellReport): Promise<void>;
}

/** The one write a rollout makes to the load balancer: its desired rule, in a Cell-owned configuration object. */
export interface ShiftRequest {
  readonly cell: { readonly key: ObjectKey; readonly uid: string };
  readonly listenerARN: string;
  readonly rule: ListenerRule;
  /** One more than the sequence of the last write; a write with an older one is refused as `Superseded`. */
  readonly sequence: number;
  readonly urgent: boolean;
}

/** What a rollout needs of the load balancer. */
export interface TrafficActivities {
  /** Writes the configuration object and waits until ELBv2 was read back and serves it. */
  shiftTraffic(request: ShiftRequest): Promise<AppliedRule>;
  /** Reads the health of the targets of each target group, in the order of the ARNs given. */
  readTargetHealth(targetGroupARNs: readonly string[]): Promise<readonly TargetHealth[]>;
}

/** What is needed to start the analysis of a step, or one in the background. */
export interface AnalysisRequest {
  readonly cell: { readonly key: ObjectKey; readonly uid: string };
  readonly name: string;
  readonly rollout: string;
  /** The index of the step, or what it is in the background of. */
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
  startAnalysis(request: AnalysisRequest): Promise<AnalysisVerdict>;
  /** Reads how far an AnalysisRun has come. */
  readAnalysis(run: ObjectKey): Promise<AnalysisVerdict>;
  /** Asks Argo Rollouts to end an AnalysisRun, and answers with how far it had come; one that has ended is left as it is. */
  terminateAnalysis(run: ObjectKey): Promise<AnalysisVerdict>;
}

/** What a rollout needs of Argo Rollouts to run pods and measure them. */
export interface ExperimentActivities {
  /** Creates the Experiment from its ReplicaSets, or finds the one that an earlier attempt has created. */
  startExperiment(request: ExperimentRequest): Promise<AnalysisVerdict>;
  /** Reads how far an Experiment has come. */
  readExperiment(experiment: ObjectKey): Promise<AnalysisVerdict>;
  /** Asks Argo Rollouts to end an Experiment; one that is gone or has ended is left as it is. */
  terminateExperiment(experiment: ObjectKey): Promise<void>;
}

/** What is needed to make a listener rule what its object says. */
export interface ApplyRuleRequest {
  readonly key: ObjectKey;
  readonly listenerARN: string;
  readonly rule: ListenerRule;
  /** What the object's status says is served; its rule is written to without another look. */
  readonly served?: AppliedRule;
  readonly adopt: boolean;
  readonly urgent: boolean;
  /** Whether the rule is read before it is compared, because somebody else may have changed it. */
  readonly verify: boolean;
}

/** What the writer of a listener rule needs. */
export interface ListenerRuleActivities {
  /** Makes the rule what the request says with at most one write, and answers with what was read back. */
  applyRule(request: ApplyRuleRequest): Promise<AppliedRule>;
}

/** What the writer of a listener rule needs of the Kubernetes API. */
export interface LoadBalancerConfigActivities {
  /** Reads an AWSApplicationLoadBalancerConfig. */
  observeLoadBalancerConfig(key: ObjectKey): Promise<ObservedLoadBalancerConfig>;
  /** Writes `.status` by server-side apply and emits the Events that belong to it. */
  reportLoadBalancerConfig(report: LoadBalancerReport): Promise<void>;
}

/** What one look at a listener found. */
export interface DriftFinding {
  /** How many objects name the listener. */
  readonly watched: number;
  /** The objects whose rule is not what their status says, with the difference in words. */
  readonly drifted: readonly { readonly key: ObjectKey; readonly difference: string }[];
}

/** What the watch over a listener needs. */
export interface DriftActivities {
  /** Reads all rules of a listener once and compares them with what the objects' `.status` mirrors. */
  findDrift(listenerARN: string): Promise<DriftFinding>;
  /** Wakes the workflow that owns the rule of an object. */
  wakeLoadBalancerConfig(key: ObjectKey): Promise<void>;
}
