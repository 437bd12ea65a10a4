import type { StoredClusterSecret } from '../clients/kubernetes/remote-clusters.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../crds/aws-target-group-binding.ts';
import type { AWSTargetGroupSet } from '../crds/aws-target-group-set.ts';
import type { ClusterSet } from '../crds/cluster-set.ts';
import type { AccessPolicy } from '../crds/access-policy.ts';
import type { StagedBindingPolicy } from '../crds/staged-binding-policy.ts';
import type { Cell } from '../crds/cell.ts';
import type { Log } from '../clients/log.ts';
import { isShortened, temporalId } from '../clients/temporal/workflow-id.ts';
import { formatKey, keyOf, loadBalancerTypeOf, syncWorkflowOf } from '../domain/model/ids.ts';
import { loadBalancerTypes } from '../domain/load-balancers/load-balancer.ts';
import type { Informed } from './event.ts';
import type { Instruction } from './instruction.ts';
import { route } from './routes/route.ts';
import type { KindEvent } from './routes/route.ts';
import type { AnalysisRun, Experiment } from './routes/route-measurement.ts';
import { createStore, type LoadBalancerConfig, type Shelf, type View } from './informer/store.ts';

/** Keeps what is known, and says what to do about each event once everything is known. */
export interface Router {
  /** All that is known. */
  readonly view: View;
  /** Learns of an event, and routes it unless there is more to learn first. */
  take(happened: KindEvent): void;
  /** Routes everything that is known as if it were seen for the first time, and every event from now on. */
  replay(): void;
  /** Whether there is the object that a workflow of this id works for; undefined when the id is of no such workflow. */
  knows(workflowId: string): boolean | undefined;
}

/** Makes a router that hands its instructions over. */
export function createRouter(dispatch: (instruction: Instruction) => void, log: Log): Router {
  const cells = createStore<Cell>();
  const groups = createStore<AWSTargetGroup>();
  const configs = {
    AWSApplicationLoadBalancer: createStore<LoadBalancerConfig>(),
    AWSNetworkLoadBalancer: createStore<LoadBalancerConfig>(),
  };
  const runs = createStore<AnalysisRun>();
  const experiments = createStore<Experiment>();
  const clusterSets = createStore<ClusterSet>();
  const targetGroupSets = createStore<AWSTargetGroupSet>();
  const bindings = createStore<AWSTargetGroupBinding>();
  const secrets = createStore<StoredClusterSecret>();
  const policies = createStore<AccessPolicy>();
  const staged = createStore<StagedBindingPolicy>();
  const view = { staged, cells, groups, configs, clusterSets, targetGroupSets, bindings, secrets, policies };
  const synced = {
    clusterSet: clusterSets,
    targetGroupSet: targetGroupSets,
    targetGroupBinding: bindings,
  } as const;
  let isComplete = false;

  function learn(happened: KindEvent): void {
    switch (happened.kind) {
      case 'Cell':
        return cells.apply(happened.event);
      case 'AWSTargetGroup':
        return groups.apply(happened.event);
      case 'AWSApplicationLoadBalancerConfig':
        return configs.AWSApplicationLoadBalancer.apply(happened.event);
      case 'AWSNetworkLoadBalancerConfig':
        return configs.AWSNetworkLoadBalancer.apply(happened.event);
      case 'AnalysisRun':
        return runs.apply(happened.event);
      case 'Experiment':
        return experiments.apply(happened.event);
      case 'ClusterSet':
        return clusterSets.apply(happened.event);
      case 'AWSTargetGroupSet':
        return targetGroupSets.apply(happened.event);
      case 'AWSTargetGroupBinding':
        return bindings.apply(happened.event);
      case 'Secret':
        return secrets.apply(happened.event);
      case 'AccessPolicy':
        return policies.apply(happened.event);
      case 'StagedBindingPolicy':
        return staged.apply(happened.event);
      case 'BindingPolicy':
      case 'Binding':
      case 'CombinedStatus':
      case 'Freeze':
      case 'AnalysisTemplate':
      case 'ClusterAnalysisTemplate':
      case 'ReplicaSet':
        // Read by workflows when they need one; that one came or changed is all there is to know.
        return undefined;
    }
  }

  function send(happened: KindEvent): void {
    const of = { kind: happened.kind, ...nameOf(happened.event.object), event: happened.event.type };
    try {
      for (const instruction of route(happened, view)) {
        log.debug({ ...of, instruction }, 'event routed');
        dispatch(instruction);
      }
    } catch (error) {
      // An object of a form that no schema allows must not stop the others.
      log.error({ ...of, err: error }, 'event not routed');
    }
  }

  /** The objects among which that of a workflow would be. */
  function shelfOf(workflowId: string): Shelf<Informed> | undefined {
    const workflow = syncWorkflowOf(workflowId);
    if (workflow !== undefined) return synced[workflow];
    const type = loadBalancerTypeOf(workflowId);
    if (type !== undefined) return configs[type];
    return workflowId.startsWith('cell/') ? cells : undefined;
  }

  function replay(): void {
    isComplete = true;
    for (const object of cells.list()) send({ kind: 'Cell', event: { type: 'add', object } });
    for (const type of loadBalancerTypes) {
      for (const object of configs[type].list()) {
        send({ kind: `${type}Config`, event: { type: 'add', object } });
      }
    }
    for (const object of runs.list()) send({ kind: 'AnalysisRun', event: { type: 'add', object } });
    for (const object of experiments.list()) send({ kind: 'Experiment', event: { type: 'add', object } });
    for (const object of clusterSets.list()) send({ kind: 'ClusterSet', event: { type: 'add', object } });
    for (const object of targetGroupSets.list()) {
      send({ kind: 'AWSTargetGroupSet', event: { type: 'add', object } });
    }
    for (const object of bindings.list()) {
      send({ kind: 'AWSTargetGroupBinding', event: { type: 'add', object } });
    }
    for (const object of staged.list()) send({ kind: 'StagedBindingPolicy', event: { type: 'add', object } });
    // Secrets are not routed here: who looks into their clusters has just been started. Nor are target groups: each
    // Cell has just been compared with all of them, and their check is started once for each namespace.
    for (const namespace of new Set(groups.list().map((group) => keyOf(group).namespace))) {
      dispatch({ do: 'Start', workflow: 'targetGroupCheck', namespace });
    }
  }

  return {
    view,
    take: (happened) => {
      learn(happened);
      if (isComplete) send(happened);
    },
    replay,
    knows: (workflowId) => {
      const [, kind, namespace = '', name = ''] = /^([^/]+)\/([^/]+)\/([^/]+)$/.exec(workflowId) ?? [];
      const objects = shelfOf(workflowId);
      if (objects === undefined) return undefined;
      if (!isShortened(workflowId)) return objects.get({ namespace, name }) !== undefined;
      const idOf = (object: Informed): string => temporalId(`${kind}/${formatKey(keyOf(object))}`);
      return objects.list(namespace).some((object) => idOf(object) === workflowId);
    },
  };
}

const nameOf = ({ metadata }: Informed) => ({
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
});
