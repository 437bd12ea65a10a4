import { keyOf } from '../../domain/model/ids.ts';
import { objectWorkflowId, type WorkflowKind } from '../../domain/model/workflow-ids.ts';
import type { ObjectEvent } from '../event.ts';
import { ignore, type Instruction } from '../instruction.ts';

/** An object whose status may have conditions. */
interface Conditioned {
  readonly status?: { readonly conditions?: readonly ConditionRead[] | undefined } | undefined;
}

/** What is looked at of a condition. */
interface ConditionRead {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
}

/** Finds the condition of a type; undefined when the status does not have it. */
export const conditionOf = ({ status }: Conditioned, type: string): ConditionRead | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether something is under way with an object, or nobody knows. */
export const mayBeUnderWay = (object: Conditioned): boolean =>
  conditionOf(object, 'Progressing')?.status !== 'False';

/** An object that is synced, as far as a message about it depends on it. */
interface SyncedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly generation?: number };
}

/** Says who has to hear of an event about an object that is synced; that its status was written is no news. */
export function routeSynced(kind: WorkflowKind, event: ObjectEvent<SyncedObject>): readonly Instruction[] {
  const key = keyOf(event.object);
  switch (event.type) {
    case 'delete':
      return [{ do: 'Signal', workflowId: objectWorkflowId(kind, key), signal: 'changed' }];
    case 'update':
      if (event.object.metadata.generation === event.old.metadata.generation) return ignore('unchanged');
      return [{ do: 'Start', kind, key }];
    case 'add':
      return [{ do: 'Start', kind, key }];
  }
}
