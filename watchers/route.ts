import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { Cell } from '../crds/cell.ts';
import type { Freeze } from '../crds/freeze.ts';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import { digest } from '../clients/digest.ts';
import { cellRolloutId, keyOf, loadBalancerConfigId } from '../domain/ids.ts';
import { matches } from '../domain/selector.ts';
import { unreachable } from '../domain/unreachable.ts';
import { selectorOf } from '../domain/version-label.ts';
import { watchedInput } from '../domain/watched.ts';
import type { Informed, ObjectEvent } from './event.ts';
import { ignore } from './instruction.ts';
import type { Instruction } from './instruction.ts';
import { routeAnalysisRun, routeExperiment, routeReplicaSet, routeTemplate } from './route-measurement.ts';
import type { AnalysisRun, Experiment, ReplicaSet } from './route-measurement.ts';
import type { View } from './store.ts';

/** What happened, and to an object of which kind. */
export type KindEvent =
  | { readonly kind: 'Cell'; readonly event: ObjectEvent<Cell> }
  | { readonly kind: 'AWSTargetGroup'; readonly event: ObjectEvent<AWSTargetGroup> }
  | {
      readonly kind: 'AWSApplicationLoadBalancerConfig';
      readonly event: ObjectEvent<AWSApplicationLoadBalancerConfig>;
    }
  | { readonly kind: 'Freeze'; readonly event: ObjectEvent<Freeze> }
  | { readonly kind: 'AnalysisRun'; readonly event: ObjectEvent<AnalysisRun> }
  | { readonly kind: 'Experiment'; readonly event: ObjectEvent<Experiment> }
  | { readonly kind: 'ReplicaSet'; readonly event: ObjectEvent<ReplicaSet> }
  | { readonly kind: 'AnalysisTemplate' | 'ClusterAnalysisTemplate'; readonly event: ObjectEvent<Informed> };

/** Says which workflows have to hear of an event; `view` shows everything as it is after the event. */
export function route(happened: KindEvent, view: View): readonly Instruction[] {
  switch (happened.kind) {
    case 'Cell':
      return routeCell(happened.event, view);
    case 'AWSTargetGroup':
      return routeGroup(happened.event, view);
    case 'AWSApplicationLoadBalancerConfig':
      return routeConfig(happened.event, view);
    case 'Freeze':
      return routeFreeze(happened.event, view);
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

// A rollout in one of these phases is not over: when its workflow is lost, somebody has to start it again.
const unsettled = new Set(['Pending', 'Progressing', 'Paused', 'Reverting', 'FailedReverting', 'Failed']);

function routeCell({ type, object: cell }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const key = keyOf(cell);
  if (type === 'delete') return [{ do: 'Signal', workflowId: cellRolloutId(key), signal: 'changed' }];
  const { phase } = cell.status ?? {};
  const isLeftOver = type === 'add' && phase !== undefined && unsettled.has(phase);
  return isLeftOver || isNews(cell, view)
    ? [{ do: 'Start', workflow: 'cellRollout', key }]
    : ignore('unchanged');
}

function isNews(cell: Cell, view: View): boolean {
  const groups = view.groups.list(keyOf(cell).namespace);
  return digest(watchedInput(cell, groups)) !== cell.status?.observedHash;
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

function routeConfig(
  event: ObjectEvent<AWSApplicationLoadBalancerConfig>,
  view: View,
): readonly Instruction[] {
  const { object: config } = event;
  const key = keyOf(config);
  if (event.type === 'delete')
    return [{ do: 'Signal', workflowId: loadBalancerConfigId(key), signal: 'changed' }];
  const instructions: Instruction[] = [];
  if (config.metadata.generation !== config.status?.observedGeneration) {
    instructions.push({ do: 'Start', workflow: 'loadBalancerConfig', key });
  }
  const { listenerARN } = config.spec;
  if (event.type === 'add' || event.old.spec.listenerARN !== listenerARN) {
    instructions.push({ do: 'Watch', listenerARN });
  }
  const owner = event.type === 'update' && hasNewVerdict(event) ? troubledOwner(config, view) : undefined;
  if (owner !== undefined) {
    instructions.push({ do: 'Signal', workflowId: cellRolloutId(keyOf(owner)), signal: 'statusReported' });
  }
  return instructions.length > 0 ? instructions : ignore('status is about this generation');
}

function hasNewVerdict(event: {
  readonly object: AWSApplicationLoadBalancerConfig;
  readonly old: AWSApplicationLoadBalancerConfig;
}): boolean {
  const now = conditionOf(event.object, 'Ready');
  const before = conditionOf(event.old, 'Ready');
  const turnedTrue = now?.status === 'True' && before?.status !== 'True';
  return turnedTrue || now?.reason !== before?.reason;
}

function troubledOwner(config: AWSApplicationLoadBalancerConfig, view: View): Cell | undefined {
  const owner = config.metadata.ownerReferences?.find(
    ({ kind, controller }) => kind === 'Cell' && controller === true,
  );
  if (owner === undefined) return undefined;
  const cell = view.cells.get({ namespace: keyOf(config).namespace, name: owner.name });
  return cell !== undefined && isTroubled(cell) ? cell : undefined;
}

function isTroubled(cell: Cell): boolean {
  switch (cell.status?.phase) {
    case 'Failed':
    case 'FailedReverting':
      return true;
    case 'Progressing':
      return conditionOf(cell, 'Degraded')?.status === 'True';
    default:
      return false;
  }
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

interface Conditioned {
  readonly status?: { readonly conditions?: readonly ConditionRead[] | undefined } | undefined;
}

interface ConditionRead {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

const conditionOf = ({ status }: Conditioned, type: string): ConditionRead | undefined =>
  status?.conditions?.find((condition) => condition.type === type);
