import { readBack, readInTime } from '../../../activities/load-balancers/reads.ts';
import type { LoadBalancer, LoadBalancerCalls, Writing } from '../../../activities/load-balancers/port.ts';
import { weightsText } from '../../../domain/load-balancers/load-balancer.ts';
import { sameShares } from '../../../domain/load-balancers/weights.ts';
import { route53Records, type Route53Records } from './route-53-records.ts';
import { route53Config, type Route53Config } from './route-53-schemas.ts';
import type { Route53Shape } from './route-53-kind.ts';

type Forwarding = Route53Shape['forwarding'];

/** Weighted records of Route 53. */
export const route53: LoadBalancer<Route53Shape> = {
  kind: route53Config,
  read({ spec, status }: Route53Config) {
    const { hostedZoneID, recordName, targetGroups } = status ?? {};
    const isServed = hostedZoneID !== undefined && recordName !== undefined && targetGroups !== undefined;
    return {
      desired: { type: 'Route53', ...spec },
      ...(isServed ? { observed: { type: 'Route53', hostedZoneID, recordName, targetGroups } } : {}),
      deletionPolicy: 'Retain',
    };
  },
  spec: ({ hostedZoneID, recordName, targetGroups }) => ({ hostedZoneID, recordName, targetGroups }),
  status: ({ hostedZoneID, recordName, targetGroups }) => ({
    hostedZoneID,
    recordName,
    targetGroups,
    weights: weightsText(targetGroups),
  }),
  quota: () => 'route53',
  connect,
};

function connect(): LoadBalancerCalls<Route53Shape> {
  const records = route53Records();
  return {
    async apply({ forwarding, observed, trusts, urgent }, writing) {
      const look = ({ signal }: Writing) => servedBy(records, forwarding, signal);
      const isReported = observed !== undefined && trusts === 'Status';
      const known = isReported ? observed : await readInTime({ urgent }, writing, look, observed);
      if (trusts !== 'Nothing' && sameShares(forwarding.targetGroups, known.targetGroups)) return forwarding;
      await writing.permit();
      await records.change(forwarding.hostedZoneID, forwarding.recordName, forwarding.targetGroups);
      return readBack(`the records ${forwarding.recordName}`, async () => {
        const value = await servedBy(records, forwarding, writing.signal);
        return sameShares(forwarding.targetGroups, value.targetGroups)
          ? { is: 'Shown', value }
          : { is: 'Another', got: `${weightsText(value.targetGroups)}.` };
      });
    },
    async inspect({ route }, signal) {
      const { targetGroups } = await servedBy(records, { ...route, targetGroups: [] }, signal);
      return targetGroups.length === 0 ? { is: 'Nothing' } : { is: 'Serving', targetGroups };
    },
    // With Retain alone there is nothing to delete.
    remove: () => Promise.resolve(),
    async drift(place, objects, signal) {
      const found = await records.read(place.split('/').at(-1) ?? '', signal);
      return objects.flatMap(({ key, observed: { recordName, targetGroups } }) =>
        sameShares(targetGroups, found.get(recordName) ?? [])
          ? []
          : [{ key, difference: `The records ${recordName} differ in their weights.` }],
      );
    },
  };
}

/** What the records serve now. */
async function servedBy(
  records: Route53Records,
  asked: Forwarding,
  signal: AbortSignal,
): Promise<Forwarding> {
  const found = await records.read(asked.hostedZoneID, signal);
  return { ...asked, targetGroups: found.get(asked.recordName) ?? [] };
}
