import type { z } from 'zod';
import { accessPolicy } from './access-policy.ts';
import { awsApplicationLoadBalancerTargetDeployment } from './aws-application-load-balancer-target-deployment.ts';
import { awsTargetGroup } from './aws-target-group.ts';
import { awsTargetGroupBinding } from './aws-target-group-binding.ts';
import { awsTargetGroupSet } from './aws-target-group-set.ts';
import { cell } from './cell.ts';
import { check } from './check.ts';
import { clusterSet } from './cluster-set.ts';
import { freeze } from './freeze.ts';
import { loadBalancerConfigs } from './load-balancers.ts';
import { stagedBindingPolicy } from './staged-binding-policy.ts';
import type { KindWorkflow, Resource } from './resource.ts';
import { structuralSchema, type StructuralSchema } from './structural-schema.ts';

/** The table of kinds: every kind that Okra defines. All that is done for each kind is done for what stands here. */
export const resources = [
  cell,
  awsTargetGroup,
  ...loadBalancerConfigs,
  awsApplicationLoadBalancerTargetDeployment,
  freeze,
  accessPolicy,
  clusterSet,
  awsTargetGroupSet,
  awsTargetGroupBinding,
  check,
  stagedBindingPolicy,
] as const;

type Row = (typeof resources)[number];

type KindName = Row['kind'];

type RowOf<Name extends KindName> = Extract<Row, { readonly kind: Name }>;

export type ObjectOf<Name extends KindName> = Resource<
  z.output<RowOf<Name>['spec']>,
  z.output<RowOf<Name>['status']>
>;

export type WatchedKind = Extract<Row, { readonly watched: 'Always' | 'Optional' }>['kind'];

/** A kind with a workflow for each of its objects. */
export type KindWithWorkflow = Extract<Row, { readonly workflow: KindWorkflow }>;

/** A kind that one and the same workflow syncs. */
export type SyncedKind = Extract<Row, { readonly workflow: { readonly does: 'Sync' } }>;

const schemas = new Map<string, StructuralSchema>(
  resources.map(({ kind, status }) => [kind, structuralSchema(status)]),
);

/** What the API server takes as the status of a kind of Okra's. */
export const statusSchemaOf = (kind: string): StructuralSchema => schemas.get(kind) ?? {};
