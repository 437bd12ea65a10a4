import type { ELBv2 } from '../clients/elbv2.ts';
import { lackInZones, lackOfHealth, lackOfTargets, type TargetHealth } from '../domain/health.ts';
import type { ShiftRequest, ShiftResult } from './contract.ts';
import { zonesOf } from './load-balancers/zones.ts';

/** What ELBv2 calls the zone of a target that counts in every one (API_TargetDescription). */
const ANY_ZONE = 'all';

/** Says what target groups lack of what the write requires; undefined when nothing. */
export async function lackOf(
  { requires, minHealthyTargets, forwarding }: ShiftRequest,
  elbv2: (arn: string) => ELBv2,
  signal: AbortSignal,
): Promise<Extract<ShiftResult, { is: 'Lacking' }> | undefined> {
  const { healthy = [], registered = [] } = requires ?? {};
  const targetGroupARNs = [...healthy, ...registered];
  const found = await healthOf(elbv2, targetGroupARNs, signal);
  const gaining = found.slice(0, healthy.length);
  const lack =
    lackOfHealth(gaining, minHealthyTargets) ??
    lackOfTargets(found.slice(healthy.length)) ??
    lackInZones(
      gaining,
      await zonesOf(elbv2(forwarding.listenerARN), forwarding.listenerARN, { gaining, signal }),
      minHealthyTargets,
    );
  return lack === undefined ? undefined : { is: 'Lacking', targetGroupARNs, lack };
}

/** Reads the health of target groups. */
export const healthOf = (
  elbv2: (arn: string) => ELBv2,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<readonly TargetHealth[]> => Promise.all(arns.map((arn) => healthOfGroup(elbv2(arn), arn, signal)));

async function healthOfGroup(
  elbv2: ELBv2,
  targetGroupARN: string,
  signal: AbortSignal,
): Promise<TargetHealth> {
  const targets = await elbv2.targetHealth(targetGroupARN, signal);
  const others = new Map<string, number>();
  const zones: Record<string, number> = {};
  let healthy = 0;
  for (const { Target: target, TargetHealth: health } of targets) {
    if (health?.State === 'healthy') {
      healthy += 1;
      const zone = target?.AvailabilityZone ?? ANY_ZONE;
      if (zone !== ANY_ZONE) zones[zone] = (zones[zone] ?? 0) + 1;
      continue;
    }
    const what = `${health?.State ?? 'unknown'}${health?.Reason === undefined ? '' : ` (${health.Reason})`}`;
    others.set(what, (others.get(what) ?? 0) + 1);
  }
  return {
    targetGroupARN,
    healthy,
    total: targets.length,
    others: [...others].map(([what, count]) => `${count} ${what}`).join(', '),
    ...(Object.keys(zones).length === 0 ? {} : { zones }),
  };
}
