import type { PresentCell } from './candidate.ts';
import type { Decision } from './decision.ts';
import { parseDuration } from './duration.ts';
import type { ObservedCell } from './observation.ts';
import type { HealthCheck, RolloutState } from './state.ts';
import { gaining, includes } from './weights.ts';

/** How long a look at the targets counts, in milliseconds. */
const HEALTH_VALID_MS = 15_000;

/** The longest time between two looks at targets that are not healthy, in milliseconds. */
const LONGEST_HEALTH_INTERVAL_MS = 30_000;

type Shift = Extract<Decision, { do: 'Shift' }>;

/** What a guard looks at. */
export interface GuardInput {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly now: number;
}

/**
 * Lets a shift pass only when every group that gains has healthy targets. A group that no rule uses reports its
 * targets as `unused` (API_TargetHealth, Target.NotInUse), so it is attached at weight 0 first and looked at then.
 * `whenTimedOut` is what happens when the groups stay unhealthy for longer than `spec.healthTimeout`.
 */
export function guard(shift: Shift, input: GuardInput, whenTimedOut?: (lack: string) => Decision): Decision {
  const { observed, cell, state, now } = input;
  const receiving = gaining(shift.shares, observed.served);
  if (receiving.length === 0) return shift;
  if (receiving.some((group) => !includes(observed.served, group))) return attach(shift, observed);
  const arns = receiving.map((group) => group.arn);
  const known = state.health;
  if (known === undefined || !isAbout(known, arns)) return check(arns);
  if (known.lack === undefined) return now - known.at <= HEALTH_VALID_MS ? shift : check(arns);
  if (whenTimedOut !== undefined && now - known.since >= parseDuration(cell.spec.healthTimeout) * 1000) {
    return whenTimedOut(known.lack);
  }
  const next = known.at + Math.min(LONGEST_HEALTH_INTERVAL_MS, 1000 * 2 ** (known.checks - 1));
  return now >= next ? check(arns) : { do: 'Wait', for: 'Health', until: next, message: known.lack };
}

/** Whether a health check was about these groups. */
export const isAbout = ({ targetGroupARNs }: HealthCheck, arns: readonly string[]): boolean =>
  targetGroupARNs.length === arns.length && arns.every((arn) => targetGroupARNs.includes(arn));

function check(targetGroupARNs: readonly string[]): Decision {
  return {
    do: 'CheckHealth',
    targetGroupARNs,
    message: 'Looking at the health of the targets that are to get more traffic.',
  };
}

function attach(shift: Shift, observed: ObservedCell): Decision {
  const staying = observed.served.filter((group) => group.weight > 0 || includes(shift.shares, group));
  const joining = shift.shares.filter((group) => !includes(observed.served, group));
  return {
    do: 'Shift',
    purpose: 'Attach',
    version: shift.version,
    shares: [...staying, ...joining.map((group) => ({ ...group, weight: 0 }))],
    urgent: false,
    message: `Attaching ${joining.map((group) => group.name).join(', ')} at weight 0, so that ELBv2 checks the targets.`,
  };
}
