import { z } from 'zod';
import { targetGroupSelector } from '../../../crds/common.ts';
import { forwardTargetGroups } from '../../../crds/listener-rule.ts';
import {
  loadBalancerColumns,
  loadBalancerStatus,
  loadBalancerTraits,
  type LoadBalancerSchemas,
} from '../../../crds/load-balancer-config.ts';
import { defineResource, type Resource } from '../../../crds/resource.ts';

const type = 'Route53';

const record = {
  hostedZoneID: z.string().min(1).max(32).describe('The ID of the hosted zone.'),
  recordName: z.string().min(1).max(1024).describe('The name of the records.'),
};

const spec = z.object({ ...record, targetGroups: forwardTargetGroups });
const status = loadBalancerStatus(
  z.object(record).partial().extend({ targetGroups: forwardTargetGroups.optional() }).shape,
);

/** Weighted records of Route 53, kept exactly as its spec says. */
export const route53Config = defineResource({
  kind: 'Route53Config',
  shortNames: ['r53c'],
  description:
    'A Route53Config describes the weighted records of one name. A Cell writes one of its own name.',
  ...loadBalancerTraits(type, 'route-53'),
  spec,
  status,
  printerColumns: loadBalancerColumns({ name: 'Record', type: 'string', jsonPath: '.spec.recordName' }),
});

/** What a Cell says of Route 53, and the kind that configures its records. */
export const route53 = {
  type,
  blockNames: ['route53'],
  block: z
    .object({ ...record, targetGroupSelector })
    .optional()
    .describe('The weighted records in front of the clusters.'),
  config: route53Config,
} as const satisfies LoadBalancerSchemas;

/** What a Route53Config asks for. */
export type Route53ConfigSpec = z.output<typeof spec>;
/** A Route53Config as the API server has it. */
export type Route53Config = Resource<Route53ConfigSpec, z.output<typeof status>>;
