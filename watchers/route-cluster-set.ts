import type { ClusterSet } from '../crds/cluster-set.ts';
import { clusterSetId, keyOf } from '../domain/ids.ts';
import type { ObjectEvent } from './event.ts';
import { ignore } from './instruction.ts';
import type { Instruction } from './instruction.ts';

/** Says who has to hear of an event about a ClusterSet; that its status was written is no news. */
export function routeClusterSet(event: ObjectEvent<ClusterSet>): readonly Instruction[] {
  const key = keyOf(event.object);
  switch (event.type) {
    case 'delete':
      return [{ do: 'Signal', workflowId: clusterSetId(key), signal: 'changed' }];
    case 'update':
      if (event.object.metadata.generation === event.old.metadata.generation) return ignore('unchanged');
      return [{ do: 'Start', workflow: 'clusterSet', key }];
    case 'add':
      return [{ do: 'Start', workflow: 'clusterSet', key }];
  }
}
