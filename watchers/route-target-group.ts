import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../crds/aws-target-group-binding.ts';
import type { Metadata } from '../crds/resource.ts';
import { canonical } from '../domain/canonical.ts';
import { controllerOf } from '../domain/controller.ts';
import { keyOf } from '../domain/ids.ts';
import type { ObjectEvent } from './event.ts';
import type { Instruction } from './instruction.ts';
import { routeSynced } from './route-synced.ts';
import type { View } from './store.ts';

/** Says who besides Cells has to hear of an AWSTargetGroup: its check, and the set that makes it. */
export function routeGroupCheck(event: ObjectEvent<AWSTargetGroup>, view: View): readonly Instruction[] {
  const isEdited = event.type === 'update' && saysOf(event.object) !== saysOf(event.old);
  const isNews = event.type !== 'update' || isEdited;
  if (!isNews) return [];
  const check: Instruction = {
    do: 'Start',
    workflow: 'targetGroupCheck',
    namespace: keyOf(event.object).namespace,
  };
  // One that has just been made is no news to who has made it.
  return [
    ...(event.type === 'delete' ? [] : [check]),
    ...(event.type === 'add' ? [] : ownerOf(event.object, view)),
  ];
}

/** Says who has to hear of an AWSTargetGroupBinding: its own workflow, and the set that makes it. */
export function routeBinding(event: ObjectEvent<AWSTargetGroupBinding>, view: View): readonly Instruction[] {
  const own = routeSynced('targetGroupBinding', event);
  if (event.type === 'add') return own;
  const isTold =
    event.type === 'delete' ||
    event.object.metadata.generation !== event.old.metadata.generation ||
    event.object.status?.targetGroupARN !== event.old.status?.targetGroupARN;
  return isTold ? [...own, ...ownerOf(event.object, view)] : own;
}

const saysOf = ({ metadata, spec }: AWSTargetGroup): string =>
  canonical([spec, metadata.labels ?? {}, metadata.annotations ?? {}, metadata.deletionTimestamp ?? '']);

/** Starts the workflow of the AWSTargetGroupSet that makes an object; one that is gone takes its objects with it. */
function ownerOf(object: { readonly metadata: Metadata }, view: View): readonly Instruction[] {
  const owner = controllerOf(object.metadata);
  if (owner?.kind !== 'AWSTargetGroupSet') return [];
  const key = { namespace: keyOf(object).namespace, name: owner.name };
  if (view.targetGroupSets.get(key) === undefined) return [];
  return [{ do: 'Start', workflow: 'targetGroupSet', key }];
}
