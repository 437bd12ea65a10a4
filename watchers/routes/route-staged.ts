import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { fieldsIn, recordsIn, type Fields } from '../../domain/model/fields.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import type { ObjectEvent } from '../event.ts';
import { start, wake, type Instruction } from '../instruction.ts';
import type { ForeignObject } from '../kinds.ts';
import type { View } from '../informer/store.ts';
import { routeSynced } from './route-synced.ts';

/** Says who has to hear of an event about a StagedBindingPolicy; that its status was written is no news. */
export function routeStaged(event: ObjectEvent<StagedBindingPolicy>): readonly Instruction[] {
  const isDeletion =
    event.type === 'update' &&
    event.object.metadata.deletionTimestamp !== event.old.metadata.deletionTimestamp;
  return isDeletion
    ? [start('StagedBindingPolicy', keyOf(event.object))]
    : routeSynced('StagedBindingPolicy', event);
}

/** Says who has to hear of an object of KubeStellar's: those by whose name that of the BindingPolicy begins. */
export function routeStagedPart(
  { type, object }: ObjectEvent<ForeignObject>,
  view: View,
): readonly Instruction[] {
  if (type !== 'delete' && !isObserved(object)) return [];
  const policy = object.metadata.labels?.[ABOUT.policy] ?? object.metadata.name;
  return view.StagedBindingPolicy.list()
    .filter(({ metadata }) => policy.startsWith(`${metadata.name}-`))
    .map((one) => start('StagedBindingPolicy', keyOf(one)));
}

/** Whether KubeStellar has observed a BindingPolicy or a Binding as it is, before which there is nothing to see; a CombinedStatus is its own. */
const isObserved = ({ metadata: { generation }, status }: ForeignObject): boolean =>
  generation === undefined || generation === status?.observedGeneration;

/** Wakes the StagedBindingPolicies of which a stage may wait for a Cell. */
export function routeStagedCell({ object }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace, name } = keyOf(object);
  const isFor = (stage: Fields): boolean => {
    const cell = fieldsIn(stage['cell']);
    return cell['namespace'] === namespace && cell['name'] === name;
  };
  // One of a form that no schema allows must not keep any Cell from being routed.
  return view.StagedBindingPolicy.list()
    .filter(({ spec }) => recordsIn(fieldsIn(spec)['stages']).some(isFor))
    .map((one) => wake('StagedBindingPolicy', keyOf(one)));
}

/** Wakes every StagedBindingPolicy; whether a Freeze is about its workload it finds out by itself. */
export const wakeStaged = (view: View): readonly Instruction[] =>
  view.StagedBindingPolicy.list().map((one) => wake('StagedBindingPolicy', keyOf(one)));
