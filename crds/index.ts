import { accessPolicy } from './access-policy.ts';
import { awsApplicationLoadBalancerConfig } from './aws-application-load-balancer-config.ts';
import { awsApplicationLoadBalancerTargetDeployment } from './aws-application-load-balancer-target-deployment.ts';
import { awsNetworkLoadBalancerConfig } from './aws-network-load-balancer-config.ts';
import { awsTargetGroup } from './aws-target-group.ts';
import { awsTargetGroupBinding } from './aws-target-group-binding.ts';
import { awsTargetGroupSet } from './aws-target-group-set.ts';
import { cell } from './cell.ts';
import { clusterSet } from './cluster-set.ts';
import { freeze } from './freeze.ts';
import { stagedBindingPolicy } from './staged-binding-policy.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

/** Every kind that Okra defines. */
export const resources = [
  cell,
  awsTargetGroup,
  awsApplicationLoadBalancerConfig,
  awsNetworkLoadBalancerConfig,
  awsApplicationLoadBalancerTargetDeployment,
  freeze,
  accessPolicy,
  clusterSet,
  awsTargetGroupSet,
  awsTargetGroupBinding,
  stagedBindingPolicy,
] as const;

const statusSchemas = new Map<string, StructuralSchema>(
  resources.map(({ kind, status }) => [kind, structuralSchema(status)]),
);

/** What the API server takes as the status of a kind of Okra's. */
export const statusSchemaOf = (kind: string): StructuralSchema => statusSchemas.get(kind) ?? {};
