import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import {
  hasTarget,
  lackInZones,
  lackOfHealth,
  lackOfTargets,
  type TargetHealth,
} from '../../domain/gates/health.ts';
import type { ShiftRequest, ShiftResult } from '../contract.ts';
import { loadBalancerOf } from './index.ts';
import type { LoadBalancerDependencies } from './port.ts';

/** What ELBv2 calls the zone of a target that counts in every one (API_TargetDescription). */
const ANY_ZONE = 'all';

/** The states of a target that is being deregistered, and goes on with what is open (API_TargetHealth). */
const DRAINING: ReadonlySet<string> = new Set(['draining', 'unhealthy.draining']);

/** What a look at the target groups of a write has found. */
export type Looked =
  | Extract<ShiftResult, { is: 'Lacking' }>
  | { readonly is: 'Enough'; readonly gaining: readonly TargetHealth[] };

/** Looks whether target groups lack something that the write requires. */
async function lookAtTargets(
  { requires, minHealthyTargets, forwarding }: ShiftRequest,
  means: LoadBalancerDependencies,
  signal: AbortSignal,
): Promise<Looked> {
  const { healthy = [], registered = [], inPlaceOf } = requires ?? {};
  const targetGroupARNs = [...healthy, ...registered];
  const found = await healthOf(means.elbv2, targetGroupARNs, signal);
  const gaining = found.slice(0, healthy.length);
  const calls = loadBalancerOf(forwarding.type).connect(means);
  const lack =
    lackOfHealth(gaining, minHealthyTargets) ??
    lackOfTargets(found.slice(healthy.length)) ??
    lackInZones(
      gaining,
      (await calls.zonesOf?.(forwarding, gaining, signal)) ?? new Map(),
      minHealthyTargets,
    );
  if (lack === undefined) return { is: 'Enough', gaining };
  const leaving = inPlaceOf && (await healthOf(means.elbv2, inPlaceOf, signal));
  return leaving === undefined || leaving.some(hasTarget)
    ? { is: 'Lacking', targetGroupARNs, lack }
    : { is: 'Enough', gaining };
}

/** How old a look at targets may be when a write goes by it, in milliseconds. */
const OLD_MS = 2_000;

/** Makes what looks at the target groups of one write, and looks again when the last look has become old. */
export function targetLook(
  request: ShiftRequest,
  means: LoadBalancerDependencies,
  signal: AbortSignal,
): () => Promise<Looked> {
  let last: { readonly at: number; readonly looked: Looked } | undefined;
  return async () => {
    if (last === undefined || Date.now() - last.at > OLD_MS)
      last = { at: Date.now(), looked: await lookAtTargets(request, means, signal) };
    return last.looked;
  };
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
  let draining = 0;
  for (const { Target: target, TargetHealth: health } of targets) {
    if (health?.State === 'healthy') {
      healthy += 1;
      const zone = target?.AvailabilityZone ?? ANY_ZONE;
      if (zone !== ANY_ZONE) zones[zone] = (zones[zone] ?? 0) + 1;
      continue;
    }
    if (health?.State !== undefined && DRAINING.has(health.State)) draining += 1;
    const what = `${health?.State ?? 'unknown'}${health?.Reason === undefined ? '' : ` (${health.Reason})`}`;
    others.set(what, (others.get(what) ?? 0) + 1);
  }
  return {
    targetGroupARN,
    healthy,
    total: targets.length,
    others: [...others].map(([what, count]) => `${count} ${what}`).join(', '),
    ...(draining === 0 ? {} : { draining }),
    ...(Object.keys(zones).length === 0 ? {} : { zones }),
  };
}
