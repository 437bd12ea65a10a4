import { keyOf } from '../../domain/model/ids.ts';
import { objectWorkflowId, type WorkflowKind } from '../../domain/model/workflow-ids.ts';
import type { ObjectEvent } from '../event.ts';
import { ignore, type Instruction } from '../instruction.ts';

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
