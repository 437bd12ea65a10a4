import type { StagedBindingPolicySpec, Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import { compareText } from '../kubernetes/canonical.ts';

/** How a stage reaches its clusters a few at a time; times are milliseconds. */
export interface Strategy {
  readonly maxConcurrency: number | string;
  readonly maxFailures: number | string;
  readonly progressDeadline?: number;
  readonly minSuccessTime: number;
  /** The label of ManagedClusters with the name of the cluster. */
  readonly label: string;
  /** The column of StatusCollectors with that name. */
  readonly column: string;
}

/** A cluster that a stage has begun with; times are milliseconds since the epoch. */
export interface ClusterMark {
  readonly name: string;
  /** When it was begun with, or with what has changed since. */
  readonly startedAt: number;
  /** Since when it has fulfilled the stage without a break. */
  readonly fulfilledSince?: number;
}

/** How far a stage is with its clusters. */
export interface Progress {
  readonly marks: readonly ClusterMark[];
  readonly of: number;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly underway: readonly string[];
  /** The clusters to begin with now. */
  readonly next: readonly string[];
  /** Whether more have failed than may. */
  readonly isBreached: boolean;
  /** Whether every cluster is done, but for failures that are allowed. */
  readonly isOver: boolean;
  /** When it is another by time alone, at the earliest. */
  readonly until?: number;
}

/** What progress is made of. */
export interface Clusters {
  /** All that the stage selects. */
  readonly all: readonly string[];
  /** Those that its BindingPolicy has been told to reach. */
  readonly reached: readonly string[];
  /** Those that fulfil the stage. */
  readonly fulfilled: readonly string[];
}

/** How a stage reaches its clusters; undefined when it reaches all at once. */
export function readStrategy(
  { progressive: common }: Pick<StagedBindingPolicySpec, 'progressive'>,
  { progressive: own, condition, mandatory = false }: Stage,
): Strategy | undefined {
  if (condition === undefined || (common === undefined && own === undefined)) return undefined;
  const said = { ...common, ...own };
  const { maxConcurrency = '100%', maxFailures = 0, progressDeadline, minSuccessTime = 0 } = said;
  return {
    maxConcurrency,
    maxFailures: mandatory ? 0 : maxFailures,
    ...(progressDeadline === undefined ? {} : { progressDeadline: 1000 * parseDuration(progressDeadline) }),
    minSuccessTime: 1000 * parseDuration(minSuccessTime),
    label: said.clusterLabel ?? 'name',
    column: said.clusterColumn ?? 'cluster',
  };
}

/** How many clusters of how many an amount is; a share is rounded up, as Open Cluster Management does. */
export function resolveAmount(amount: number | string, of: number): number {
  if (typeof amount === 'number') return Math.min(amount, of);
  return Math.ceil((Number.parseInt(amount, 10) * of) / 100);
}

/** Says how far a stage is with its clusters, and with which it goes on. */
export function computeProgress(
  strategy: Strategy,
  { all, reached, fulfilled }: Clusters,
  before: readonly ClusterMark[],
  now: number,
): Progress {
  const begun = all.filter((name) => reached.includes(name)).toSorted(compareText);
  const marks = begun.map((name) => markOf(name, fulfilled.includes(name), before, now));
  const isDone = ({ fulfilledSince }: ClusterMark): boolean =>
    fulfilledSince !== undefined && now >= fulfilledSince + strategy.minSuccessTime;
  const isFailed = (mark: ClusterMark): boolean =>
    mark.fulfilledSince === undefined && now >= deadlineOf(strategy, mark);
  const done = marks.filter(isDone);
  const failed = marks.filter(isFailed);
  const underway = marks.filter((mark) => !isDone(mark) && !isFailed(mark));
  const left = all.filter((name) => !reached.includes(name)).toSorted(compareText);
  const isBreached = failed.length > resolveAmount(strategy.maxFailures, all.length);
  const room = resolveAmount(strategy.maxConcurrency, all.length) - underway.length;
  const times = underway.map((mark) => turnOf(strategy, mark)).filter(Number.isFinite);
  return {
    marks,
    of: all.length,
    done: namesOf(done),
    failed: namesOf(failed),
    underway: namesOf(underway),
    next: isBreached ? [] : left.slice(0, Math.max(0, room)),
    isBreached,
    // A stage that no cluster fulfils is never passed, whatever maxFailures allows.
    isOver: left.length === 0 && underway.length === 0 && done.length > 0 && !isBreached,
    ...(times.length === 0 ? {} : { until: Math.min(...times) }),
  };
}

const namesOf = (marks: readonly ClusterMark[]): readonly string[] => marks.map(({ name }) => name);

function markOf(
  name: string,
  isFulfilled: boolean,
  before: readonly ClusterMark[],
  now: number,
): ClusterMark {
  const known = before.find((mark) => mark.name === name) ?? { name, startedAt: now };
  if (isFulfilled) return { fulfilledSince: now, ...known };
  return known.fulfilledSince === undefined ? known : { name, startedAt: now };
}

const deadlineOf = ({ progressDeadline }: Strategy, { startedAt }: ClusterMark): number =>
  progressDeadline === undefined ? Number.POSITIVE_INFINITY : startedAt + progressDeadline;

/** When a cluster on its way is done or late. */
const turnOf = (strategy: Strategy, mark: ClusterMark): number =>
  mark.fulfilledSince === undefined
    ? deadlineOf(strategy, mark)
    : mark.fulfilledSince + strategy.minSuccessTime;
