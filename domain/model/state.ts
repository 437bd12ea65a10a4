import type { Approval, Requests, TakenRequest } from './request.ts';
import type { BackgroundAnalysis, CellStatus, CanaryStep } from '../../crds/cell.ts';
import type { Measuring } from '../rollout/measure/analysis.ts';
import type { Decision, Ending, MeasurementKind } from './decision.ts';
import type { ShiftPurpose } from './shift-purpose.ts';
import type { BackgroundPrefix } from './ids.ts';
import type { InspectedForwarding } from '../load-balancers/load-balancer.ts';
import type { ReportedEvent } from '../rollout/report/events.ts';
import type { TargetGroup } from './target-group.ts';
import type { VersionSet } from '../versions/version.ts';

/** Where the current step stands. Times are milliseconds since the epoch. */
export type Progress =
  | { readonly is: 'Ready' }
  /** In a pause, or waiting for approvals: those that count so far, each by someone else. */
  | { readonly is: 'Pausing'; readonly since: number; readonly approvals?: readonly Approval[] }
  /** All steps are done and the canary has everything; the stable side waits at 0. */
  | {
      readonly is: 'Baking';
      readonly since: number;
      /** When its analysis was started, from which on its duration counts; undefined: it was not, or is to be started again. */
      readonly watchedSince?: number;
    }
  | ({ readonly is: 'Measuring'; readonly kind: MeasurementKind } & Measuring);

/** The AnalysisRun that runs while the rollout does. */
export interface Background extends Measuring {
  readonly prefix: BackgroundPrefix;
  /** Whether someone continues without it, whatever it has come to. */
  readonly waived?: true;
  /** Who has asked to continue without it, once its verdict was known to be no success. */
  readonly decidedBy?: string;
}

/** What the last look at the targets of the groups that are about to gain weight has found lacking. */
export interface TargetHealthCheck {
  readonly targetGroupARNs: readonly string[];
  /** Since when they lack it, without the time in which nobody has looked. */
  readonly since: number;
  readonly at: number;
  readonly checks: number;
  /** What is lacking, in a sentence. */
  readonly lack: string;
  /** The one before that was about other groups. */
  readonly other?: Omit<TargetHealthCheck, 'other'>;
}

/** What looks at the targets of a group in the rule have shown; times are milliseconds since the epoch. */
export interface GroupHealth {
  readonly arn: string;
  /** Healthy targets, and registered ones. */
  readonly healthy: number;
  readonly total: number;
  readonly others: string;
  /** `Unhealthy`: no target is. `Returning`: some are again, after its weight may have gone to others. */
  readonly is: 'Healthy' | 'Unhealthy' | 'Returning';
  readonly since: number;
}

interface IdleCheck {
  readonly targetGroupARNs: readonly string[];
  readonly since: number;
  readonly at: number;
  readonly unhealthyARNs: readonly string[];
  readonly connections?: readonly Connections[];
}

/** One version on its way into service. */
export interface Rollout {
  readonly id: string;
  readonly startedAt: number;
  /** The set that served before; it gets everything back when the canary fails. */
  readonly stable: VersionSet;
  readonly canary: VersionSet;
  readonly steps: readonly Step[];
  /** The index of the current step; as many as there are steps once all are done. */
  readonly index: number;
  readonly progress: Progress;
  readonly stepStartedAt: number;
  /** How often the steps or the analysis in their background were edited; undefined: never. */
  readonly edition?: number;
  readonly backgroundAnalysis?: BackgroundAnalysis;
  readonly background?: Background;
  readonly ending?: Ending;
  /** When ELBv2 was last seen to serve a change of this rollout's weights. */
  readonly shiftedAt?: number;
  /** How long it has stood still for what does not count against its deadline, in milliseconds. */
  readonly deadlinePausedMs?: number;
  readonly deadlinePausedSince?: number;
}

/** Something outside keeps the rollout from continuing; it is tried again at `until`. */
export interface RetryBackoff {
  readonly during: Decision['do'];
  readonly purpose?: ShiftPurpose;
  /** Whether it was about what measures in the background, so that the step may continue. */
  readonly background?: true;
  readonly reason: string;
  readonly message: string;
  readonly since: number;
  readonly attempts: number;
  readonly until: number;
  /** Whether what was refused moves no traffic, so that the Cell stands as it did. */
  readonly quiet?: true;
  /** Whether what takes traffic back was refused for good, so that trying again is of use only when something changes. */
  readonly vain?: true;
}

/** What was tried in vain, and when it is tried again; times are milliseconds since the epoch. */
export interface Retry {
  readonly reason: string;
  readonly message: string;
  readonly attempts: number;
  readonly until: number;
}

/** How a run ended that has left a rollout behind. */
export type LostRun =
  | { readonly is: 'Terminated'; readonly by: string; readonly reason: string }
  /** Okra has terminated it, because its workflow task failed again and again. */
  | { readonly is: 'Stuck'; readonly message: string }
  /** It ended otherwise, or nobody knows: the Temporal database may be lost. */
  | { readonly is: 'Unknown' };

/** A version that failed and is not tried again before someone says so. */
export type BlockedVersion = NonNullable<CellStatus['blockedVersions']>[number];

/** Target groups that are not selected any more, and when they count as removed, in milliseconds since the epoch. */
export interface Removal {
  readonly targetGroups: readonly TargetGroup[];
  readonly until: number;
}

/** All that a `cellRollout` workflow remembers; plain JSON, carried over by continue-as-new. */
export interface RolloutState {
  readonly rollout?: Rollout;
  readonly requests: Requests;
  /** Whether an AnalysisRun or Experiment has ended since one was read last; it may be the one that is just being started. */
  readonly verdictAwaits?: true;
  readonly health?: TargetHealthCheck;
  readonly idle?: IdleCheck;
  readonly targets?: { readonly at: number; readonly groups: readonly GroupHealth[] };
  /** Groups that have left the rule without a healthy target, and when they are attached again. */
  readonly sittingOut?: readonly { readonly arn: string; readonly until: number }[];
  readonly removal?: Removal;
  /** Whether the health of a group that carries traffic has changed since. */
  readonly targetsChanged?: true;
  /** Why clients of target groups are elsewhere than their weights say. */
  readonly connections?: readonly Connections[];
  readonly sequence?: number;
  /** Whether ELBv2 may serve something else than the status of the configuration says, so that it has to be read. */
  readonly mayDiffer?: true;
  /** Whether AnalysisRuns or Experiments were started since the old ones were deleted, by this run or by one that was lost. */
  readonly hasMeasured?: true;
  /** Why this run took the place of another that could not continue; until it has changed weights. */
  readonly stuckBefore?: string;
  /** The last look at the objects failed; what takes traffic back goes by the look before. */
  readonly blind?: Retry;
  readonly unreported?: Retry;
  /** What a look at the load balancer has found while no object said what is served; counts until something is written. */
  readonly inspected?: InspectedForwarding;
  readonly backoff?: RetryBackoff;
  /** A version that has just failed; it is told with every report until a look has shown it in the Cell's status. */
  readonly justBlocked?: BlockedVersion;
  /** Whether someone has asked to retry; from the next report on the Cell's status blocks nothing. */
  readonly unblocked?: true;
  /** The version that serves since the last rollout ended; from the next report on the Cell's status has it. */
  readonly serves?: string;
  /** What operators have asked for since the last change of what serves, the oldest first. */
  readonly requested?: readonly TakenRequest[];
  /** The changes of weights that no step of a rollout made, newest first; undefined: those of the Cell's status. */
  readonly unplannedShifts?: NonNullable<CellStatus['unplannedShifts']>;
  /** A change that is over; from the next report on the Cell's status has it. */
  readonly justChanged?: Change;
  readonly events: readonly ReportedEvent[];
  readonly eventCount: number;
  readonly reported?: CellStatus;
  /** A status from before has landed after that one, so that it has to be written again. */
  readonly overwritten?: true;
}

/** What a workflow remembers when it starts. */
export const initialState: RolloutState = { requests: {}, events: [], eventCount: 0 };

/** Why clients of a target group are elsewhere than its weight says. */
export interface Connections {
  readonly targetGroupARN: string;
  readonly message: string;
  /** When that is over at the latest, in milliseconds since the epoch; undefined where nobody knows. */
  readonly until?: number;
}

/** One change of what serves, as it stands in the Cell's status. */
export type Change = NonNullable<CellStatus['history']>[number];

/** The kinds of steps: the keys of which a step in the spec has exactly one. */
export type StepKindName = keyof CanaryStep;

/** What the spec says of a step of a kind. */
export type StepSpec<Kind extends StepKindName> = NonNullable<CanaryStep[Kind]>;

/** A step of a rollout. */
export type Step<Kind extends StepKindName = StepKindName> = {
  [Name in Kind]: { readonly kind: Name; readonly spec: StepSpec<Name> };
}[Kind];
