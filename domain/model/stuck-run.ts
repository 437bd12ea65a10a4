import { cut } from '../text.ts';

/** A workflow task that was not completed. */
export interface TaskFailure {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What the worker has reported; undefined: it has not answered in time. */
  readonly message?: string;
}

/** The workflow task of a run that is due, and what became of those before it since one was completed. */
export interface DueTask {
  /** As Temporal counts, from 1; it begins again when the run is signalled. */
  readonly attempt: number;
  /** Those that are in the history, the oldest first; Temporal records the first of several in a row. */
  readonly failures: readonly TaskFailure[];
}

/** Why a run cannot continue, in sentences. */
export type StuckFor = string;

/** Fewer failures, or failures for a shorter time, may come from an upgrade that is under way. */
const FEWEST_FAILURES = 3;
const SHORTEST_MILLISECONDS = 30_000;

/** Finds out whether a run cannot continue because its workflow tasks fail again and again, not because workers do not answer. */
export function findStuck({ attempt, failures }: DueTask, now: number): StuckFor | undefined {
  const [first] = failures;
  const message = failures.findLast((failure) => failure.message !== undefined)?.message;
  if (first === undefined || message === undefined) return undefined;
  // Of those in a row the history has the first.
  const count = failures.length + Math.max(0, attempt - 2);
  if (count < FEWEST_FAILURES || now - first.at < SHORTEST_MILLISECONDS) return undefined;
  const since = new Date(first.at).toISOString();
  return `Its workflow task failed ${count} times since ${since}: ${cut(message, LONGEST_MESSAGE)}`;
}

/** Finds out whether Temporal lost a part of a run: a worker that remembers more events than there are cannot continue. */
export const findShortened = (events: number, before: number): StuckFor | undefined =>
  events < before
    ? `Its history has ${events} events, and had ${before} before: the database of Temporal was restored from a backup.`
    : undefined;

/** The reason of statuses and Events. */
export const WORKFLOW_STUCK = 'WorkflowStuck';

const LONGEST_MESSAGE = 500;

/** Says why a run is terminated; the run that follows knows by it that Okra has done that. */
export const terminationFor = (stuckFor: StuckFor): string => `${WORKFLOW_STUCK}: ${stuckFor}`;

/** Reads why Okra has terminated a run; undefined where someone else has. */
export const readTermination = (reason: string): StuckFor | undefined =>
  reason.startsWith(`${WORKFLOW_STUCK}: `) ? reason.slice(WORKFLOW_STUCK.length + 2) : undefined;
