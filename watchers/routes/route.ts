import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import type { Cell } from '../../crds/cell.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { Freeze } from '../../crds/freeze.ts';
import { digest } from '../../clients/digest.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { accessOf } from '../../domain/access/access.ts';
import { cellRolloutId, keyOf } from '../../domain/model/ids.ts';
import { routeOf, type LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { selectorOf } from '../../domain/versions/version-label.ts';
import { watchedInput } from '../../domain/versions/watched.ts';
import { conditionOf } from '../condition.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { ignore } from '../instruction.ts';
import type { Instruction } from '../instruction.ts';
import { routeAnalysisRun, routeExperiment, routeReplicaSet, routeTemplate } from './route-measurement.ts';
import type { AnalysisRun, Experiment, ReplicaSet } from './route-measurement.ts';
import { routeAccessPolicy } from './route-access-policy.ts';
import { routeConfig } from './route-config.ts';
import { routeSecret } from './route-secret.ts';
import {
  routeStaged,
  routeStagedCell,
  routeStagedPart,
  wakeStaged,
  type StagedPart,
} from './route-staged.ts';
import { routeSynced } from './route-synced.ts';
import { routeBinding, routeGroupCheck } from './route-target-group.ts';
import type { LoadBalancerConfig, View } from '../informer/store.ts';

/** What happened, and to an object of which kind. */
export type KindEvent =
  | { readonly kind: 'Cell'; readonly event: ObjectEvent<Cell> }
  | { readonly kind: 'AWSTargetGroup'; readonly event: ObjectEvent<AWSTargetGroup> }
  | { readonly kind: `${LoadBalancerType}Config`; readonly event: ObjectEvent<LoadBalancerConfig> }
  | { readonly kind: 'ClusterSet'; readonly event: ObjectEvent<ClusterSet> }
  | { readonly kind: 'AWSTargetGroupSet'; readonly event: ObjectEvent<AWSTargetGroupSet> }
  | { readonly kind: 'AWSTargetGroupBinding'; readonly event: ObjectEvent<AWSTargetGroupBinding> }
  | { readonly kind: 'Secret'; readonly event: ObjectEvent<StoredClusterSecret> }
  | { readonly kind: 'StagedBindingPolicy'; readonly event: ObjectEvent<StagedBindingPolicy> }
  | {
      readonly kind: 'BindingPolicy' | 'Binding' | 'CombinedStatus';
      readonly event: ObjectEvent<StagedPart>;
    }
  | { readonly kind: 'Freeze'; readonly event: ObjectEvent<Freeze> }
  | { readonly kind: 'AccessPolicy'; readonly event: ObjectEvent<AccessPolicy> }
  | { readonly kind: 'AnalysisRun'; readonly event: ObjectEvent<AnalysisRun> }
  | { readonly kind: 'Experiment'; readonly event: ObjectEvent<Experiment> }
  | { readonly kind: 'ReplicaSet'; readonly event: ObjectEvent<ReplicaSet> }
  | { readonly kind: 'AnalysisTemplate' | 'ClusterAnalysisTemplate'; readonly event: ObjectEvent<Informed> };

/** Says which workflows have to hear of an event; `view` shows everything as it is after the event. */
export function route(happened: KindEvent, view: View): readonly Instruction[] {
  switch (happened.kind) {
    case 'Cell':
      return [
        ...routeCell(happened.event, view),
        ...routeCellCheck(happened.event, view),
        ...routeStagedCell(happened.event, view),
      ];
    case 'AWSTargetGroup':
      return [...routeGroup(happened.event, view), ...routeGroupCheck(happened.event, view)];
    case 'AWSApplicationLoadBalancerConfig':
      return routeConfig('AWSApplicationLoadBalancer', happened.event, view);
    case 'AWSNetworkLoadBalancerConfig':
      return routeConfig('AWSNetworkLoadBalancer', happened.event, view);
    case 'ClusterSet':
      return routeSynced('clusterSet', happened.event);
    case 'AWSTargetGroupSet':
      return routeSynced('targetGroupSet', happened.event);
    case 'AWSTargetGroupBinding':
      return routeBinding(happened.event, view);
    case 'Secret':
      return routeSecret(happened.event, view);
    case 'Freeze':
      return [...routeFreeze(happened.event, view), ...wakeStaged(view)];
    case 'StagedBindingPolicy':
      return routeStaged(happened.event);
    case 'BindingPolicy':
    case 'Binding':
    case 'CombinedStatus':
      return routeStagedPart(happened.event, view);
    case 'AccessPolicy':
      return routeAccessPolicy(happened.event, view, (cell) => isNews(cell, view) || mayBeUnderWay(cell));
    case 'AnalysisRun':
      return routeAnalysisRun(happened.event, view);
    case 'Experiment':
      return routeExperiment(happened.event, view);
    case 'ReplicaSet':
      return routeReplicaSet(happened.event, view);
    case 'AnalysisTemplate':
    case 'ClusterAnalysisTemplate':
      return routeTemplate(happened.event, view);
    default:
      return unreachable(happened);
  }
}

/** Whether something is left to do for a Cell: when its workflow is lost, someone has to start it again. */
function isLeftOver({ status = {} }: Cell): boolean {
  const { phase, rollout, targetGroups = [] } = status;
  // A group at weight 0 waits to be taken out of the rule.
  const waits = targetGroups.some(({ weight }) => weight === 0);
  const isUnderWay = rollout !== undefined || conditionOf({ status }, 'Progressing')?.status === 'True';
  return isUnderWay || waits || phase === 'Failed';
}

function routeCell({ type, object: cell }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const key = keyOf(cell);
  if (type === 'delete') return [{ do: 'Signal', workflowId: cellRolloutId(key), signal: 'changed' }];
  const lacks = type === 'add' && (isLeftOver(cell) || lacksConfig(cell, view));
  return lacks || isNews(cell, view) ? [{ do: 'Start', workflow: 'cellRollout', key }] : ignore('unchanged');
}

/** A Cell that comes, goes, or names another listener or other groups may make a target group one that another load balancer holds. */
function routeCellCheck(event: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace } = keyOf(event.object);
  const isOther = isAboutSelection(event) && view.groups.list(namespace).length > 0;
  return isOther ? [{ do: 'Start', workflow: 'targetGroupCheck', namespace }] : [];
}

function isAboutSelection(event: ObjectEvent<Cell>): boolean {
  switch (event.type) {
    case 'add':
      // One that has a status was seen before, and its groups are checked when they are.
      return event.object.status === undefined;
    case 'update':
      return event.object.metadata.generation !== event.old.metadata.generation;
    case 'delete':
      return true;
  }
}

/** Whether someone has deleted the configuration of a Cell that serves, while nobody watched. */
function lacksConfig(cell: Cell, view: View): boolean {
  const way = routeOf(cell.spec);
  const serves = (cell.status?.targetGroups ?? []).length > 0;
  return way !== undefined && serves && view.configs[way.type].get(keyOf(cell)) === undefined;
}

function isNews(cell: Cell, view: View): boolean {
  const { namespace } = keyOf(cell);
  const access = accessOf(namespace, view.policies.list());
  return digest(watchedInput(cell, view.groups.list(namespace), access)) !== cell.status?.observedHash;
}

function routeGroup(event: ObjectEvent<AWSTargetGroup>, view: View): readonly Instruction[] {
  const versions = event.type === 'update' ? [event.object, event.old] : [event.object];
  const selecting = view.cells
    .list(keyOf(event.object).namespace)
    .filter(({ spec }) => versions.some(({ metadata }) => matches(selectorOf(spec), metadata.labels)));
  if (selecting.length === 0) return ignore('no Cell selects it');
  const concerned = selecting.filter((cell) => isNews(cell, view));
  if (concerned.length === 0) return ignore('unchanged');
  return concerned.map((cell) => ({ do: 'Start', workflow: 'cellRollout', key: keyOf(cell) }));
}

/** A rollout that is under way looks again when a Freeze comes, changes or goes; one that begins later sees it anyhow. */
function routeFreeze(event: ObjectEvent<Freeze>, view: View): readonly Instruction[] {
  const specs = event.type === 'update' ? [event.object.spec, event.old.spec] : [event.object.spec];
  const isAbout = (namespace: string): boolean =>
    specs.some(({ namespaces }) => namespaces === undefined || namespaces.includes(namespace));
  const concerned = view.cells.list().filter((cell) => isAbout(keyOf(cell).namespace) && mayBeUnderWay(cell));
  if (concerned.length === 0) return ignore('no rollout is under way');
  return concerned.map((cell) => ({
    do: 'Signal',
    workflowId: cellRolloutId(keyOf(cell)),
    signal: 'changed',
  }));
}

const mayBeUnderWay = (cell: Cell): boolean => conditionOf(cell, 'Progressing')?.status !== 'False';
