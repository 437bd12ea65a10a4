import { sleep as sleepByClock, type Sleep, unheard, type Waiting } from '../../clients/backoff.ts';
import {
  isConflict,
  isNotFound,
  type Key,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import type { Log } from '../../clients/log.ts';
import { LEASE } from '../../clients/kubernetes/kinds.ts';
import { messageOf } from '../../domain/text.ts';

/** What a Lease says, and the version that it says it in. */
export interface LeaseRecord {
  readonly resourceVersion: string;
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly transitions: number;
}

/** What a holder writes; `isNew` says that the claim is not one that is only kept up. */
export type LeaseClaim = Omit<LeaseRecord, 'resourceVersion'> & { readonly isNew: boolean };

/** The Lease by which a leader is elected. */
export type LeasePort = ReturnType<typeof kubernetesLease>;

interface Lease {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
  };
}

/** The Lease of a name in the Kubernetes API. */
export function kubernetesLease(
  kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch'>,
  key: Key & { readonly namespace: string },
) {
  const { namespace, name } = key;
  const { apiVersion, kind } = LEASE;
  return {
    read: async (signal: AbortSignal): Promise<LeaseRecord | undefined> => {
      const lease = await kubernetes.get<Lease>(LEASE, key, { signal });
      return lease && recordOf(lease);
    },
    /** Writes the Lease, or makes it where there is no version; throws when it has another one, or is there. */
    write: async (
      next: LeaseClaim,
      resourceVersion: string | undefined,
      signal: AbortSignal,
    ): Promise<LeaseRecord> => {
      const spec = specOf(next);
      const lease: Lease = { apiVersion, kind, metadata: { namespace, name }, spec };
      const written =
        resourceVersion === undefined
          ? kubernetes.create(lease, { signal })
          : kubernetes.patch<Lease>(LEASE, key, { metadata: { resourceVersion }, spec }, { signal });
      return recordOf(await written);
    },
  };
}

function recordOf({ metadata, spec = {} }: Lease): LeaseRecord {
  return {
    resourceVersion: metadata.resourceVersion ?? '',
    holder: spec.holderIdentity ?? '',
    durationSeconds: spec.leaseDurationSeconds ?? 0,
    transitions: spec.leaseTransitions ?? 0,
  };
}

function specOf({ holder, durationSeconds, transitions, isNew }: LeaseClaim): NonNullable<Lease['spec']> {
  const now = microTime(new Date());
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    leaseTransitions: transitions,
    renewTime: now,
    ...(isNew ? { acquireTime: now } : {}),
  };
}

// metav1.MicroTime wants six digits.
const microTime = (time: Date): string => time.toISOString().replace('Z', '000Z');

/** How long leadership lasts. */
export interface ElectionTiming {
  /** So long a Lease that nobody renews is left alone. */
  readonly durationSeconds: number;
  /** A leader that could not renew for so long stops to lead; it has to be shorter than the duration. */
  readonly renewDeadlineSeconds: number;
  readonly retrySeconds: number;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

interface ElectionOptions {
  readonly lease: LeasePort;
  readonly identity: string;
  /** Called on becoming leader; has to end soon after its signal is given. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told whether the Lease can be reached; who can reach it stands by at least. */
  readonly waiting?: Waiting | undefined;
  readonly timing?: Partial<ElectionTiming>;
}

// Half of client-go's own figures, or less: two leaders at a time say the same twice, and do no harm, while nobody hears of a new
// Cell until there is one.
const usual: ElectionTiming = {
  durationSeconds: 6,
  renewDeadlineSeconds: 5,
  retrySeconds: 1,
  now: () => performance.now(),
  sleep: sleepByClock,
};

/** A candidate, with the Lease as last seen and since when: the clocks of others are not to be trusted. */
interface Candidate extends ElectionOptions {
  readonly clock: ElectionTiming;
  seen: LeaseRecord | undefined;
  seenAt: number;
  /** When the request was sent by which the Lease was last claimed or renewed. */
  claimedAt: number;
  /** The Lease as it was when it was last claimed, until it is seen to be different: the next write replaces this version. */
  claimed: LeaseRecord | undefined;
}

/** Stands for election until the signal is given, and leads while elected; on the way out the Lease is given back. */
export async function runElection(options: ElectionOptions): Promise<void> {
  const clock = { ...usual, ...options.timing };
  const nothing = { seen: undefined, seenAt: 0, claimedAt: 0, claimed: undefined };
  const candidate: Candidate = { ...options, clock, ...nothing };
  const { log, signal, identity } = options;
  while (!signal.aborted) {
    if (!(await acquire(candidate))) return;
    log.info({ identity }, 'leading');
    try {
      await leadWhileElected(candidate);
    } finally {
      await release(candidate);
    }
    log.info({ identity }, 'not leading any more');
  }
}

async function acquire(candidate: Candidate): Promise<boolean> {
  const { clock, log, signal, waiting = unheard } = candidate;
  for (let told = ''; !signal.aborted;) {
    try {
      const isOurs = await claim(candidate, signal);
      waiting(undefined);
      if (isOurs) return true;
      const holder = candidate.seen?.holder ?? '';
      if (holder !== told) log.info({ holder }, 'standing by');
      told = holder;
    } catch (error) {
      // A claim that was given up may have been granted.
      if (signal.aborted) await release(candidate);
      else if (!isConflict(error)) {
        waiting(unreached(error));
        log.warn({ err: error }, 'lease not reached, trying again');
      }
    }
    await clock.sleep(untilNextTry(candidate), signal);
  }
  return false;
}

/** A Lease that runs out before the next try is looked at when it does. */
function untilNextTry({ clock, seen, seenAt }: Candidate): number {
  const left = seen === undefined ? 0 : seenAt + seen.durationSeconds * 1000 - clock.now();
  return left > 0 ? Math.min(left, clock.retrySeconds * 1000) : clock.retrySeconds * 1000;
}

const unreached = (error: unknown): string => `cannot reach the Lease: ${messageOf(error)}.`;

async function leadWhileElected(candidate: Candidate): Promise<void> {
  const resigned = new AbortController();
  const signal = AbortSignal.any([candidate.signal, resigned.signal]);
  const renewing = renewUntilLost(candidate, signal).finally(() => resigned.abort());
  try {
    await candidate.lead(signal);
  } finally {
    resigned.abort();
    await renewing;
  }
}

async function renewUntilLost(candidate: Candidate, signal: AbortSignal): Promise<void> {
  const { clock, log, waiting = unheard } = candidate;
  for (;;) {
    await clock.sleep(clock.retrySeconds * 1000, signal);
    if (signal.aborted) return;
    const left = candidate.claimedAt + clock.renewDeadlineSeconds * 1000 - clock.now();
    if (left <= 0) {
      log.warn('lease not renewed in time');
      return;
    }
    try {
      // An answer that comes after the deadline is of no use any more.
      const isOurs = await claim(candidate, AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))]));
      waiting(undefined);
      if (isOurs) continue;
      log.warn({ holder: candidate.seen?.holder }, 'lease lost');
      return;
    } catch (error) {
      if (signal.aborted) continue;
      if (!isConflict(error)) waiting(unreached(error));
      log.warn({ err: error }, 'lease not renewed, trying again');
    }
  }
}

// Whether the Lease is ours after this; throws when that cannot be said, or someone else wrote meanwhile.
async function claim(candidate: Candidate, signal: AbortSignal): Promise<boolean> {
  if (await renew(candidate, signal)) return true;
  const record = await candidate.lease.read(signal);
  if (record !== undefined) {
    if (record.resourceVersion !== candidate.seen?.resourceVersion) see(candidate, record);
    if (record.holder !== candidate.identity && isHeld(candidate, record)) return false;
  }
  await write(candidate, record, signal);
  return true;
}

/** Renews the Lease without reading it first; false when it is not as it was claimed any more. */
async function renew(candidate: Candidate, signal: AbortSignal): Promise<boolean> {
  const { claimed } = candidate;
  if (claimed === undefined) return false;
  const isRenewed = await unlessChanged(write(candidate, claimed, signal));
  if (!isRenewed) candidate.claimed = undefined;
  return isRenewed;
}

/** Whether a write succeeds; false when the Lease has another version, or is gone. */
const unlessChanged = (writing: Promise<unknown>): Promise<boolean> =>
  writing.then(
    () => true,
    (error: unknown) => {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    },
  );

async function write(
  candidate: Candidate,
  before: LeaseRecord | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { lease, identity: holder, clock } = candidate;
  const startedAt = clock.now();
  const isNew = before?.holder !== holder;
  const transitions = before === undefined ? 0 : before.transitions + (isNew ? 1 : 0);
  const next = { holder, durationSeconds: clock.durationSeconds, transitions, isNew };
  candidate.claimed = before;
  const record = await lease.write(next, before?.resourceVersion, signal);
  see(candidate, record);
  candidate.claimedAt = startedAt;
  candidate.claimed = record;
}

function isHeld({ clock, seenAt }: Candidate, record: LeaseRecord): boolean {
  return record.holder !== '' && clock.now() < seenAt + record.durationSeconds * 1000;
}

function see(candidate: Candidate, record: LeaseRecord): void {
  candidate.seen = record;
  candidate.seenAt = candidate.clock.now();
}

const RELEASE_MILLISECONDS = 3_000;

// A claim that was under way may still be granted: it and this replace the same version, so that the later one conflicts.
async function release(candidate: Candidate): Promise<void> {
  const { lease, claimed, identity, log } = candidate;
  candidate.claimed = undefined;
  const signal = AbortSignal.timeout(RELEASE_MILLISECONDS);
  try {
    let record = claimed ?? (await lease.read(signal));
    while (record !== undefined && (record === claimed || record.holder === identity)) {
      const nobody = { holder: '', durationSeconds: 1, transitions: record.transitions, isNew: false };
      if (await unlessChanged(lease.write(nobody, record.resourceVersion, signal))) {
        log.info({ identity }, 'lease released');
        return;
      }
      record = await lease.read(signal);
    }
  } catch (error) {
    // It runs out by itself.
    log.warn({ err: error }, 'lease not released');
  }
}
