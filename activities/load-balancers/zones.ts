import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { TargetHealth, ZonesByGroup } from '../../domain/gates/health.ts';
import { loadBalancerOfListener } from '../../domain/load-balancers/kind.ts';

/** The attribute of a target group, and of a load balancer, that says whether targets of other zones are reached. */
const CROSS_ZONE = 'load_balancing.cross_zone.enabled';

/** The zones in which each gaining group needs its own targets: the enabled ones, unless it routes across zones; ELBv2 names none of an instance. */
export async function zonesOf(
  elbv2: ELBv2,
  listenerARN: string,
  { gaining, signal }: { readonly gaining: readonly TargetHealth[]; readonly signal: AbortSignal },
): Promise<ZonesByGroup> {
  const within: string[] = [];
  for (const { targetGroupARN: arn, zones } of gaining) {
    if (zones === undefined) continue;
    const own = (await elbv2.attributesOf(arn, signal))[CROSS_ZONE];
    const crosses = own === 'true' || (own !== 'false' && (await crossesZones(elbv2, listenerARN, signal)));
    if (!crosses) within.push(arn);
  }
  if (within.length === 0) return new Map();
  const { AvailabilityZones = [] } = await elbv2.loadBalancer(loadBalancerOfListener(listenerARN), signal);
  const enabled = AvailabilityZones.flatMap(({ ZoneName }) => ZoneName ?? []);
  return new Map(within.map((arn) => [arn, enabled]));
}

/** What holds of a group that says nothing itself; an Application Load Balancer always crosses zones then. */
async function crossesZones(elbv2: ELBv2, listenerARN: string, signal: AbortSignal): Promise<boolean> {
  if (listenerARN.includes(':listener/app/')) return true;
  const attributes = await elbv2.loadBalancerAttributes(loadBalancerOfListener(listenerARN), signal);
  return attributes[CROSS_ZONE] === 'true';
}
