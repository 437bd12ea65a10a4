import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { Metadata } from '../../crds/resource.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import type { ObjectEvent } from '../event.ts';
import type { Instruction } from '../instruction.ts';
import { routeSynced } from './route-synced.ts';
import type { View } from '../informer/store.ts';

/** Says who besides Cells has to hear of an AWSTargetGroup: its check, and the set that makes it. */
export function routeGroupCheck(event: ObjectEvent<AWSTargetGroup>, view: View): readonly Instruction[] {
  const isEdited = event.type === 'update' && saysOf(event.object) !== saysOf(event.old);
  const isNews = event.type !== 'update' || isEdited;
  if (!isNews) return [];
  const check: Instruction = {
    do: 'CheckTargetGroups',
    namespace: keyOf(event.object).namespace,
  };
  // One that has just been made is no news to who has made it.
  return [
    ...(event.type === 'delete' ? [] : [check]),
    ...(event.type === 'add' ? [] : ownerOf(event.object, view)),
    ...(event.type === 'delete' ? othersOf(event.object, view) : []),
  ];
}

/** Says who has to hear of an AWSTargetGroupBinding: its own workflow, and the set that makes it. */
export function routeBinding(event: ObjectEvent<AWSTargetGroupBinding>, view: View): readonly Instruction[] {
  const own = routeSynced('AWSTargetGroupBinding', event);
  if (event.type === 'add') return own;
  const isTold =
    event.type === 'delete' ||
    event.object.metadata.generation !== event.old.metadata.generation ||
    event.object.status?.targetGroupARN !== event.old.status?.targetGroupARN;
  const sets = isTold ? ownerOf(event.object, view) : [];
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
  if (view.AWSTargetGroupSet.get(key) === undefined) return [];
  return [{ do: 'Start', kind: 'AWSTargetGroupSet', key }];
}

/** Starts the workflows of the other AWSTargetGroupSets of a namespace: one that is deleted may have stood in the way of theirs. */
function othersOf(object: { readonly metadata: Metadata }, view: View): readonly Instruction[] {
  const { namespace } = keyOf(object);
  const owner = controllerOf(object.metadata);
  return view.AWSTargetGroupSet.list(namespace)
    .map(keyOf)
    .filter(({ name }) => owner?.kind !== 'AWSTargetGroupSet' || owner.name !== name)
    .map((key) => ({ do: 'Start', kind: 'AWSTargetGroupSet', key }));
}

/** Starts the workflows of the other AWSTargetGroupBindings of a target group, which may want what this one has let go. */
function heirsOf(event: ObjectEvent<AWSTargetGroupBinding>, view: View): readonly Instruction[] {
  if (event.type === 'add') return [];
  const before = event.type === 'update' ? event.old : event.object;
  const had = registeredBy(before);
  const has = new Set(event.type === 'update' ? registeredBy(event.object) : []);
  if (had.every((one) => has.has(one))) return [];
  const arn = before.status?.targetGroupARN;
  return view.AWSTargetGroupBinding.list()
    .filter(({ status }) => status?.targetGroupARN === arn)
    .filter((one) => formatKey(keyOf(one)) !== formatKey(keyOf(before)))
    .map((one) => ({ do: 'Start', kind: 'AWSTargetGroupBinding', key: keyOf(one) }));
}

const registeredBy = ({ status = {} }: AWSTargetGroupBinding): readonly string[] =>
  (status.targets ?? []).flatMap(({ port, ids = [] }) =>
    ids.map((id) => `${status.targetGroupARN} ${id}:${port}`),
  );
