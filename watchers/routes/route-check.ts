import type { Check } from '../../crds/check.ts';
import { HASH_ANNOTATION, isOver } from '../../domain/checks/next-run.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import type { ObjectEvent } from '../event.ts';
import type { View } from '../informer/store.ts';
import { ignore, type Instruction } from '../instruction.ts';
import { mayAwaitVerdict } from './route-measurement.ts';
import { routeSynced } from './route-synced.ts';

/** Says who has to hear of a Check: its own workflow when something is to be measured, and its Cell when it has ended or is gone. */
export function routeCheck(event: ObjectEvent<Check>, view: View): readonly Instruction[] {
  const all = [...routeOwn(event), ...routeCell(event, view)];
  const told = all.filter((instruction) => instruction.do !== 'Ignore');
  return told.length > 0 ? told : all.slice(0, 1);
}

function routeOwn(event: ObjectEvent<Check>): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'add' && isSettled(object)) return ignore('status is about this generation');
  const isOtherHash = event.type === 'update' && hashOf(event.old) !== hashOf(object);
  return isOtherHash ? [{ do: 'Start', kind: 'Check', key: keyOf(object) }] : routeSynced('Check', event);
}

const hashOf = ({ metadata }: Check): string | undefined => metadata.annotations?.[HASH_ANNOTATION];

/** Whether nothing is left to be measured; the status is of this generation and of this hash. */
function isSettled(object: Check): boolean {
  const { metadata, status } = object;
  const isOfHash = hashOf(object) === undefined || status?.analysis?.observedHash === hashOf(object);
  return isOver(status) && status?.observedGeneration === metadata.generation && isOfHash;
}

function routeCell(event: ObjectEvent<Check>, view: View): readonly Instruction[] {
  const { type, object } = event;
  const name = object.metadata.labels?.[CELL_LABEL];
  if (name === undefined || name === '') return ignore('no Cell named');
  if (type !== 'delete' && !isOver(object.status)) return ignore('not finished');
  if (type === 'update' && isOver(event.old.status) && event.old.status?.phase === object.status?.phase)
    return ignore('finished before');
  const key = { namespace: keyOf(object).namespace, name };
  const cell = view.Cell.get(key);
  // What is known of the Cell may be older than the news of its Check; only one that is listed again proves nothing new.
  if (type === 'add' && cell !== undefined && !mayAwaitVerdict(cell))
    return ignore('the Cell waits for no analysis');
  return [{ do: 'Signal', workflowId: objectWorkflowId('Cell', key), signal: 'analysisFinished' }];
}
