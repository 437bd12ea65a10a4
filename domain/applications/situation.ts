import { given, omit } from '../model/fields.ts';
import type { ApplicationStatus } from '../../crds/cell-status.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import type { ObservedApplication, ObservedRevision, ObservedSecret } from './observation.ts';

/** When a pre- or postcheck, or a check without `alb`, is measured. */
export type CheckStage = 'prechecks' | 'checks' | 'postchecks';

/** What an activity does for one application of a Cell. */
export type ApplicationAction =
  | { readonly do: 'SaveRevision'; readonly number: number; readonly hash: string; readonly version: string }
  /** Marks a revision as good, and deletes those that are too old. */
  | { readonly do: 'MarkGood'; readonly number: number }
  /** Creates or corrects the secrets of the clusters of a revision, for this application. */
  | { readonly do: 'ApplySecrets'; readonly number: number }
  /** Takes the labels of this application from the secrets of clusters that a revision does not have, of all with the number 0. */
  | { readonly do: 'RemoveLabels'; readonly number: number }
  /** Deletes the secrets that no application asks for, where Argo CD has nothing left. */
  | { readonly do: 'DeleteSecrets' }
  /** Makes the child Cell and the AWSTargetGroups of a revision; those of `keep` stay as well. */
  | { readonly do: 'ApplyChild'; readonly number: number; readonly keep?: number }
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

/** How an application stands, as the status has it: all that is remembered of it. */
export type Mark = ApplicationStatus;

/** Why nothing goes forward now. */
export interface Hold {
  readonly kind: 'Paused' | 'Waiting' | 'Failed';
  readonly reason: string;
  readonly message: string;
  readonly until?: number;
}

/** All that the next step of an application is decided on. */
export interface Situation {
  readonly cell: string;
  readonly spec: ApplicationsSpec;
  readonly application: ApplicationOfCell;
  readonly seen: ObservedApplication;
  readonly secrets: readonly ObservedSecret[];
  readonly others: readonly ObservedApplication[];
  readonly marks: readonly Mark[];
  /** Holds what goes forward, and nothing that goes back. */
  readonly hold?: Hold | undefined;
  /** What is wrong with the spec of the Cell, which then does not say what it asks for. */
  readonly problems: readonly string[];
  /** Whether some cluster is not known, so that nobody can say what applications come to. */
  readonly isUnknown: boolean;
  readonly now: number;
}

/** The next step of an application. */
export type Step =
  | {
      readonly is: 'Act';
      readonly way: 'Forward' | 'Back';
      readonly action: ApplicationAction;
      readonly message: string;
    }
  | {
      readonly is: 'Wait';
      readonly reason: string;
      readonly message: string;
      readonly until?: number | undefined;
      readonly hold?: Hold['kind'];
    }
  /** It has failed, and what becomes of it people decide. */
  | { readonly is: 'Stopped'; readonly reason: string; readonly message: string }
  | { readonly is: 'Done'; readonly message: string };

/** The next step of an application, and how it stands then. */
export interface Judgement {
  readonly mark: Mark;
  readonly step: Step;
}

/** What has failed of an application. */
export type Failed = NonNullable<Mark['failed']>;

/** What a rule of an application decides by. */
export interface Turn extends Situation {
  readonly mark: Mark;
  readonly failed: Failed | undefined;
  /** The newest revision, when it is what the spec comes to. */
  readonly revision: ObservedRevision | undefined;
  /** Whether more was done for it than to hand its clusters to Argo CD. */
  readonly begun: boolean;
  /** Whether everything goes back, which nothing holds. */
  readonly isReverting?: boolean;
}

/** What a rule comes to: the next step, another mark for the rules after it, or a failure of the application. */
export type Outcome = Judgement | { readonly mark: Mark } | { readonly mark: Mark; readonly failed: Failed };

/** A rule of an application; undefined: it has nothing to do. */
export type Rule = (turn: Turn) => Outcome | undefined;

/** Whether the rules after it continue. */
export const isPassed = (outcome: Outcome): boolean => !('step' in outcome) && !('failed' in outcome);

/** Has an application fail at a revision. */
export const fail = (
  mark: Mark,
  { number: revision, hash }: ObservedRevision,
  { message, ...why }: Pick<Failed, 'phase' | 'reason' | 'message'>,
  now: number,
): Outcome => {
  const time = new Date(now).toISOString();
  return {
    mark: omit(mark, 'syncing'),
    failed: { ...why, revision, hash, message: message.slice(0, 1024), time },
  };
};

/** Does something for an application, unless it brings that further and is held; `after` is the mark of what is not held. */
export function act(turn: Turn, action: ApplicationAction, message: string, after = turn.mark): Judgement {
  const { hold, isReverting = false, mark } = turn;
  if (isReverting) return back(after, action, message);
  return hold === undefined
    ? { mark: after, step: { is: 'Act', way: 'Forward', action, message } }
    : held(mark, hold, `${hold.message} Next: ${message}`);
}

/** Waits for what holds an application. */
export const held = (mark: Mark, { kind, reason, until }: Hold, message: string): Judgement => ({
  mark,
  step: { is: 'Wait', hold: kind, reason, until, message },
});

/** What takes an application back, or restores what was: nothing holds that. */
export const back = (mark: Mark, action: ApplicationAction, message: string): Judgement => ({
  mark,
  step: { is: 'Act', way: 'Back', action, message },
});

/** Has the Cell of the application serve a revision; the target groups of another one may stay. */
export const applyChild = (number: number, keep?: number): ApplicationAction => ({
  do: 'ApplyChild',
  number,
  ...given({ keep }),
});

/** Nothing is done before something changes. */
export const wait = (mark: Mark, reason: string, message: string, until?: number): Judgement => ({
  mark,
  step: { is: 'Wait', reason, message, until },
});

/** It has failed, and people decide what becomes of it. */
export const stopped = (mark: Mark, reason: string, message: string): Judgement => ({
  mark,
  step: { is: 'Stopped', reason, message },
});

/** Everything stays as it is after a failure. */
export const stayStopped = (mark: Mark, why: string): Judgement =>
  stopped(
    mark,
    'Stopped',
    `${why} Everything stays as it is, because onFailure is Hold. Send abort to go back, or retry to try again.`,
  );

/** The reason of traffic that moves once the good revision has it, as of all that waits for the Cell of the application. */
export const GOOD_FIRST = 'WaitingForCell';

/** The reason of what an operator has aborted. */
export const ABORTED = 'Aborted';

/** What of an application has failed, and is what it comes to still; undefined once something else is asked for, or a retry. */
export const failedStill = (
  { failed }: Mark,
  resolved: ObservedApplication['resolved'],
): Failed | undefined =>
  failed?.retried !== true && (!resolved.ok || resolved.hash === failed?.hash) ? failed : undefined;

/** Whether what has failed stays until people decide. */
export const stays = ({ spec }: Situation, { reason, reverted }: Failed): boolean =>
  spec.onFailure === 'Hold' && reason !== ABORTED && reverted !== true;

/** The newest revision that was in place. */
export const lastGood = (revisions: readonly ObservedRevision[]): ObservedRevision | undefined =>
  revisions.find(({ isGood }) => isGood);

/** Whether old clusters go before new ones come. */
export const deletesFirst = ({ application }: Situation): boolean =>
  application.argocd?.updateStrategy?.type === 'DeleteBeforeCreate';
