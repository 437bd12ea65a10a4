import { given, parseJSON } from '../../domain/model/fields.ts';
import { randomUUID } from 'node:crypto';
import { CONFIG_MAP } from '../../clients/kubernetes/kinds.ts';
import { type Identified, isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import { ownedByCell } from '../../activities/kubernetes/owner-references.ts';
import { CELL_LABEL } from '../../domain/kubernetes/labels.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { initialState, type RolloutState } from '../../domain/model/state.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { refused } from '../okractl/shell.ts';

/** By which name the status of a Cell says that its rollout is one of `okra sync cell`, and of no workflow. */
export const BY_OKRA = 'okra sync cell';

interface ConfigMap extends Identified {
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
}

interface Kept {
  readonly runId: string;
  /** The run that the status of the Cell named after the last pass; another one since then is someone else's. */
  readonly statusRun: string | undefined;
  /** Undefined once nothing is left to do: the next rollout begins with nothing. */
  readonly state: RolloutState | undefined;
}

/** Finds what the last pass has kept; what was kept before someone else has taken over counts no more. */
export async function findRollout(
  kubernetes: KubernetesClient,
  cell: { readonly key: ObjectKey; readonly uid: string; readonly status: CellStatus },
) {
  const key = { namespace: cell.key.namespace, name: `okra-cell-${cell.key.name}` };
  const found = await kubernetes.get<ConfigMap>(CONFIG_MAP, key);
  const isOwn = found?.metadata.ownerReferences?.some(({ uid }) => uid === cell.uid) === true;
  // What someone has edited counts for nothing: the status of the Cell says where to continue.
  const kept = isOwn ? (parseJSON(found.data?.['rollout'] ?? '') as Kept | undefined) : undefined;
  const current = kept?.statusRun === cell.status.rollout?.runId ? kept : undefined;
  const runId = current?.state === undefined ? randomUUID() : current.runId;
  let version = found?.metadata.resourceVersion;
  return {
    runId,
    state: current?.state ?? initialState,
    /** Keeps what is known now; refuses when another pass has kept something meanwhile. */
    keep: async (state: RolloutState | undefined, statusRun: string | undefined): Promise<void> => {
      if (state === undefined && version === undefined) return;
      const next: Kept = { runId, statusRun, state };
      const object = {
        apiVersion: CONFIG_MAP.apiVersion,
        kind: CONFIG_MAP.kind,
        metadata: {
          ...key,
          labels: { [CELL_LABEL]: cell.key.name },
          ownerReferences: ownedByCell(cell),
          ...given({ resourceVersion: version }),
        },
        data: { rollout: JSON.stringify(next) },
      };
      try {
        const written = await (version === undefined
          ? kubernetes.create<ConfigMap>(object)
          : kubernetes.patch<ConfigMap>(CONFIG_MAP, key, object));
        version = written.metadata.resourceVersion;
      } catch (error) {
        if (!isConflict(error)) throw error;
        throw refused(
          `cannot sync Cell ${formatKey(cell.key)}: another pass is running at the same time. Run one after the other.`,
        );
      }
    },
  };
}
