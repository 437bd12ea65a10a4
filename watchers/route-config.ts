import type { Cell } from '../crds/cell.ts';
import { controllerOf } from '../domain/controller.ts';
import { cellRolloutId, keyOf, loadBalancerConfigId } from '../domain/ids.ts';
import type { LoadBalancerType } from '../domain/load-balancer.ts';
import { mayAdopt } from '../domain/watched.ts';
import { conditionOf } from './condition.ts';
import type { ObjectEvent } from './event.ts';
import type { Instruction } from './instruction.ts';
import type { LoadBalancerConfig, View } from './store.ts';

type ConfigEvent = ObjectEvent<LoadBalancerConfig>;
type ConfigUpdate = Extract<ConfigEvent, { type: 'update' }>;

/** Says who has to hear of an event about an object that configures a load balancer. */
export function routeConfig(type: LoadBalancerType, event: ConfigEvent, view: View): readonly Instruction[] {
  const { object: config } = event;
  const key = keyOf(config);
  const instructions: Instruction[] = [];
  if (event.type === 'delete') {
    instructions.push({ do: 'Signal', workflowId: loadBalancerConfigId(key, type), signal: 'changed' });
    // A Cell that stays has its configuration made anew, with the weights that are served.
    const owner = ownerOf(config, view);
    if (owner !== undefined && owner.metadata.deletionTimestamp === undefined) {
      instructions.push({ do: 'Start', workflow: 'cellRollout', key: keyOf(owner) });
    }
    return instructions;
  }
  const isApplied = config.metadata.generation === config.status?.observedGeneration;
  if (!isApplied || (event.type === 'update' && isAllowedMore(event))) {
    instructions.push({ do: 'Start', workflow: 'loadBalancerConfig', type, key });
  }
  const { listenerARN } = config.spec;
  if (event.type === 'add' || event.old.spec.listenerARN !== listenerARN) {
    instructions.push({ do: 'Watch', type, listenerARN });
  }
  const owner = event.type === 'update' && hasNewVerdict(event) ? ownerOf(config, view) : undefined;
  if (owner !== undefined && isTroubled(owner)) {
    instructions.push({ do: 'Signal', workflowId: cellRolloutId(keyOf(owner)), signal: 'statusReported' });
  }
  return instructions.length > 0
    ? instructions
    : [{ do: 'Ignore', reason: 'status is about this generation' }];
}

/** Whether the object may now take over what it may not have taken over before. */
const isAllowedMore = ({ object, old }: ConfigUpdate): boolean =>
  mayAdopt(object.metadata) && !mayAdopt(old.metadata);

function hasNewVerdict({ object, old }: ConfigUpdate): boolean {
  const now = conditionOf(object, 'Ready');
  const before = conditionOf(old, 'Ready');
  const turnedTrue = now?.status === 'True' && before?.status !== 'True';
  return turnedTrue || now?.reason !== before?.reason;
}

function ownerOf(config: LoadBalancerConfig, view: View): Cell | undefined {
  const owner = controllerOf(config.metadata);
  if (owner?.kind !== 'Cell') return undefined;
  return view.cells.get({ namespace: keyOf(config).namespace, name: owner.name });
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
