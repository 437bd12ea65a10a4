import type { CellStatus } from '../../crds/cell.ts';

/** When a pre- or postcheck, or a check without `alb`, is measured. */
export type CheckStage = 'prechecks' | 'checks' | 'postchecks';

/** What an activity does for one application of a Cell. */
export type ApplicationAction =
  /** Keeps what the application comes to now as a ControllerRevision. */
  | { readonly do: 'SaveRevision'; readonly number: number; readonly hash: string; readonly version: string }
  /** Marks a revision as good, and deletes those that are too old. */
  | { readonly do: 'MarkGood'; readonly number: number }
  /** Creates or corrects the secrets of the clusters of a revision, for this application. */
  | { readonly do: 'ApplySecrets'; readonly number: number }
  /** Takes the labels of this application from the secrets of clusters that a revision does not have, of all with the number 0. */
  | { readonly do: 'RemoveLabels'; readonly number: number }
  /** Deletes the secrets that no application asks for, where Argo CD has nothing left. */
  | { readonly do: 'DeleteSecrets' }
  /**
   * Makes the child Cell and the AWSTargetGroups of a revision; those of `keep` stay as well. In this order, so that no
   * look of the child between two writes finds less of what serves: its spec, new groups, the labels of groups that both
   * have, and last what goes.
   */
  | { readonly do: 'ApplyChild'; readonly number: number; readonly keep?: number }
  /** Starts one entry of the prechecks, checks or postchecks. */
  | {
      readonly do: 'StartCheck';
      readonly stage: CheckStage;
      readonly check: string;
      readonly number: number;
      /** The name of the Job, the AnalysisRun, or what the Checks are named after. */
      readonly name: string;
    }
  | {
      readonly do: 'TerminateCheck';
      readonly stage: CheckStage;
      readonly check: string;
      readonly name: string;
    }
  /** Hands a request of an operator on to the child Cell's workflow. */
  | {
      readonly do: 'Forward';
      readonly request: 'pause' | 'resume' | 'promote' | 'promoteFull' | 'abort' | 'retry';
      readonly by: string;
      readonly reason: string;
    };

/** Whether an action needs no answer of EKS, of clusters or of load balancers, and holds traffic or takes it back. */
export const isAtHand = ({ do: what }: Pick<ApplicationAction, 'do'>): boolean =>
  what === 'ApplyChild' || what === 'TerminateCheck' || what === 'Forward';

/** What to do next for a Cell of applications. */
export type ApplicationsDecision =
  | {
      readonly do: 'Act';
      readonly application: string;
      readonly action: ApplicationAction;
      /** Set when it takes something back, which does not wait until it is reported. */
      readonly isBack?: true;
      readonly message: string;
    }
  /** Deletes the children of a Cell that is being deleted; with the policy Delete its secrets after them; then lets it go. */
  | { readonly do: 'Release'; readonly message: string }
  | ApplicationsWait
  | { readonly do: 'Close'; readonly reason: string; readonly message: string };

/** Nothing is done until something changes, or until a time in milliseconds since the epoch. */
export interface ApplicationsWait {
  readonly do: 'Wait';
  readonly phase: NonNullable<CellStatus['phase']>;
  readonly reason: string;
  readonly message: string;
  readonly until?: number;
}
