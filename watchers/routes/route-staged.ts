import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { keyOf, stagedBindingId } from '../../domain/model/ids.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { ignore } from '../instruction.ts';
import type { Instruction } from '../instruction.ts';
import type { View } from '../informer/store.ts';

/** An object of KubeStellar's that a stage depends on: a BindingPolicy, its Binding, or a CombinedStatus. */
export type StagedPart = Informed & {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
};

const start = (name: string): Instruction => ({ do: 'Start', workflow: 'stagedBinding', name });

const wake = (name: string): Instruction => ({
  do: 'Signal',
  workflowId: stagedBindingId(name),
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
  { object }: ObjectEvent<StagedPart>,
  view: Pick<View, 'staged'>,
): readonly Instruction[] {
  const policy = object.metadata.labels?.[ABOUT.policy] ?? object.metadata.name;
  const made = view.staged.list().filter(({ metadata }) => policy.startsWith(`${metadata.name}-`));
  if (made.length === 0) return ignore('no StagedBindingPolicy has made it');
  return made.map(({ metadata }) => start(metadata.name));
}

/** A stage may wait for a Cell. */
export function routeStagedCell({ object }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace, name } = keyOf(object);
  return view.staged
    .list()
    .filter(({ spec }) => spec.stages.some(({ cell }) => cell?.namespace === namespace && cell.name === name))
    .map(({ metadata }) => wake(metadata.name));
}

/** Has every StagedBindingPolicy look again; whether a Freeze is about its workload it finds out by itself. */
export const wakeStaged = (view: View): readonly Instruction[] =>
  view.staged.list().map(({ metadata }) => wake(metadata.name));
