import type { StagedBindingPolicySpec, Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import { compareText } from '../kubernetes/canonical.ts';

/** How a stage reaches its clusters a few at a time; times are milliseconds. */
export type Strategy = NonNullable<ReturnType<typeof readStrategy>>;

/** A cluster that a stage has begun with; times are milliseconds since the epoch. */
export interface ClusterMark {
  readonly name: string;
  /** When it was begun with, or with what has changed since. */
  readonly startedAt: number;
  /** Since when it has fulfilled the stage without a break. */
  readonly fulfilledSince?: number;
}

/** How far a stage is with its clusters. */
export type Progress = ReturnType<typeof computeProgress>;

/** What progress is made of. */
export interface Clusters {
  readonly all: readonly string[];
  /** Those that its BindingPolicy has been told to reach. */
  readonly reached: readonly string[];
  readonly fulfilled: readonly string[];
}

/** How a stage reaches its clusters; undefined when it reaches all at once. The label of ManagedClusters and the column of StatusCollectors name the cluster. */
export function readStrategy(
  { progressive: common }: Pick<StagedBindingPolicySpec, 'progressive'>,
  { progressive: own, condition, mandatory = false }: Stage,
) {
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

/** Says how far a stage is with its clusters, and with which it continues; `until`: when it is another by time alone, at the earliest. */
export function computeProgress(
  strategy: Strategy,
  { all, reached, fulfilled }: Clusters,
  before: readonly ClusterMark[],
  now: number,
) {
  const begun = all.filter((name) => reached.includes(name)).toSorted(compareText);
  const marks = begun.map((name): ClusterMark => {
    const known = before.find((mark) => mark.name === name) ?? { name, startedAt: now };
    if (fulfilled.includes(name)) return { fulfilledSince: now, ...known };
    return known.fulfilledSince === undefined ? known : { name, startedAt: now };
  });
  const { progressDeadline = Number.POSITIVE_INFINITY, minSuccessTime } = strategy;
  const turnOf = ({ startedAt, fulfilledSince }: ClusterMark): number =>
    fulfilledSince === undefined ? startedAt + progressDeadline : fulfilledSince + minSuccessTime;
  const over = marks.filter((mark) => now >= turnOf(mark));
  const done = namesOf(over.filter(({ fulfilledSince }) => fulfilledSince !== undefined));
  const failed = namesOf(over.filter(({ fulfilledSince }) => fulfilledSince === undefined));
  const underway = marks.filter((mark) => now < turnOf(mark));
  const left = all.filter((name) => !reached.includes(name)).toSorted(compareText);
  const isBreached = failed.length > resolveAmount(strategy.maxFailures, all.length);
  const room = resolveAmount(strategy.maxConcurrency, all.length) - underway.length;
  const times = underway.map(turnOf).filter(Number.isFinite);
  return {
    marks,
    of: all.length,
    done,
    failed,
    underway: namesOf(underway),
    next: isBreached ? [] : left.slice(0, Math.max(0, room)),
    isBreached,
    // A stage that no cluster fulfils is never passed, whatever maxFailures allows.
    isOver: left.length === 0 && underway.length === 0 && done.length > 0 && !isBreached,
    ...(times.length === 0 ? {} : { until: Math.min(...times) }),
  };
}

const namesOf = (marks: readonly ClusterMark[]): readonly string[] => marks.map(({ name }) => name);
