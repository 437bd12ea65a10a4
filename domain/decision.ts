import type { AnalysisStep, ExperimentStep } from '../crds/cell.ts';
import type { BackgroundPrefix } from './ids.ts';
import type { ServedTargetGroup } from './observation.ts';
import type { VersionSet } from './version.ts';

/** What a change of weights is for. */
export type ShiftPurpose =
  | 'Adopt'
  | 'Install'
  | 'FallBack'
  | 'RollBack'
  | 'Rebalance'
  | 'Reconfigure'
  | 'Attach'
  | 'Step'
  | 'TakeBack';

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
export interface Missing {
  readonly version: string;
  readonly found: number;
  readonly wanted: number;
}

/** What a rollout does next about what it measures. */
export type Measurement =
  | { readonly do: 'StartAnalysis'; readonly analysis: AnalysisStep; readonly message: string }
  | { readonly do: 'ReadAnalysis'; readonly run: string; readonly message: string }
  | { readonly do: 'EndAnalysis'; readonly run: string; readonly message: string }
  | { readonly do: 'StartExperiment'; readonly experiment: ExperimentStep; readonly message: string }
  | { readonly do: 'ReadExperiment'; readonly experiment: string; readonly message: string }
  | { readonly do: 'EndExperiment'; readonly experiment: string; readonly message: string }
  | {
      readonly do: 'StartBackground';
      readonly prefix: BackgroundPrefix;
      readonly analysis: AnalysisStep;
      readonly message: string;
    }
  | { readonly do: 'ReadBackground'; readonly run: string; readonly message: string }
  | { readonly do: 'EndBackground'; readonly run: string; readonly message: string }
  | { readonly do: 'WaiveBackground'; readonly message: string };

/** The one thing that a rollout does next. */
export type Decision =
  | {
      readonly do: 'Shift';
      readonly purpose: ShiftPurpose;
      readonly version: string;
      readonly shares: readonly ServedTargetGroup[];
      /** Whether it takes traffic back and goes before everything else. */
      readonly urgent: boolean;
      readonly message: string;
    }
  | { readonly do: 'Inspect'; readonly message: string }
  | { readonly do: 'CheckHealth'; readonly targetGroupARNs: readonly string[]; readonly message: string }
  | {
      readonly do: 'Begin';
      readonly stable: VersionSet;
      readonly canary: VersionSet;
      readonly index: number;
      readonly message: string;
    }
  | { readonly do: 'Pause'; readonly message: string }
  | Measurement
  | { readonly do: 'Advance'; readonly message: string }
  | { readonly do: 'Replan'; readonly index: number; readonly message: string }
  | { readonly do: 'End'; readonly ending: Ending; readonly message: string }
  | { readonly do: 'Bake'; readonly message: string }
  | { readonly do: 'Conclude'; readonly message: string }
  | { readonly do: 'Finish'; readonly message: string }
  | {
      readonly do: 'Wait';
      readonly for:
        | 'Resume'
        | 'Pause'
        | 'Analysis'
        | 'Experiment'
        | 'Verdict'
        | 'Health'
        | 'Hold'
        | 'Settle'
        | 'Bake'
        | 'Window'
        | 'Freeze';
      /** When to look again, in milliseconds since the epoch; undefined: when something happens. */
      readonly until?: number;
      readonly message: string;
    }
  | {
      readonly do: 'Close';
      readonly outcome: Outcome;
      readonly reason: string;
      readonly message: string;
      readonly missing?: Missing;
    };
