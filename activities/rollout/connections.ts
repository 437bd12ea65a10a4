import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { withTimeLimit } from '../../clients/time-limit.ts';
import { connectionsAfter, type ChangedGroup } from '../../domain/load-balancers/connections.ts';
import { type Connections } from '../../domain/model/state.ts';
import type { TargetHealth } from '../../domain/gates/health.ts';
import { targetGroupsOf, type Forwarding } from '../../domain/load-balancers/load-balancer.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';

// Attributes of a target group (API_TargetGroupAttribute).
const DELAY = 'deregistration_delay.timeout_seconds';
const SLOW_START = 'slow_start.duration_seconds';

/** How long a write waits at most for what only explains it, in milliseconds. */
const READ_MS = 1_000;

/** A write that was read back. */
interface Written {
  readonly forwarding: Forwarding;
  /** What was served before. */
  readonly before: readonly WeightedTargetGroup[];
  /** The look at the groups that gain, which is made before all but what takes traffic back. */
  readonly gaining: readonly TargetHealth[];
}

/** Says why clients are elsewhere than the weights that were just written; what cannot be read is left out. */
export async function connectionsOf(
  { forwarding, before, gaining }: Written,
  delays: ReadDelays,
  signal: AbortSignal,
): Promise<readonly Connections[]> {
  const changed = targetGroupsOf(forwarding).flatMap(({ arn, weight }): ChangedGroup[] => {
    const had = before.find((group) => group.arn === arn)?.weight ?? 0;
    if (had === weight) return [];
    const draining = gaining.find(({ targetGroupARN }) => targetGroupARN === arn)?.draining ?? 0;
    return [{ targetGroupARN: arn, change: weight > had ? 'Gains' : 'Loses', draining }];
  });
  const known = await withTimeLimit({ milliseconds: READ_MS, signal }, (inTime) =>
    Promise.all(
      changed.map(async (group) => {
        const { targetGroupARN: arn } = group;
        const isLookedAt = gaining.some(({ targetGroupARN }) => targetGroupARN === arn);
        return isLookedAt ? { ...group, ...(await delays(arn, inTime)) } : group;
      }),
    ),
  );
  return connectionsAfter(known, { type: forwarding.type, now: Date.now() });
}

/** How long a target group keeps connections that leave it, and how slowly new targets take requests. */
export type Delays = Pick<ChangedGroup, 'deregistrationDelaySeconds' | 'slowStartSeconds'>;

/** Says the delays of a target group; nothing where they cannot be read. */
export type ReadDelays = (targetGroupARN: string, signal: AbortSignal) => Promise<Delays>;

/** How long what was read of a target group is good for, in milliseconds: it explains, and decides nothing. */
const KEPT_MS = 60_000;
const MOST_KEPT = 1_000;

/** Makes what reads the delays of target groups, each once a minute at most. */
export function delaysFrom(
  elbv2: (arn: string) => Pick<ELBv2, 'attributesOf'>,
  now: () => number = Date.now,
): ReadDelays {
  const kept = new Map<string, { readonly at: number; readonly delays: Delays }>();
  return async (arn, signal) => {
    const known = kept.get(arn);
    if (known !== undefined && now() - known.at < KEPT_MS) return known.delays;
    try {
      const attributes = await elbv2(arn).attributesOf(arn, signal);
      const delays = {
        deregistrationDelaySeconds: secondsIn(attributes, DELAY),
        slowStartSeconds: secondsIn(attributes, SLOW_START),
      };
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(arn, { at: now(), delays });
      return delays;
    } catch {
      return {};
    }
  };
}

function secondsIn(attributes: Readonly<Record<string, string>>, key: string): number | undefined {
  const seconds = Number(attributes[key]);
  return Number.isFinite(seconds) ? seconds : undefined;
}
