import type { CellSpec } from '../../../crds/cell.ts';
import type { LoadBalancerKind } from '../../../domain/load-balancers/kind.ts';
import type { Route53ConfigSpec } from './route-53-schemas.ts';

type Route = { readonly type: 'Route53' } & Omit<Route53ConfigSpec, 'targetGroups'>;
type Forwarding = { readonly type: 'Route53' } & Route53ConfigSpec;

/** The weighted records of one name. */
export interface Route53Shape {
  readonly place: Pick<Route, 'hostedZoneID'>;
  readonly route: Route;
  readonly forwarding: Forwarding;
  readonly observed: Forwarding;
}

/** What a Cell says, with the block that is its own. */
type Ingress = CellSpec['ingress'] & { readonly route53?: Omit<Route, 'type'> | undefined };

const routeIn = ({ hostedZoneID, recordName }: Omit<Route, 'type'>): Route => ({
  type: 'Route53',
  hostedZoneID,
  recordName,
});

/** Route 53: the weights stand in the records of one name of a hosted zone. */
export const route53: LoadBalancerKind<Route53Shape> = {
  placeKind: 'HostedZone',
  // API_GetChange: a change is INSYNC within 60 seconds.
  settle: '1m',
  keepsOpenFlows: true,
  routeOf: ({ route53: block }: Ingress) => (block === undefined ? undefined : routeIn(block)),
  placeOf: ({ hostedZoneID }) => `arn:aws:route53:::hostedzone/${hostedZoneID}`,
  loadBalancerARNOf: () => undefined,
  describe: ({ recordName }) => `the records ${recordName}`,
  targetGroupsOf: ({ targetGroups }) => targetGroups,
  withTargetGroups: (route, groups) => ({ ...routeIn(route), targetGroups: [...groups] }),
  servedRoute: routeIn,
  sameRoute: (desired, observed) => desired.recordName === observed.recordName,
  keepsClients: () => false,
  targetGroupSettingsOf: () => undefined,
  observedAfter: (forwarding) => forwarding,
};
