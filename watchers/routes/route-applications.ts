import { digest } from '../../clients/digest.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import type { Cell } from '../../crds/cell.ts';
import { accessOf } from '../../domain/access/access.ts';
import { heldBehind } from '../../domain/applications/holds.ts';
import { equalitiesIn } from '../../domain/applications/resolve.ts';
import { isPartOf, watchedApplications } from '../../domain/applications/watched.ts';
import { unreadyClusters } from '../../domain/gates/gate.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { fieldsIn } from '../../domain/model/fields.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { mayBeUnderWay, versionsOf } from './route-synced.ts';
import type { ObjectEvent } from '../event.ts';
import { start, wake, type Instruction } from '../instruction.ts';
import type { ForeignObject } from '../kinds.ts';
import type { View } from '../informer/store.ts';

/** Whether a Cell is one with applications. */
export const hasApplications = ({ spec }: Cell): boolean => fieldsIn(spec)['applications'] !== undefined;

/** Digests what a Cell with applications depends on in its namespace. */
export function applicationsDigest(cell: Cell, view: View): string {
  const { namespace } = keyOf(cell);
  const parts = {
    cells: [...view.Cell.list(namespace)],
    groups: [...view.AWSTargetGroup.list(namespace)],
    secrets: [...view.Secret.list(namespace)],
  };
  return digest(watchedApplications(cell, parts, accessOf(namespace, [...view.AccessPolicy.list()])));
}

/** Wakes the Cells whose traffic moves when the clusters or applications that hold them change in the status of their Cell. */
export function wakeChildren(event: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  if (event.type !== 'update' || !hasApplications(event.object)) return [];
  const { object, old } = event;
  const isFor = ({ metadata: { name } }: Cell): boolean =>
    !sameValue(heldBehind(object, name), heldBehind(old, name)) ||
    !sameValue(unreadyClusters(object), unreadyClusters(old));
  return view.Cell.list(object.metadata.namespace)
    .filter((cell) => isPartOf(cell, object.metadata.name) && mayBeUnderWay(cell) && isFor(cell))
    .map((cell) => wake('Cell', keyOf(cell)));
}

/** Starts the workflow of the Cell with applications that something was made for, unless it knows all that there is. */
export function startParent(
  event: ObjectEvent<Pick<ForeignObject, 'metadata'>>,
  view: View,
): readonly Instruction[] {
  const names = new Set(versionsOf(event).flatMap(({ metadata }) => metadata.labels?.[CELL_LABEL] ?? []));
  return [...names].flatMap((name): readonly Instruction[] => {
    const key = { namespace: keyOf(event.object).namespace, name };
    const cell = view.Cell.get(key);
    if (cell === undefined || !hasApplications(cell)) return [];
    return applicationsDigest(cell, view) === cell.status?.observedHash ? [] : [start('Cell', key)];
  });
}

/** Wakes the Cells that name the ApplicationSet of an Application. */
export function routeApplication(event: ObjectEvent<ForeignObject>, view: View): readonly Instruction[] {
  const { namespace } = keyOf(event.object);
  const sets = versionsOf(event)
    .flatMap(({ metadata }) => metadata.ownerReferences ?? [])
    .filter(({ kind }) => kind === 'ApplicationSet')
    .map(({ name }) => view.ApplicationSet.get({ namespace, name }) ?? { metadata: { name } });
  return routeDeployed(event, sets, view);
}

/** Wakes the Cells that name an ApplicationSet. */
export const routeApplicationSet = (event: ObjectEvent<ForeignObject>, view: View): readonly Instruction[] =>
  routeDeployed(event, versionsOf(event), view);

/** Wakes the Cells whose applications may be deployed meanwhile; not settled ones, as Argo CD writes a status every few minutes. */
function routeDeployed(
  event: ObjectEvent<ForeignObject>,
  sets: readonly ForeignObject[],
  view: View,
): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'update' && object.digest !== undefined && object.digest === event.old.digest) return [];
  return view.Cell.list(object.metadata.namespace)
    .filter(
      (cell) =>
        mayBeUnderWay(cell) &&
        cell.spec.applications?.some((one) => sets.some((set) => isOf(one, set))) === true,
    )
    .map((cell) => wake('Cell', keyOf(cell)));
}

/** Whether an application is deployed by an ApplicationSet; one that nobody has seen yet may have the labels that are asked for. */
function isOf({ argocd }: ApplicationOfCell, { metadata }: ForeignObject): boolean {
  const { name, selector } = argocd?.applicationSet ?? {};
  if (name !== undefined) return name === metadata.name;
  if (selector === undefined) return false;
  return metadata.uid === undefined || matches({ matchLabels: equalitiesIn(selector) }, metadata.labels);
}

/** Wakes the Cell whose revision came, changed or went. */
export function routeRevision({ object }: ObjectEvent<ForeignObject>, view: View): readonly Instruction[] {
  const name = object.metadata.labels?.[CELL_LABEL] ?? '';
  const key = { namespace: keyOf(object).namespace, name };
  return view.Cell.get(key) === undefined ? [] : [wake('Cell', key)];
}
