import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import {
  lackInZones,
  lackOfHealth,
  lackOfTargets,
  losingAll,
  strandedBy,
  type Stranding,
  type TargetHealth,
  type WeightChange,
} from '../../domain/gates/health.ts';
import type { ShiftRequest, ShiftResult } from '../contract.ts';
import { loadBalancerOf } from './index.ts';
import type { LoadBalancerDependencies } from './port.ts';
import { readIfInTime } from './reads.ts';

/** What ELBv2 calls the zone of a target that counts in every one (API_TargetDescription). */
const ANY_ZONE = 'all';

/** The states of a target that is being deregistered, and continues with what is open (API_TargetHealth). */
const DRAINING: ReadonlySet<string> = new Set(['draining', 'unhealthy.draining']);

/** Reads the health of a target group; undefined when it could not be read in time. */
export type HealthReader = (targetGroupARN: string) => Promise<TargetHealth | undefined>;

/** How old a look at targets may be when a write goes by it, in milliseconds. */
const OLD_MS = 2_000;

/** Makes the reader of health for one write: urgent ones wait a second at most and go by what is known, others fail with the read. */
export function healthReader(
  elbv2: (arn: string) => ELBv2,
  options: { readonly urgent: boolean; readonly signal: AbortSignal },
): HealthReader {
  const reads = new Map<string, { readonly at: number; readonly read: Promise<TargetHealth | undefined> }>();
  return (arn) => {
    const last = reads.get(arn);
    if (last !== undefined && Date.now() - last.at <= OLD_MS) return last.read;
    const read = readIfInTime(options, (signal) => healthOfGroup(elbv2(arn), arn, signal), undefined);
    reads.set(arn, { at: Date.now(), read });
    return read;
  };
}

/** Finds out whether a change of weights would leave all traffic without a healthy target; reads health only where it may. */
export async function readStranding(
  change: WeightChange,
  read: HealthReader,
  { urgent }: { readonly urgent: boolean },
): Promise<Stranding | undefined> {
  const losing = losingAll(change).map(({ arn }) => arn);
  const receiving = change.to.filter(({ weight }) => weight > 0).map(({ arn }) => arn);
  if (losing.length === 0) return undefined;
  const found = new Map<string, TargetHealth | undefined>();
  // One after the other, as all but the last step reads the first alone; what takes traffic back has no time for that.
  for (const arns of urgent ? [[...receiving, ...losing]] : [receiving, losing]) {
    await Promise.all(arns.map(async (arn) => void found.set(arn, await read(arn).catch(() => undefined))));
    if (receiving.some((arn) => (found.get(arn)?.healthy ?? 0) > 0)) return undefined;
  }
  return strandedBy(change, (arn) => found.get(arn));
}

/** What a look at the target groups of a write has found. */
export type TargetCheck = Extract<ShiftResult, { is: 'Lacking' }> | { readonly is: 'Enough' };

/** Looks whether target groups lack something that the write requires. */
export async function checkRequirements(
  { requires, minHealthyTargets, forwarding }: ShiftRequest,
  dependencies: LoadBalancerDependencies,
  { read, signal }: { readonly read: HealthReader; readonly signal: AbortSignal },
): Promise<TargetCheck> {
  const { healthy = [], registered = [] } = requires ?? {};
  const targetGroupARNs = [...healthy, ...registered];
  const found = await Promise.all(
    targetGroupARNs.map(async (arn) => (await read(arn)) ?? unknownHealth(arn)),
  );
  const gaining = found.slice(0, healthy.length);
  const calls = loadBalancerOf(forwarding.type).connect(dependencies);
  const lack =
    lackOfHealth(gaining, minHealthyTargets) ??
    lackOfTargets(found.slice(healthy.length)) ??
    lackInZones(
      gaining,
      (await calls.zonesOf?.(forwarding, gaining, signal)) ?? new Map(),
      minHealthyTargets,
    );
  return lack === undefined ? { is: 'Enough' } : { is: 'Lacking', targetGroupARNs, lack };
}

const unknownHealth = (targetGroupARN: string): TargetHealth => ({
  targetGroupARN,
  healthy: 0,
  total: 0,
  others: 'unknown',
});

/** Reads the health of target groups. */
export const healthOf = (
  elbv2: (arn: string) => ELBv2,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<readonly TargetHealth[]> =>
  Promise.all(arns.map(async (arn) => await healthOfGroup(elbv2(arn), arn, signal)));

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
