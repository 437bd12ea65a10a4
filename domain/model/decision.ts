import type { AnalysisStep, ExperimentStep } from '../../crds/cell.ts';
import type { CheckStep, JobStep } from '../../crds/update-strategy.ts';
import type { BackgroundPrefix } from './ids.ts';
import type { WeightedTargetGroup } from './target-group.ts';
import type { VersionSet } from '../versions/version.ts';
import type { Stamp } from './request.ts';
import type { ShiftPurpose } from './shift-purpose.ts';

interface Waiting {
  /** Whether the Cell is paused: people, a time that someone has set, or something outside let it continue. */
  readonly isPause: boolean;
  /** Whether the wait is the rollout's own slowness, so that it counts towards `spec.progressDeadline`. */
  readonly counts: boolean;
}

const PAUSE: Waiting = { isPause: true, counts: false };
const WORK: Waiting = { isPause: false, counts: true };

const waits: Readonly<Record<Wait['for'], Waiting>> = {
  Resume: PAUSE,
  Pause: PAUSE,
  Approval: PAUSE,
  Verdict: PAUSE,
  Window: PAUSE,
  Freeze: PAUSE,
  Clusters: PAUSE,
  Application: PAUSE,
  Bake: { isPause: false, counts: false },
  Settle: { isPause: false, counts: false },
  Removal: WORK,
  Analysis: WORK,
  Experiment: WORK,
  Check: WORK,
  Job: WORK,
  Health: WORK,
  Backoff: WORK,
  Detach: WORK,
};

/** A wait that ends at a time at the latest, in milliseconds since the epoch; what is no wait stays as it is, as does one for which there is no such time. */
export const noLaterThan = <Of extends Decision>(time: number | undefined, decision: Of): Of =>
  decision.do === 'Wait' && time !== undefined && Number.isFinite(time)
    ? { ...decision, until: Math.min(decision.until ?? Infinity, time) }
    : decision;

/** Whether nothing is done until people, a time that someone has set, or something outside let it. */
export const isPause = (decision: Decision): boolean => decision.do === 'Wait' && waits[decision.for].isPause;

/** Whether a decision lets the time stand still that `spec.progressDeadline` counts. */
export const standsStill = (decision: Decision): boolean =>
  decision.do === 'Wait' && !waits[decision.for].counts;

/** Fails a rollout: everything goes back to the stable side and the version is blocked. */
export const fail = (reason: string, message: string, at: number): Decision =>
  end({ kind: 'Failed', reason, message, at });

/** Withdraws a rollout: everything goes back to the stable side, and nothing is blocked. */
export const withdraw = (reason: string, message: string, at: number): Decision =>
  end({ kind: 'Withdrawn', reason, message, at });

/** How a rollout ends that someone aborts. */
export const abortedBy = ({ by, reason }: Stamp, at: number): Ending => ({
  kind: 'Failed',
  reason: 'Aborted',
  message: `Aborted by ${by}${reason === '' ? '.' : `: ${reason}`}`,
  at,
});

/** Ends a rollout before its last step. */
export const end = (ending: Ending): Decision => ({ do: 'End', ending, message: ending.message });

/** What has to be true of target groups just before a write; the one who writes looks. */
export interface Requirements {
  /** The groups that must have enough healthy targets, because they gain weight. */
  readonly healthy: readonly string[];
  /** The groups that must have a registered target, because they join the rule. */
  readonly registered: readonly string[];
}

/** Why a rollout ends before its last step; a failed version is blocked, a withdrawn one is not. */
export interface Ending {
  readonly kind: 'Failed' | 'Withdrawn';
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

/** How a run of the workflow closes. */
export type Outcome = 'Completed' | 'Waiting' | 'Reverted' | 'Failed' | 'Deleted';

/** How many target groups of a version there are, and how many are needed. */
export interface MissingTargetGroups {
  readonly version: string;
  readonly available: number;
  readonly desired: number;
}

/** What a rollout measures by: an object of Argo Rollouts, Checks of Okra's own, or a Job. */
export type MeasurementKind = 'AnalysisRun' | 'Experiment' | 'Check' | 'Job';

/** Starts what measures. */
export type StartMeasurement = { readonly do: 'StartMeasurement'; readonly message: string } & (
  | {
      readonly kind: 'AnalysisRun';
      readonly analysis: AnalysisStep;
      readonly background?: BackgroundPrefix;
    }
  | { readonly kind: 'Experiment'; readonly experiment: ExperimentStep; readonly background?: undefined }
  | { readonly kind: 'Check'; readonly check: CheckStep; readonly background?: undefined }
  | { readonly kind: 'Job'; readonly job: JobStep; readonly background?: undefined }
);

/** Reads how far something that measures has come, or asks for its end. */
export interface FollowMeasurement {
  readonly do: 'ReadMeasurement' | 'TerminateMeasurement';
  readonly kind: MeasurementKind;
  /** What it is in the background of; undefined: it is the current step's. */
  readonly background?: BackgroundPrefix;
  readonly name: string;
  readonly message: string;
}

/** What a rollout does next about what it measures. */
export type Measurement = StartMeasurement | FollowMeasurement;

/** Changes weights. */
export interface Shift {
  readonly do: 'Shift';
  readonly purpose: ShiftPurpose;
  readonly version: string;
  readonly shares: readonly WeightedTargetGroup[];
  /** Whether all traffic may go to groups without a healthy target, because a person asks for that. */
  readonly force?: true;
  /** The groups that it takes out because they never had a healthy target; they are tried again after a while. */
  readonly sittingOut?: readonly string[];
  /** Whether ELBv2 is read before it is compared, because nobody knows for sure what it serves. */
  readonly verify?: boolean;
  /** Undefined: nothing is looked at before the write. */
  readonly requires?: Requirements;
  readonly message: string;
  /** How the Cell stands already, while the write changes nothing about it. */
  readonly settled?: Close;
}

/** The one thing that a rollout does next. */
export type Decision =
  | Shift
  | { readonly do: 'Inspect'; readonly message: string }
  /** Reads the health of the targets of all groups in the rule. */
  | {
      readonly do: 'CheckHealth';
      readonly targetGroupARNs: readonly string[];
      readonly message: string;
      /** How the Cell stands already, where it is done for the groups at weight 0. */
      readonly settled?: Close | Wait;
    }
  /** Deletes what measured in earlier rollouts beyond the number that is kept. */
  | { readonly do: 'Prune'; readonly message: string }
  /** Finds out how a run of this workflow ended that left a rollout behind. */
  | { readonly do: 'ReadLostRun'; readonly runId: string; readonly message: string }
  | { readonly do: 'Remove'; readonly message: string }
  /** Lets a configuration object go that was deleted while its Cell stays, and leaves what it has made. */
  | { readonly do: 'Release'; readonly message: string }
  | {
      readonly do: 'Begin';
      readonly stable: VersionSet;
      readonly canary: VersionSet;
      readonly index: number;
      readonly message: string;
    }
  | { readonly do: 'Pause'; readonly message: string }
  | Measurement
  | { readonly do: 'WaiveBackground'; readonly message: string }
  /** The current step is done; the next one is that with the index `to`, or else the one after it. */
  | {
      readonly do: 'Advance';
      readonly to?: number;
      readonly message: string;
      /** Whether the Event of a shift has said so already. */
      readonly isTold?: true;
    }
  | { readonly do: 'Replan'; readonly index: number; readonly message: string }
  | { readonly do: 'End'; readonly ending: Ending; readonly message: string }
  | { readonly do: 'Bake'; readonly message: string }
  | { readonly do: 'Conclude'; readonly ending: Ending['kind']; readonly message: string }
  | { readonly do: 'Finish'; readonly message: string }
  | Wait
  | Close;

/** Something is waited for. */
export interface Wait {
  readonly do: 'Wait';
  readonly for:
    | 'Resume'
    | 'Pause'
    | 'Analysis'
    | 'Experiment'
    | 'Check'
    | 'Job'
    | 'Approval'
    | 'Verdict'
    | 'Health'
    | 'Backoff'
    | 'Settle'
    | 'Bake'
    | 'Window'
    | 'Freeze'
    | 'Clusters'
    | 'Application'
    | 'Removal'
    | 'Detach';
  /** When to look again, in milliseconds since the epoch; undefined: when something happens. */
  readonly until?: number;
  /** Why, in a word, when that says more than what is waited for. */
  readonly reason?: string;
  readonly message: string;
  /** How the Cell stands already, while what is left to do changes nothing about it. */
  readonly settled?: Close;
}

/** Nothing is left to do. */
export interface Close {
  readonly do: 'Close';
  readonly outcome: Outcome;
  readonly reason: string;
  readonly message: string;
  readonly missing?: MissingTargetGroups;
  /** Whether the spec asks for something else than what serves. */
  readonly degraded?: true;
}

/** A decision by which something is done. */
export type Performable = Exclude<Decision, Wait | Close>;

/** What people are told of a decision: how the Cell stands, where what is left to do changes nothing about it. */
export const displayedDecision = (decision: Decision): Decision =>
  decision.do === 'Wait' || decision.do === 'Shift' || decision.do === 'CheckHealth'
    ? (decision.settled ?? decision)
    : decision;
