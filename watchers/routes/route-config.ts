import type { Cell } from '../../crds/cell.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { loadBalancerKind, type LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { SEQUENCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { mayAdopt } from '../../domain/versions/watched.ts';
import { mayBeUnderWay } from './route-synced.ts';
import type { ObjectEvent } from '../event.ts';
import { start, wake, type Instruction } from '../instruction.ts';
import type { LoadBalancerConfig, View } from '../informer/store.ts';

type ConfigEvent = ObjectEvent<LoadBalancerConfig>;
type ConfigUpdate = Extract<ConfigEvent, { type: 'update' }>;

/** Says who has to hear of an event about an object that configures a load balancer: its Cell, or else its own workflow. */
export function routeConfig(type: LoadBalancerType, event: ConfigEvent, view: View): readonly Instruction[] {
  const isMoved =
    event.type === 'add' ||
    (event.type === 'update' && placeIn(type, event.old) !== placeIn(type, event.object));
  return [
    ...routeWriter(type, event, view),
    ...(isMoved ? [{ do: 'Watch', type, place: placeIn(type, event.object) } as const] : []),
  ];
}

const placeIn = (type: LoadBalancerType, { spec }: LoadBalancerConfig): string =>
  loadBalancerKind(type).placeOf(spec);

/** Wakes the writer when the object asks for what is not applied, may take over more, is being deleted, or is gone. */
function routeWriter(type: LoadBalancerType, event: ConfigEvent, view: View): readonly Instruction[] {
  const { object: config } = event;
  const key = keyOf(config);
  const owner = controllerOf(config.metadata);
  const isOwned = owner?.kind === 'Cell';
  const cellKey = { namespace: key.namespace, name: owner?.name ?? '' };
  const cell = isOwned ? view.Cell.get(cellKey) : undefined;
  const startWriter = isOwned ? start('Cell', cellKey) : start(`${type}Config`, key);
  if (event.type === 'delete') {
    if (!isOwned) return [wake(`${type}Config`, key)];
    // A Cell that stays has its configuration made again, with the weights that are served.
    return cell === undefined || cell.metadata.deletionTimestamp !== undefined ? [] : [startWriter];
  }
  if (isOwned && isOwnWrite(event, cell)) return [];
  const isDeleted = config.metadata.deletionTimestamp !== undefined;
  const isApplied = config.metadata.generation === config.status?.observedGeneration;
  const isAllowed = event.type === 'update' && isAllowedMore(event);
  return !isApplied || isDeleted || isAllowed ? [startWriter] : [];
}

/** Whether the Cell's own workflow has written, which needs no waking: it counts its writes, and makes the object while it is at work. */
function isOwnWrite(event: Exclude<ConfigEvent, { type: 'delete' }>, cell: Cell | undefined): boolean {
  const { object: config } = event;
  if (config.metadata.deletionTimestamp !== undefined) return false;
  if (event.type === 'update') return sequenceOf(config) !== sequenceOf(event.old);
  return cell !== undefined && mayBeUnderWay(cell);
}

const sequenceOf = ({ metadata }: LoadBalancerConfig): string | undefined =>
  metadata.annotations?.[SEQUENCE_ANNOTATION];

/** Whether the object may now take over what it may not have taken over before. */
const isAllowedMore = ({ object, old }: ConfigUpdate): boolean =>
  mayAdopt(object.metadata) && !mayAdopt(old.metadata);
