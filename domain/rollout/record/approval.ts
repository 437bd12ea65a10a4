import { given, isRecord, numberIn } from '../../model/fields.ts';
import type { Approvals } from '../../model/request.ts';
import { stampOf, withRequest } from '../../model/requests.ts';
import { withoutRollout } from '../../model/request-kinds.ts';
import { notAsSeen } from '../../model/seen.ts';
import type { Rollout, RolloutState } from '../../model/state.ts';
import type { StatusInput } from '../report/status-rollout.ts';
import type { CellStatus } from '../../../crds/cell.ts';
import { approvalsOf } from '../../steps/index.ts';
import { cut } from '../../text.ts';
import { parseVersion } from '../../versions/version.ts';
import { approvalRefusedEvent, approvedEvent } from '../report/events.ts';
import { addEvent } from './record.ts';

/** What someone says who approves: who they are, in which groups, and why. */
export interface Claim {
  readonly by: string;
  readonly groups: readonly string[];
  readonly reason: string;
  /** The version that was looked at; undefined: whichever waits. */
  readonly version?: string;
  /** The step that was looked at, from 1; undefined: whichever waits. */
  readonly step?: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const LONGEST = { name: 253, reason: 1024, groups: 500 } as const;

/** Whom Kubernetes lets do everything unasked; to say that one is of them is no identity. */
const MASTERS = 'system:masters';

const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= LONGEST.name &&
  !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);

/** Reads an approval out of what was sent, or says why it is none, as without a name and groups. */
export function claimFrom(sent: unknown, at: number): Claim | string {
  const { by, groups, reason, version, step } = isRecord(sent) ? sent : {};
  if (!isName(by)) return withoutIdentity('by, a name of 1 to 253 characters');
  if (!Array.isArray(groups) || groups.length > LONGEST.groups || !groups.every(isName))
    return withoutIdentity('groups, a list of up to 500 names');
  const of = typeof version === 'string' ? parseVersion(version) : undefined;
  if (version !== undefined && of === undefined)
    return 'invalid version to approve: must be a version such as 1.2.3.';
  const why = typeof reason === 'string' ? cut(reason, LONGEST.reason) : '';
  const counted = groups.filter((group) => group !== MASTERS);
  return { by, groups: counted, reason: why, at, ...given({ version: of, step: numberIn(step) }) };
}

const withoutIdentity = (lacking: string): string =>
  `The approval lacks ${lacking}. Send it with okractl approve.`;

/** Which wait for approvals is meant: one that begins again, with other steps or for another version, is another. */
export interface Stand {
  readonly rollout: string;
  readonly edition: number;
  readonly index: number;
  readonly since: number;
}

/** The wait for approvals that the rollout is at; undefined when it is at none. */
export function standOf(rollout: Rollout | undefined): (Stand & { readonly takes: Approvals }) | undefined {
  if (rollout === undefined || rollout.ending !== undefined || rollout.progress.is !== 'Pausing')
    return undefined;
  const { id, edition = 0, index, steps, progress } = rollout;
  const step = steps[index];
  const takes = step === undefined ? undefined : approvalsOf(step);
  return takes === undefined ? undefined : { rollout: id, edition, index, since: progress.since, takes };
}

const approvalsIn = ({ rollout }: RolloutState) =>
  rollout?.progress.is === 'Pausing' ? (rollout.progress.approvals ?? []) : [];

/** Says why an approval does not count, before Kubernetes is asked about it; undefined when nothing speaks against it. */
export function refusalToApprove(
  state: RolloutState,
  { by, groups, version, step }: Claim,
): string | undefined {
  const without = withoutRollout(state);
  if (without !== undefined) return without;
  const stand = standOf(state.rollout);
  if (stand === undefined) return NOT_WAITING;
  const { takes } = stand;
  const current = state.rollout?.canary.version;
  if (version !== undefined && version !== current)
    return `cannot approve ${version}: the rollout is of ${current}. Check ${current} first.`;
  const other = step === undefined ? undefined : notAsSeen(state, 'approve', { step });
  if (other !== undefined) return other;
  if (!groups.some((group) => takes.groups.includes(group)))
    return `${by} cannot approve: must be a member of one of ${takes.groups.join(', ')}.`;
  const approvals = approvalsIn(state);
  if (approvals.length >= takes.count) return `The step already has all ${takes.count} approvals.`;
  return approvals.some((one) => one.by === by)
    ? `${by} has already approved (${approvals.length} of ${takes.count}); another person must approve.`
    : undefined;
}

const NOT_WAITING = 'The rollout does not wait for approval. Approve when its reason is WaitingForApproval.';

/** An approval that counts, and what is said of it. */
export interface Counted {
  readonly state: RolloutState;
  readonly message: string;
}

/** Counts an approval that Kubernetes lets pass, unless what it was given for is not waited for any more; then says why. */
export function countApproval(state: RolloutState, claim: Claim, stand: Stand | undefined): Counted | string {
  const refusal = refusalToApprove(state, claim);
  if (refusal !== undefined) return refusal;
  const { rollout } = state;
  const now = standOf(rollout);
  const isSame =
    now !== undefined &&
    stand !== undefined &&
    (['rollout', 'edition', 'index', 'since'] as const).every((part) => now[part] === stand[part]);
  if (rollout?.progress.is !== 'Pausing' || !isSame) return NOT_WAITING;
  const { by, reason, at } = claim;
  const stamp = { by, reason, at };
  const approvals = [...approvalsIn(state), stamp];
  const { count } = now.takes;
  const lacking = count - approvals.length;
  const step = `step ${rollout.index + 1} of ${rollout.canary.version}`;
  const message = `Approved by ${by} for ${step}${reason === '' ? '' : `: ${reason}`} (${approvals.length} of ${count}). ${lacking === 0 ? `The rollout continues.` : `Missing: ${lacking}.`}`;
  const next = {
    ...state,
    rollout: { ...rollout, progress: { ...rollout.progress, approvals } },
    requested: withRequest(state.requested, { action: 'approve', ...stamp }),
  };
  return { state: addEvent(next, approvedEvent(message)), message };
}

/** Tells people of an approval that does not count; the same is told once until the next report. */
export function refusedApproval(state: RolloutState, message: string): RolloutState {
  const isAboutToBeTold = state.events.some((event) => event.message === message);
  const isFull = state.events.length >= MOST_EVENTS;
  return isAboutToBeTold || isFull ? state : addEvent(state, approvalRefusedEvent(message));
}

// Whoever can signal can do so without an end.
const MOST_EVENTS = 50;

/** The approvals of the current step, as the Cell's status has them. */
export function approvalIn({ state }: StatusInput): Pick<CellStatus, 'approval'> {
  const stand = standOf(state.rollout);
  if (stand === undefined) return {};
  const { groups, count, message } = stand.takes;
  const approvals = approvalsIn(state);
  return {
    approval: {
      groups: [...groups],
      count,
      lacking: Math.max(0, count - approvals.length),
      ...given({ message }),
      ...(approvals.length === 0 ? {} : { approvals: approvals.map(stampOf) }),
    },
  };
}

/** Has everybody approve who has to, for a rollout that is run ahead. */
export function approvedAhead(state: RolloutState, { by, reason, at }: Omit<Claim, 'groups'>): RolloutState {
  const stand = standOf(state.rollout);
  if (stand === undefined) return state;
  const { groups, count } = stand.takes;
  return Array.from({ length: count }).reduce<RolloutState>((before, _, index) => {
    const counted = countApproval(before, { by: `${by} ${index + 1}`, groups, reason, at }, stand);
    return typeof counted === 'string' ? before : counted.state;
  }, state);
}
