import type { WeightedTargetGroup } from '../model/target-group.ts';

/** What ELBv2 says about the targets of one target group. */
export interface TargetHealth {
  readonly targetGroupARN: string;
  readonly healthy: number;
  readonly total: number;
  /** The states of the others with ELBv2's own reason, for people: `2 unhealthy (Target.Timeout)`. */
  readonly others: string;
  /** Targets that are being deregistered, and still serve what is open; none where it is left out. */
  readonly draining?: number;
  /** How many of the healthy ones are in each zone that ELBv2 names; one of which it names none counts in all of them. */
  readonly zones?: Readonly<Record<string, number>>;
}

/** The zones that the targets of a group are routed to from within alone, by the ARN of the group. */
export type ZonesByGroup = ReadonlyMap<string, readonly string[]>;

/** Says in a sentence which groups lack healthy targets; undefined when none does. */
export function lackOfHealth(found: readonly TargetHealth[], minHealthyTargets: number): string | undefined {
  const lacking = found.filter((group) => group.healthy < minHealthyTargets);
  if (lacking.length === 0) return undefined;
  return lacking.map((group) => describe(group, minHealthyTargets)).join(' ');
}

/** Says in a sentence in which zones groups lack healthy targets, where none is reached from another zone. */
export function lackInZones(
  found: readonly TargetHealth[],
  zonesOf: ZonesByGroup,
  minHealthyTargets: number,
): string | undefined {
  const lacking = found.flatMap((group) => {
    const { targetGroupARN, zones = {}, healthy } = group;
    const anywhere = healthy - Object.values(zones).reduce((sum, count) => sum + count, 0);
    const few = (zonesOf.get(targetGroupARN) ?? [])
      .map((zone) => ({ zone, count: anywhere + (zones[zone] ?? 0) }))
      .filter(({ count }) => count < minHealthyTargets)
      .map(({ zone, count }) => `${count} in ${zone}`);
    if (few.length === 0) return [];
    return `${targetGroupARN} must have at least ${targetsText(minHealthyTargets)} in each zone of the load balancer, which routes within a zone; it has ${few.join(' and ')}. Register targets there, or turn cross-zone load balancing on.`;
  });
  return lacking.length === 0 ? undefined : lacking.join(' ');
}

/** Says in a sentence which groups have no registered target; undefined when each has one. */
export function lackOfTargets(found: readonly TargetHealth[]): string | undefined {
  const lacking = found.filter((group) => group.total === 0);
  if (lacking.length === 0) return undefined;
  return lacking
    .map(
      ({ targetGroupARN }) =>
        `Target group ${targetGroupARN} has no registered target. Register one before it joins the rule; an empty target group counts as unhealthy.`,
    )
    .join(' ');
}

/** The weights that a write replaces, and those that it sets. */
export interface WeightChange {
  readonly from: readonly WeightedTargetGroup[];
  readonly to: readonly WeightedTargetGroup[];
}

/** The groups that a write takes all weight from. */
export const losingAll = ({ from, to }: WeightChange): readonly WeightedTargetGroup[] =>
  from.filter(({ arn, weight }) => weight > 0 && !to.some((one) => one.arn === arn && one.weight > 0));

/** The sides of a write that leaves all traffic without a healthy target, each with its health, for people. */
export type Stranding = Readonly<Record<'from' | 'to', string>>;

/** Finds a write that moves all traffic from healthy groups to groups without a healthy target; unread health counts as healthy on neither side. */
export function strandedBy(
  change: WeightChange,
  healthOf: (targetGroupARN: string) => TargetHealth | undefined,
): Stranding | undefined {
  const isHealthy = ({ arn }: WeightedTargetGroup): boolean => (healthOf(arn)?.healthy ?? 0) > 0;
  const receiving = change.to.filter(({ weight }) => weight > 0);
  const serving = losingAll(change).filter(isHealthy);
  if (serving.length === 0 || receiving.some(isHealthy)) return undefined;
  const named = (groups: readonly WeightedTargetGroup[]): string =>
    groups.map(({ name, arn }) => `${name} (${healthText(healthOf(arn))})`).join(', ');
  return { from: named(serving), to: named(receiving) };
}

/** Says why a write that would leave all traffic without a healthy target is not made. */
export const strandingRefusal = ({ from, to }: Stranding): string =>
  `cannot shift all traffic from ${from} to ${to}: no healthy target there. The weights stay until that changes.`;

/** Says that a write has left all traffic without a healthy target, as a person has asked. */
export const strandingWarning = ({ from, to }: Stranding): string =>
  `Shifted all traffic from ${from} to ${to} as requested, although no target there is healthy.`;

/** Says how many targets of a group are healthy: `2 of 3 healthy; 1 unhealthy (Target.Timeout)`. */
export function healthText(health: Pick<TargetHealth, 'healthy' | 'total' | 'others'> | undefined): string {
  if (health === undefined) return 'health unknown';
  const { healthy, total, others } = health;
  return total === 0
    ? 'no registered target'
    : `${healthy} of ${total} healthy${others === '' ? '' : `; ${others}`}`;
}

function describe(group: TargetHealth, wanted: number): string {
  const got = group.total === 0 ? 'no target registered' : `${group.healthy} of ${group.total}`;
  const others = group.others === '' ? '' : `; ${group.others}`;
  return `${group.targetGroupARN} must have at least ${targetsText(wanted)}; it has ${got}${others}.`;
}

const targetsText = (count: number): string => `${count} healthy target${count === 1 ? '' : 's'}`;
