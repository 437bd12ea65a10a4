/** What ELBv2 says about the targets of one target group. */
export interface TargetHealth {
  readonly targetGroupARN: string;
  /** Targets in state `healthy`. */
  readonly healthy: number;
  /** All registered targets. */
  readonly total: number;
  /** The states of the others with ELBv2's own reason, for people: `2 unhealthy (Target.Timeout)`. */
  readonly others: string;
}

/** Says in a sentence which groups lack healthy targets; undefined when none does. */
export function lackOfHealth(found: readonly TargetHealth[], minHealthyTargets: number): string | undefined {
  const lacking = found.filter((group) => group.healthy < minHealthyTargets);
  if (lacking.length === 0) return undefined;
  return lacking.map((group) => describe(group, minHealthyTargets)).join(' ');
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

function describe(group: TargetHealth, wanted: number): string {
  const got = group.total === 0 ? 'no target registered' : `${group.healthy} of ${group.total}`;
  const others = group.others === '' ? '' : `; ${group.others}`;
  return `Expected at least ${wanted} healthy target${wanted === 1 ? '' : 's'} in ${group.targetGroupARN}, got ${got}${others}.`;
}
