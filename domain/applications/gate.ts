import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import type { ObservedCluster } from './observation.ts';
import type { Hold } from './situation.ts';

type ClusterStatus = NonNullable<CellStatus['clusters']>[number];

/** What the gate over the clusters looks at. */
export interface GateInput {
  readonly spec: ApplicationsSpec;
  readonly observed: readonly ObservedCluster[];
  readonly before: readonly ClusterStatus[];
  /** Whether someone has edited the Cell or asked for another attempt: what is not ready is waited for again. */
  readonly isAskedAgain: boolean;
  readonly now: number;
}

/** Holds what goes forward while nobody has looked at the clusters. */
export const UNSEEN: Hold = {
  kind: 'Waiting',
  reason: 'WaitingForClusters',
  message: 'The clusters are looked at next.',
};

/** Says how each cluster stands, and since when. */
export function clusterStatuses({ spec, observed, before, isAskedAgain, now }: GateInput): ClusterStatus[] {
  return spec.clusters.map(({ name, requireReady }) => {
    const seen = observed.find((one) => one.name === name);
    const ready = seen?.found !== undefined && (seen.isReady || !requireReady);
    const old = before.find((one) => one.name === name);
    const isSame = old?.ready === ready && (ready || !isAskedAgain);
    return {
      name,
      ready,
      message: (seen?.message ?? 'It was not looked at yet.').slice(0, 1024),
      since: isSame ? old.since : new Date(now).toISOString(),
    };
  });
}

/** What nobody has looked at stays as it was, but what was not ready is waited for as long again. */
export const waitedForAgain = (before: readonly ClusterStatus[], now: number): ClusterStatus[] =>
  before.map((one) => (one.ready ? one : { ...one, since: new Date(now).toISOString() }));

/** Holds everything while some cluster is not ready. */
export function clustersHold(
  { clusters }: ApplicationsSpec,
  statuses: readonly ClusterStatus[],
  now: number,
) {
  const missing = statuses.filter(({ ready }) => !ready);
  const [first] = missing;
  if (first === undefined) return undefined;
  const limits = missing.flatMap(({ name, since }) => {
    const { readyTimeout } = clusters.find((one) => one.name === name) ?? {};
    if (readyTimeout === undefined) return [];
    return [{ name, readyTimeout, until: (parseTime(since) ?? now) + parseDuration(readyTimeout) * 1000 }];
  });
  const over = limits.find(({ until }) => now >= until);
  if (over !== undefined) {
    const message = `Expected cluster ${over.name} to be ready within ${over.readyTimeout}, got: ${messageOf(missing, over.name)} Continues when it is ready, or after retry.`;
    return { kind: 'Failed', reason: 'ClustersNotReady', message } satisfies Hold;
  }
  const names = missing.map(({ name }) => name).join(', ');
  const hold: Hold = {
    kind: 'Waiting',
    reason: 'WaitingForClusters',
    message: `Waiting for ${names} to be ready: ${first.message}`,
    ...(limits.length === 0 ? {} : { until: Math.min(...limits.map(({ until }) => until)) }),
  };
  return hold;
}

const messageOf = (statuses: readonly ClusterStatus[], name: string): string =>
  statuses.find((one) => one.name === name)?.message ?? '';
