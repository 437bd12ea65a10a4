/** What ELBv2 says about the targets of one target group. */
export interface TargetHealth {
  readonly targetGroupARN: string;
  /** Targets in state `healthy`. */
  readonly healthy: number;
  /** All registered targets. */
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
    return `Expected at least ${targetsText(minHealthyTargets)} in ${targetGroupARN} in each zone of the load balancer, which routes within a zone, got ${few.join(' and ')}. Register targets there, or turn cross-zone load balancing on.`;
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
        `Expected a registered target in ${targetGroupARN} before it joins the rule, got none. Register one; a target group without any counts as unhealthy.`,
    )
    .join(' ');
}

/** Whether a group has a target that gets new clients. */
export const hasTarget = ({ total, draining = 0 }: TargetHealth): boolean => total > draining;

function describe(group: TargetHealth, wanted: number): string {
  const got = group.total === 0 ? 'no target registered' : `${group.healthy} of ${group.total}`;
  const others = group.others === '' ? '' : `; ${group.others}`;
  return `Expected at least ${targetsText(wanted)} in ${group.targetGroupARN}, got ${got}${others}.`;
}

const targetsText = (count: number): string => `${count} healthy target${count === 1 ? '' : 's'}`;
