import { decideBy, type Rules } from '../rules.ts';
import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import { holdOfFreeze, type ClosedGate, type Freezing } from '../gates/freeze.ts';
import { holdOfWindows } from '../gates/windows.ts';
import type { Hold } from './situation.ts';
import type { ApplicationStatus } from '../../crds/cell-status.ts';
import { childName } from './names.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import type { ObservedCluster } from './observation.ts';

/** What counts of a Cell with applications. */
interface Ordered {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly parallel?: boolean | undefined;
    readonly applications?: readonly { readonly name: string }[] | undefined;
  };
  readonly status?: Pick<CellStatus, 'phase' | 'reason' | 'applications' | 'paused'> | undefined;
}

/**
 * The application for which the traffic of a later one waits, by name: the first that is not in place, unless applications
 * move in parallel. It comes from the status of their Cell, which the Cell of each application reads.
 */
function applicationAhead({ metadata, spec, status }: Ordered, child: string): string | undefined {
  if (spec.parallel === true) return undefined;
  const all = status?.applications ?? [];
  const at = all.findIndex(({ name }) => childName(metadata.name, name) === child);
  // An application that is in place and has a reason is held.
  return all.slice(0, Math.max(0, at)).find(({ phase, reason }) => phase !== 'Synced' || reason !== undefined)
    ?.name;
}

/** What the traffic of an application waits for, from the status of the Cell with applications: its own application, and why that cannot go on, or an earlier one. */
export function heldBehind(
  cell: Ordered,
  child: string,
): { readonly application: string; readonly reason?: string } | undefined {
  const { name: parent } = cell.metadata;
  const own = cell.status?.applications?.find(({ name }) => childName(parent, name) === child);
  const reason = own === undefined ? undefined : stuckFor(cell, own);
  if (own !== undefined && reason !== undefined) return { application: own.name, reason };
  const ahead = applicationAhead(cell, child);
  return ahead === undefined ? undefined : { application: ahead };
}

/** Why an application is not to go on, or nobody can say what it is to be. Other reasons may be what its own Cell says, which must not hold itself. */
function stuckFor({ status }: Ordered, own: ApplicationStatus): string | undefined {
  if (status?.paused !== undefined) return 'Paused';
  if (status?.phase === 'Failed' && status.reason === 'InvalidSpec') return status.reason;
  return own.reason === 'InvalidApplication' ? own.reason : undefined;
}

/** Whether a Cell still has the application whose traffic another Cell moves. */
export const hasApplicationOf = (
  { metadata, spec: { applications = [] } }: Ordered,
  child: string,
): boolean => applications.some(({ name }) => childName(metadata.name, name) === child);

/** The reason of what waits for an application before it. */
export const BEHIND = 'WaitingForApplication';

/** What may hold an application. */
export interface Gates {
  readonly spec: Pick<ApplicationsSpec, 'windows'>;
  readonly paused: CellStatus['paused'];
  /** What clusters that are not ready hold. */
  readonly clusters: Hold | undefined;
  readonly freezes: readonly Freezing[];
  /** The application before it that is not in place. */
  readonly ahead: string | undefined;
  readonly now: number;
}

/** What holds an application, in their order: the first speaks for all. Nothing holds what goes back. */
export const holdRules: Rules<[gates: Gates], Hold> = [
  ['A pause', ({ paused }) => holdOfPause(paused)],
  ['A cluster that is not ready', ({ clusters }) => clusters],
  ['A Freeze', ({ freezes, now }) => waiting('WaitingForFreeze', holdOfFreeze(freezes, now))],
  ['A closed window', ({ spec, now }) => waiting('WaitingForWindow', holdOfWindows(spec.windows, now))],
  [
    'An earlier application that is not in place',
    ({ ahead }) =>
      waiting(BEHIND, ahead === undefined ? undefined : { message: `Waiting for application ${ahead}.` }),
  ],
];

/** Says what holds an application; undefined when nothing does. */
export const holdOf = (gates: Gates): Hold | undefined => decideBy(holdRules, gates);

const waiting = (reason: string, gate: ClosedGate | undefined): Hold | undefined =>
  gate && { kind: 'Waiting', reason, ...gate };

/** Says who holds everything by a pause. */
export function holdOfPause(paused: CellStatus['paused']): Hold | undefined {
  if (paused === undefined) return undefined;
  const said = paused.reason === '' ? '' : ` ${paused.reason}`;
  return { kind: 'Paused', reason: 'Paused', message: `Paused by ${paused.by}.${said}` };
}

type ClusterStatus = NonNullable<CellStatus['clusters']>[number];

/** Holds what goes forward while nobody has looked at the clusters. */
export const UNSEEN: Hold = {
  kind: 'Waiting',
  reason: 'WaitingForClusters',
  message: 'Okra reads the clusters next.',
};

/** Says how each cluster stands, and since when. */
export function clusterStatuses({
  spec,
  observed,
  before,
  isAskedAgain,
  now,
}: {
  readonly spec: ApplicationsSpec;
  readonly observed: readonly ObservedCluster[];
  readonly before: readonly ClusterStatus[];
  /** Whether someone has edited the Cell or asked for another attempt: what is not ready is waited for again. */
  readonly isAskedAgain: boolean;
  readonly now: number;
}): ClusterStatus[] {
  return spec.clusters.map(({ name, requireReady }) => {
    const seen = observed.find((one) => one.name === name);
    const ready = seen?.found !== undefined && (seen.isReady || !requireReady);
    const old = before.find((one) => one.name === name);
    const isSame = old?.ready === ready && (ready || !isAskedAgain);
    return {
      name,
      ready,
      message: (seen?.message ?? 'It was not observed yet.').slice(0, 1024),
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
): Hold | undefined {
  const missing = statuses.filter(({ ready }) => !ready);
  const [first] = missing;
  if (first === undefined) return undefined;
  const limits = missing.flatMap(({ name, since, message }) => {
    const { readyTimeout } = clusters.find((one) => one.name === name) ?? {};
    if (readyTimeout === undefined) return [];
    return [
      { name, message, readyTimeout, until: (parseTime(since) ?? now) + parseDuration(readyTimeout) * 1000 },
    ];
  });
  const over = limits.find(({ until }) => now >= until);
  if (over !== undefined) {
    const message = `Cluster ${over.name} was not ready within ${over.readyTimeout}: ${over.message} Continues when it is ready, or after retry.`;
    return { kind: 'Failed', reason: 'ClustersNotReady', message };
  }
  const names = missing.map(({ name }) => name).join(', ');
  return {
    kind: 'Waiting',
    reason: 'WaitingForClusters',
    message: `Waiting for ${names} to be ready: ${first.message}`,
    ...(limits.length === 0 ? {} : { until: Math.min(...limits.map(({ until }) => until)) }),
  };
}
