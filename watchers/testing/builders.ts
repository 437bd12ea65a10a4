import { digest } from '../../clients/digest.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import type { AWSApplicationLoadBalancerConfig } from '../../crds/load-balancers/application-load-balancer.ts';
import type { AWSNetworkLoadBalancerConfig } from '../../crds/load-balancers/network-load-balancer.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { API_VERSION, SEQUENCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { watchedInput } from '../../domain/versions/watched.ts';
import type { ForeignObject } from '../kinds.ts';
import type { Instruction, WakingSignal } from '../instruction.ts';
import { createStores, type View } from '../informer/store.ts';

/** The listener of every Cell here. */
export const LISTENER = 'arn:aws:elasticloadbalancing:eu-central-1:000000000000:listener/app/a/1/2';

/** An AWSTargetGroup that a Cell named `web` selects. */
export function aGroup(name: string, labels: Record<string, string> = { role: 'web' }): AWSTargetGroup {
  return {
    apiVersion: API_VERSION,
    kind: 'AWSTargetGroup',
    metadata: { namespace: 'default', name, labels },
    spec: { arn: `arn:${name}` },
  };
}

/** A Cell that selects the target groups whose role is its name. */
export function aCell(name: string, status?: CellStatus): Cell {
  return {
    apiVersion: API_VERSION,
    kind: 'Cell',
    metadata: { namespace: 'default', name, generation: 1 },
    spec: {
      ingress: {
        type: 'AWSApplicationLoadBalancer',
        awsApplicationLoadBalancer: {
          listenerARN: LISTENER,
          listener: { rule: { priority: 10, hosts: ['example.com'] } },
          targetGroupSelector: { matchLabels: { role: name } },
        },
      },
      replicas: 1,
      minHealthyTargets: 1,
      healthTimeout: '10m',
      settle: '0s',
    },
    ...(status === undefined ? {} : { status }),
  };
}

/** The Cell as a rollout leaves it that has looked at these groups. */
export function settled(cell: Cell, groups: AWSTargetGroup[], status: CellStatus = {}): Cell {
  const withStatus = { ...cell, status: { phase: 'Completed' as const, ...status } };
  return {
    ...withStatus,
    status: { ...withStatus.status, observedHash: digest(watchedInput(withStatus, groups)) },
  };
}

/** What the watchers know. */
export function viewOf(of: {
  cells?: Cell[];
  groups?: AWSTargetGroup[];
  configs?: AWSApplicationLoadBalancerConfig[];
  networkConfigs?: AWSNetworkLoadBalancerConfig[];
  clusterSets?: ClusterSet[];
  targetGroupSets?: AWSTargetGroupSet[];
  bindings?: AWSTargetGroupBinding[];
  secrets?: StoredClusterSecret[];
  policies?: AccessPolicy[];
  staged?: StagedBindingPolicy[];
  applicationSets?: ForeignObject[];
}): View {
  const stores = createStores();
  of.cells?.forEach((object) => stores.Cell.apply({ type: 'add', object }));
  of.groups?.forEach((object) => stores.AWSTargetGroup.apply({ type: 'add', object }));
  of.configs?.forEach((object) => stores.AWSApplicationLoadBalancerConfig.apply({ type: 'add', object }));
  of.networkConfigs?.forEach((object) => stores.AWSNetworkLoadBalancerConfig.apply({ type: 'add', object }));
  of.clusterSets?.forEach((object) => stores.ClusterSet.apply({ type: 'add', object }));
  of.targetGroupSets?.forEach((object) => stores.AWSTargetGroupSet.apply({ type: 'add', object }));
  of.bindings?.forEach((object) => stores.AWSTargetGroupBinding.apply({ type: 'add', object }));
  of.secrets?.forEach((object) => stores.Secret.apply({ type: 'add', object }));
  of.policies?.forEach((object) => stores.AccessPolicy.apply({ type: 'add', object }));
  of.staged?.forEach((object) => stores.StagedBindingPolicy.apply({ type: 'add', object }));
  of.applicationSets?.forEach((object) => stores.ApplicationSet.apply({ type: 'add', object }));
  return stores;
}

/** The instruction to start the rollout of a Cell. */
export const start = (name: string): Instruction => ({
  do: 'Start',
  kind: 'Cell',
  key: { namespace: 'default', name },
});
/** The instruction to signal a workflow. */
export const signal = (workflowId: string, name: WakingSignal): Instruction => ({
  do: 'Signal',
  workflowId,
  signal: name,
});
/** The configuration of the Cell `web`, applied unless said otherwise. */
export function aConfig(
  of: {
    generation?: number;
    observed?: number;
    listenerARN?: string;
    sequence?: number;
    owned?: boolean;
  } = {},
): AWSApplicationLoadBalancerConfig {
  const { generation = 1, observed = 1, listenerARN = LISTENER, sequence = 1, owned = true } = of;
  const owner = { apiVersion: API_VERSION, kind: 'Cell', name: 'web', uid: 'u', controller: true };
  return {
    apiVersion: API_VERSION,
    kind: 'AWSApplicationLoadBalancerConfig',
    metadata: {
      namespace: 'default',
      name: 'web',
      generation,
      annotations: { [SEQUENCE_ANNOTATION]: String(sequence) },
      ownerReferences: owned ? [owner] : [],
    },
    spec: {
      listenerARN,
      listener: { rule: { priority: 10, hosts: ['example.com'], forward: { targetGroups: [] } } },
    },
    status: {
      observedGeneration: observed,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Applied',
          message: '',
          lastTransitionTime: '2026-11-20T00:00:00Z',
        },
      ],
    },
  };
}

/** The configuration of the Cell `web` for a Network Load Balancer, applied unless said otherwise. */
export function aNetworkConfig(
  of: { generation?: number; observed?: number; owned?: boolean } = {},
): AWSNetworkLoadBalancerConfig {
  const { metadata, status = {} } = aConfig(of);
  const { observedGeneration, conditions } = status;
  return {
    apiVersion: API_VERSION,
    kind: 'AWSNetworkLoadBalancerConfig',
    metadata,
    spec: {
      listenerARN: LISTENER.replace('/app/', '/net/'),
      listener: { forward: { targetGroups: [] } },
    },
    status: { observedGeneration, conditions },
  };
}
