import { CELL } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../../crds/cell.ts';
import { saysTheSame, deriveSyncStatus } from '../../../domain/discovery/sync-status.ts';
import type { SyncActivity } from '../../../activities/contract.ts';
import { createReadReporter } from '../../../activities/kubernetes/status-reporter.ts';
import { tally, type Tally } from './tally.ts';

/** Makes the activity of Tallies. */
export function tallyActivities(kubernetes: KubernetesClient): { readonly syncTally: SyncActivity } {
  const report = createReadReporter(kubernetes);
  return {
    async syncTally(key) {
      const object = await kubernetes.get<Tally>(tally, key);
      if (object === undefined) return { isPresent: false, message: 'The Tally is gone.' };
      const cells = await kubernetes.list<Cell>(CELL);
      const counted = cells.filter(({ status }) => status?.phase === object.spec.phase).length;
      const message = `${counted} Cells are ${object.spec.phase}.`;
      const at = { generation: object.metadata.generation ?? 0, time: new Date().toISOString() };
      const status = {
        ...deriveSyncStatus({ message, problems: [] }, object.status ?? {}, at),
        cells: counted,
      };
      if (!saysTheSame(status, object.status)) await report(tally, object, status);
      return { isPresent: true, message };
    },
  };
}
