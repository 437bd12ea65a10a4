import { sleep as sleepByClock, type Sleep, unheard, type Waiting } from '../../clients/backoff.ts';
import {
  isConflict,
  isNotFound,
  type Identified,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import type { Log } from '../../clients/log.ts';
import { LEASE } from '../../clients/kubernetes/kinds.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { messageOf } from '../../domain/text.ts';

/** A Lease as the API server has it, by which a leader is elected. */
export interface Lease extends Identified {
  readonly metadata: Identified['metadata'] & { readonly resourceVersion?: string };
  readonly spec?: {
    /** Empty when nobody holds it. */
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
  };
}

const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? '';

const endOf = ({ spec }: Lease, seenAt: number): number => seenAt + (spec?.leaseDurationSeconds ?? 0) * 1000;

// metav1.MicroTime wants six digits.
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');

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
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch'>;
  readonly lease: ObjectKey;
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
  seen: Lease | undefined;
  seenAt: number;
  /** When the request was sent by which the Lease was last claimed or renewed. */
  claimedAt: number;
  /** The Lease as it was when it was last claimed, until it is seen to be different: the next write replaces this version. */
  claimed: Lease | undefined;
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
      const holder = holderOf(candidate.seen);
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
  const left = seen === undefined ? 0 : endOf(seen, seenAt) - clock.now();
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
      log.warn({ holder: holderOf(candidate.seen) }, 'lease lost');
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
  const lease = await read(candidate, signal);
  if (lease !== undefined) {
    if (lease.metadata.resourceVersion !== candidate.seen?.metadata.resourceVersion) see(candidate, lease);
    if (holderOf(lease) !== candidate.identity && isHeld(candidate, lease)) return false;
  }
  await write(candidate, lease, signal);
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

async function write(candidate: Candidate, before: Lease | undefined, signal: AbortSignal): Promise<void> {
  const { identity: holderIdentity, clock } = candidate;
  const startedAt = clock.now();
  const isNew = before === undefined || holderOf(before) !== holderIdentity;
  const spec = {
    holderIdentity,
    leaseDurationSeconds: clock.durationSeconds,
    leaseTransitions: before === undefined ? 0 : (before.spec?.leaseTransitions ?? 0) + (isNew ? 1 : 0),
    renewTime: microTime(),
    ...(isNew ? { acquireTime: microTime() } : {}),
  };
  candidate.claimed = before;
  const lease = await put(candidate, spec, before, signal);
  see(candidate, lease);
  candidate.claimedAt = startedAt;
  candidate.claimed = lease;
}

const read = ({ kubernetes, lease }: Candidate, signal: AbortSignal): Promise<Lease | undefined> =>
  kubernetes.get<Lease>(LEASE, lease, { signal });

/** Writes the Lease, or makes it where there was none; throws when it has another version, or is there. */
function put(
  { kubernetes, lease: { namespace, name } }: Candidate,
  spec: NonNullable<Lease['spec']>,
  before: Lease | undefined,
  signal: AbortSignal,
): Promise<Lease> {
  const { apiVersion, kind } = LEASE;
  if (before === undefined)
    return kubernetes.create<Lease>({ apiVersion, kind, metadata: { namespace, name }, spec }, { signal });
  const { resourceVersion = '' } = before.metadata;
  const change = { metadata: { resourceVersion }, spec };
  return kubernetes.patch<Lease>(LEASE, { namespace, name }, change, { signal });
}

const isHeld = ({ clock, seenAt }: Candidate, lease: Lease): boolean =>
  holderOf(lease) !== '' && clock.now() < endOf(lease, seenAt);

function see(candidate: Candidate, lease: Lease): void {
  candidate.seen = lease;
  candidate.seenAt = candidate.clock.now();
}

const RELEASE_MILLISECONDS = 3_000;

// A claim that was under way may still be granted: it and this replace the same version, so that the later one conflicts.
async function release(candidate: Candidate): Promise<void> {
  const { claimed, identity, log } = candidate;
  candidate.claimed = undefined;
  const signal = AbortSignal.timeout(RELEASE_MILLISECONDS);
  try {
    let lease = claimed ?? (await read(candidate, signal));
    while (lease !== undefined && (lease === claimed || holderOf(lease) === identity)) {
      const { leaseTransitions = 0 } = lease.spec ?? {};
      const nobody = {
        holderIdentity: '',
        leaseDurationSeconds: 1,
        leaseTransitions,
        renewTime: microTime(),
      };
      if (await unlessChanged(put(candidate, nobody, lease, signal))) {
        log.info({ identity }, 'lease released');
        return;
      }
      lease = await read(candidate, signal);
    }
  } catch (error) {
    // It runs out by itself.
    log.warn({ err: error }, 'lease not released');
  }
}
