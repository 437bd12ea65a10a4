import type { ApplicationOfCell } from '../../crds/application.ts';
import type { ClusterOfCell } from '../../crds/cell-clusters.ts';
import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import type { ObservedCluster } from './observation.ts';
import type { Hold } from './situation.ts';

/** The clusters of a Cell, as written and as observed. */
export interface Clusters {
  readonly written: readonly ClusterOfCell[];
  readonly observed: readonly ObservedCluster[];
}

/** Selects the clusters that an application runs on, in the order of the spec; undefined while the tags of some cluster are not known. */
export function selectClusters(
  { clusterSelector }: Pick<ApplicationOfCell, 'clusterSelector'>,
  { written, observed }: Clusters,
): readonly ClusterOfCell[] | undefined {
  if (clusterSelector === undefined) return written;
  const { matchEKSTags, ...labels } = clusterSelector;
  if (matchEKSTags === undefined) return written.filter((cluster) => hasAll(cluster.labels ?? {}, labels));
  const known = written.map((cluster) => ({
    cluster,
    found: observed.find(({ name, found }) => name === cluster.name && found !== undefined),
  }));
  if (known.some(({ found }) => found === undefined)) return undefined;
  return known.filter(({ found }) => hasAll(found?.tags ?? {}, matchEKSTags)).map(({ cluster }) => cluster);
}

type Texts = Readonly<Record<string, string>>;

const hasAll = (found: Texts, wanted: Texts): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(found, key) && found[key] === value);

/** What EKS and the API server of a cluster say of it. */
export interface ClusterSigns {
  readonly name: string;
  readonly eksName: string;
  /** Undefined when EKS has no such cluster. */
  readonly status?: string;
  readonly hasEndpoint: boolean;
  /** Whether the API server says that it is ready, or why nobody knows. */
  readonly api?: { readonly is: 'Ready' | 'NotReady' } | { readonly is: 'Unknown'; readonly message: string };
}

/** Whether a cluster is ready for applications, and why not. */
export function readinessOf(signs: ClusterSigns): { readonly isReady: boolean; readonly message: string } {
  const { name, eksName, status, hasEndpoint, api } = signs;
  const not = (message: string) => ({ isReady: false, message });
  if (status === undefined)
    return not(
      `Expected EKS to have a cluster ${eksName}, got none. Create it, or correct eks.clusterName of cluster ${name}.`,
    );
  if (status !== 'ACTIVE') return not(`EKS cluster ${eksName} is ${status}, and not ACTIVE.`);
  if (!hasEndpoint) return not(`EKS does not say yet where the API server of ${eksName} is.`);
  if (api === undefined || api.is === 'NotReady')
    return not(`The API server of ${eksName} does not answer that it is ready (/readyz).`);
  if (api.is === 'Unknown') return not(api.message);
  return { isReady: true, message: 'It is ACTIVE, and its API server is ready.' };
}

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
