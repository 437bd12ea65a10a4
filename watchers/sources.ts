import {
  ACCESS_POLICY,
  ANALYSIS_RUN,
  ANALYSIS_TEMPLATE,
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_NETWORK_LOAD_BALANCER_CONFIG,
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  CELL,
  CLUSTER_ANALYSIS_TEMPLATE,
  CLUSTER_SET,
  FREEZE,
  EXPERIMENT,
  REPLICA_SET,
  SECRET,
  STAGED_BINDING_POLICY,
  BINDING,
  BINDING_POLICY,
  COMBINED_STATUS,
} from '../clients/kubernetes/kinds.ts';
import type { KindRef } from '../clients/kubernetes/kinds.ts';
import type { Config } from '../config.ts';
import { CELL_LABEL, CLUSTER_SECRETS } from '../domain/kubernetes/labels.ts';
import { STAGED_UID_LABEL } from '../domain/staged/policy.ts';

/** A kind to watch, in one namespace or in all. */
export interface Source {
  readonly kind: KindRef;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly optional?: boolean;
}

/** What is watched in any case. */
export const kinds: readonly Source[] = [
  { kind: CELL },
  { kind: AWS_TARGET_GROUP },
  { kind: AWS_APPLICATION_LOAD_BALANCER_CONFIG },
  { kind: FREEZE, optional: true },
  { kind: ACCESS_POLICY, optional: true },
  { kind: CLUSTER_SET, optional: true },
  { kind: AWS_TARGET_GROUP_SET, optional: true },
  { kind: AWS_TARGET_GROUP_BINDING, optional: true },
  { kind: SECRET, labelSelector: CLUSTER_SECRETS, optional: true },
  { kind: AWS_NETWORK_LOAD_BALANCER_CONFIG },
  { kind: ANALYSIS_RUN, labelSelector: CELL_LABEL, optional: true },
  { kind: ANALYSIS_TEMPLATE, optional: true },
  { kind: CLUSTER_ANALYSIS_TEMPLATE, optional: true },
  { kind: EXPERIMENT, labelSelector: CELL_LABEL, optional: true },
  { kind: REPLICA_SET, optional: true },
];

/** What is watched for the StagedBindingPolicies with some labels; none of it without a selector. */
const stagedSources = (selector: string | undefined): readonly Source[] =>
  selector === undefined
    ? []
    : [
        { kind: STAGED_BINDING_POLICY, labelSelector: selector, optional: true },
        { kind: BINDING_POLICY, labelSelector: STAGED_UID_LABEL, optional: true },
        { kind: BINDING, optional: true },
        { kind: COMBINED_STATUS, optional: true },
      ];

/** All that is watched: of kinds in namespaces, only those in the namespaces that are looked after. */
export function sourcesOf({
  kubernetes: { watchNamespaces: namespaces },
  stagedSelector,
}: Pick<Config, 'kubernetes' | 'stagedSelector'>): readonly Source[] {
  const all = [...kinds, ...stagedSources(stagedSelector)];
  if (namespaces.length === 0) return all;
  return all.flatMap((source) =>
    source.kind.namespaced ? namespaces.map((namespace) => ({ ...source, namespace })) : [source],
  );
}
