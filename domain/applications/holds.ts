import type { Rules } from '../rules.ts';
import type { ApplicationsSpec, CellStatus } from '../../crds/cell.ts';
import { holdOfFreeze, type ClosedGate, type Freezing } from '../gates/freeze.ts';
import { holdOfWindows } from '../gates/windows.ts';
import type { Hold } from './situation.ts';
import type { ApplicationStatus } from '../../crds/cell-status.ts';
import { childName } from './names.ts';
import { parseDuration } from '../duration.ts';
import { namesOf } from '../text.ts';
import { parseTime } from '../time.ts';
import type { ObservedApplications } from './observation.ts';

interface Ordered {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly parallel?: boolean | undefined;
    readonly applications?: readonly { readonly name: string }[] | undefined;
  };
  readonly status?: Pick<CellStatus, 'phase' | 'reason' | 'applications' | 'paused'> | undefined;
}

/** Finds what the traffic of an application waits for, by its Cell's status: itself, or an earlier one that is not in place. */
export function heldBehind(
  { metadata, spec, status = {} }: Ordered,
  child: string,
): { readonly application: string; readonly reason?: string } | undefined {
  const all = status.applications ?? [];
  const at = all.findIndex(({ name }) => childName(metadata.name, name) === child);
  const own = all[at];
  const reason = own && stuckFor(status, own);
  if (own !== undefined && reason !== undefined) return { application: own.name, reason };
  if (own === undefined || spec.parallel === true) return undefined;
  // An application that is in place and has a reason is held.
  const ahead = all.slice(0, at).find((one) => one.phase !== 'Synced' || one.reason !== undefined);
  return ahead && { application: ahead.name };
}

/** Why an application is not to continue, or nobody can say what it is to be. Other reasons may be what its own Cell says, which must not hold itself. */
function stuckFor(
  { paused, phase, reason }: NonNullable<Ordered['status']>,
  own: ApplicationStatus,
): string | undefined {
  if (paused !== undefined) return 'Paused';
  if (phase === 'Failed' && reason === 'InvalidSpec') return reason;
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
  readonly clusters: Hold | undefined;
  readonly freezes: readonly Freezing[];
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

const waiting = (reason: string, gate: ClosedGate | undefined): Hold | undefined =>
  gate && { kind: 'Waiting', reason, ...gate };

/** Says who holds everything by a pause. */
export function holdOfPause(paused: CellStatus['paused']): Hold | undefined {
  if (paused === undefined) return undefined;
  const said = paused.reason === '' ? '' : ` ${paused.reason}`;
  return { kind: 'Paused', reason: 'Paused', message: `Paused by ${paused.by}.${said}` };
}

type ClusterStatus = NonNullable<CellStatus['clusters']>[number];

const UNSEEN: Hold = {
  kind: 'Waiting',
  reason: 'WaitingForClusters',
  message: 'Okra reads the clusters next.',
};

/** Says how the clusters stand, and what they hold; as before when nobody has looked at them. What is not ready is waited for again after an edit or a retry. */
export function judgeClusters(
  { clusters: observed, isWithoutClusters }: ObservedApplications,
  { spec, status, generation }: NonNullable<ObservedApplications['cell']>,
  { isRetried, now }: { readonly isRetried: boolean; readonly now: number },
): { readonly clusters: ClusterStatus[]; readonly gate: Hold | undefined } {
  const before = status.clusters ?? [];
  const isAskedAgain = isRetried || status.observedGeneration !== generation;
  const since = new Date(now).toISOString();
  if (isWithoutClusters === true)
    return {
      clusters: before.map((one) => (one.ready || !isAskedAgain ? one : { ...one, since })),
      gate: UNSEEN,
    };
  const clusters = spec.clusters.map(({ name, requireReady }) => {
    const seen = observed.find((one) => one.name === name);
    const ready = seen?.found !== undefined && (seen.isReady || !requireReady);
    const old = before.find((one) => one.name === name);
    const isSame = old?.ready === ready && (ready || !isAskedAgain);
    const message = (seen?.message ?? 'It was not observed yet.').slice(0, 1024);
    return { name, ready, message, since: isSame ? old.since : since };
  });
  return { clusters, gate: clustersHold(spec, clusters, now) };
}

function clustersHold(
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
  return {
    kind: 'Waiting',
    reason: 'WaitingForClusters',
    message: `Waiting for ${namesOf(missing)} to be ready: ${first.message}`,
    ...(limits.length === 0 ? {} : { until: Math.min(...limits.map(({ until }) => until)) }),
  };
}
