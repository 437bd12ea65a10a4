import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { Metadata } from '../../crds/resource.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import type { WorkflowKind } from '../../domain/model/workflow-ids.ts';
import type { ObjectEvent } from '../event.ts';
import { start, wake, type Instruction } from '../instruction.ts';
import type { View } from '../informer/store.ts';

interface Conditioned {
  readonly status?:
    | { readonly conditions?: readonly { readonly type: string; readonly status: string }[] | undefined }
    | undefined;
}

/** Finds the condition of a type; undefined when the status does not have it. */
export const conditionOf = ({ status }: Conditioned, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether something is under way with an object, or nobody knows. */
export const mayBeUnderWay = (object: Conditioned): boolean =>
  conditionOf(object, 'Progressing')?.status !== 'False';

/** The object of an event as it is now, and before it as it was before an update. */
export const versionsOf = <T>(event: ObjectEvent<T>): readonly T[] =>
  event.type === 'update' ? [event.object, event.old] : [event.object];

interface SyncedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly generation?: number };
}

/** Whether more has happened than that a status or metadata was written. */
export const isSpecNews = (event: ObjectEvent<SyncedObject>): boolean =>
  event.type !== 'update' || event.object.metadata.generation !== event.old.metadata.generation;

/** Says who has to hear of an event about an object that is synced; that its status was written is no news. */
export function routeSynced(kind: WorkflowKind, event: ObjectEvent<SyncedObject>): readonly Instruction[] {
  const key = keyOf(event.object);
  if (event.type === 'delete') return [wake(kind, key)];
  return isSpecNews(event) ? [start(kind, key)] : [];
}

/** Says who besides Cells has to hear of an AWSTargetGroup: its check, and the set that makes it. */
export function routeGroupCheck(event: ObjectEvent<AWSTargetGroup>, view: View): readonly Instruction[] {
  const { namespace } = keyOf(event.object);
  switch (event.type) {
    case 'add':
      // One that has just been made is no news to who has made it.
      return [{ do: 'CheckTargetGroups', namespace }];
    case 'delete':
      return [...ownerOf(event.object, view), ...othersOf(event.object, view)];
    case 'update':
      if (saysOf(event.object) === saysOf(event.old)) return [];
      return [{ do: 'CheckTargetGroups', namespace }, ...ownerOf(event.object, view)];
  }
}

/** Says who has to hear of an AWSTargetGroupBinding: its own workflow, and the set that makes it. */
export function routeBinding(event: ObjectEvent<AWSTargetGroupBinding>, view: View): readonly Instruction[] {
  const own = routeSynced('AWSTargetGroupBinding', event);
  if (event.type === 'add') return own;
  const isOtherGroup =
    event.type === 'update' && event.object.status?.targetGroupARN !== event.old.status?.targetGroupARN;
  const sets = isSpecNews(event) || isOtherGroup ? ownerOf(event.object, view) : [];
  const others = event.type === 'delete' ? othersOf(event.object, view) : [];
  return [...own, ...sets, ...others, ...heirsOf(event, view)];
}

const saysOf = ({ metadata, spec }: AWSTargetGroup): string =>
  canonical([spec, metadata.labels ?? {}, metadata.annotations ?? {}, metadata.deletionTimestamp ?? '']);

/** Starts the workflow of the AWSTargetGroupSet that makes an object; one that is gone takes its objects with it. */
function ownerOf(object: { readonly metadata: Metadata }, view: View): readonly Instruction[] {
  const owner = controllerOf(object.metadata);
  if (owner?.kind !== 'AWSTargetGroupSet') return [];
  const key = { namespace: keyOf(object).namespace, name: owner.name };
  return view.AWSTargetGroupSet.get(key) === undefined ? [] : [start('AWSTargetGroupSet', key)];
}

/** Starts the workflows of the other AWSTargetGroupSets of a namespace: one that is deleted may have stood in the way of theirs. */
function othersOf(object: { readonly metadata: Metadata }, view: View): readonly Instruction[] {
  const { namespace } = keyOf(object);
  const owner = controllerOf(object.metadata);
  return view.AWSTargetGroupSet.list(namespace)
    .map(keyOf)
    .filter(({ name }) => owner?.kind !== 'AWSTargetGroupSet' || owner.name !== name)
    .map((key) => start('AWSTargetGroupSet', key));
}

/** Starts the workflows of the other AWSTargetGroupBindings of a target group, which may want what this one has let go. */
function heirsOf(event: ObjectEvent<AWSTargetGroupBinding>, view: View): readonly Instruction[] {
  const before = event.type === 'update' ? event.old : event.object;
  const has = new Set(event.type === 'update' ? registeredBy(event.object) : []);
  if (registeredBy(before).every((one) => has.has(one))) return [];
  const arn = before.status?.targetGroupARN;
  return view.AWSTargetGroupBinding.list()
    .filter(({ status }) => status?.targetGroupARN === arn)
    .filter((one) => formatKey(keyOf(one)) !== formatKey(keyOf(before)))
    .map((one) => start('AWSTargetGroupBinding', keyOf(one)));
}

const registeredBy = ({ status = {} }: AWSTargetGroupBinding): readonly string[] =>
  (status.targets ?? []).flatMap(({ port, ids = [] }) =>
    ids.map((id) => `${status.targetGroupARN} ${id}:${port}`),
  );
