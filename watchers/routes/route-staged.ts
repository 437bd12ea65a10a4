import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { keyOf, type ObjectKey } from '../../domain/model/ids.ts';
import { fieldsIn, recordsIn, type Fields } from '../../domain/model/fields.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import type { ObjectEvent } from '../event.ts';
import type { StagedPart } from '../foreign.ts';
import { ignore, type Instruction } from '../instruction.ts';
import type { View } from '../informer/store.ts';

const keyNamed = (name: string): ObjectKey => ({ namespace: '', name });

const start = (name: string): Instruction => ({
  do: 'Start',
  kind: 'StagedBindingPolicy',
  key: keyNamed(name),
});

const wake = (name: string): Instruction => ({
  do: 'Signal',
  workflowId: objectWorkflowId('StagedBindingPolicy', keyNamed(name)),
  signal: 'changed',
});

/** Says who has to hear of an event about a StagedBindingPolicy; that its status was written is no news. */
export function routeStaged(event: ObjectEvent<StagedBindingPolicy>): readonly Instruction[] {
  const { name, generation, deletionTimestamp } = event.object.metadata;
  if (event.type === 'delete') return [wake(name)];
  if (event.type === 'add') return [start(name)];
  const { metadata: old } = event.old;
  const isSame = generation === old.generation && deletionTimestamp === old.deletionTimestamp;
  return isSame ? ignore('unchanged') : [start(name)];
}

/** Says who has to hear of an object of KubeStellar's: those by whose name that of the BindingPolicy begins. */
export function routeStagedPart(
  { type, object }: ObjectEvent<StagedPart>,
  view: Pick<View, 'StagedBindingPolicy'>,
): readonly Instruction[] {
  if (type !== 'delete' && !isTakenUp(object)) return ignore('KubeStellar has not taken it up yet');
  const policy = object.metadata.labels?.[ABOUT.policy] ?? object.metadata.name;
  const made = view.StagedBindingPolicy.list().filter(({ metadata }) =>
    policy.startsWith(`${metadata.name}-`),
  );
  if (made.length === 0) return ignore('no StagedBindingPolicy has made it');
  return made.map(({ metadata }) => start(metadata.name));
}

/** Whether KubeStellar has taken up a BindingPolicy or a Binding as it is; a CombinedStatus is KubeStellar's own. It says when it has, and until then there is nothing to see. */
const isTakenUp = ({ metadata: { generation }, status }: StagedPart): boolean =>
  generation === undefined || generation === status?.observedGeneration;

/** A stage may wait for a Cell. */
export function routeStagedCell({ object }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace, name } = keyOf(object);
  const isFor = (stage: Fields): boolean => {
    const cell = fieldsIn(stage['cell']);
    return cell['namespace'] === namespace && cell['name'] === name;
  };
  // One of a form that no schema allows must not keep any Cell from being routed.
  return view.StagedBindingPolicy.list()
    .filter(({ spec }) => recordsIn(fieldsIn(spec)['stages']).some(isFor))
    .map(({ metadata }) => wake(metadata.name));
}

/** Has every StagedBindingPolicy look again; whether a Freeze is about its workload it finds out by itself. */
export const wakeStaged = (view: View): readonly Instruction[] =>
  view.StagedBindingPolicy.list().map(({ metadata }) => wake(metadata.name));
