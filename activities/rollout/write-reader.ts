import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { untilGivenUp } from '../../clients/concurrency.ts';
import type { Access } from '../../domain/access/access.ts';
import type { ShiftRequest } from '../contract.ts';
import { readSources, type CellSources } from './observe-cell.ts';
import type { SurroundingsRead, SurroundingsReader } from './surroundings.ts';

/** What is read of the cluster besides the configuration object, once for a write. */
export interface WriteReader {
  /** Begins to read, so that nobody has to wait for it. */
  readonly begin: () => void;
  /** What the namespace may use. */
  readonly access: () => Promise<Access | undefined>;
  /** Reads the Cell, for the next decision, with what there is around it. */
  readonly sources: () => { readonly at: number; readonly read: Promise<CellSources | undefined> };
}

/** What is read with. */
export interface ReadingMeans {
  readonly kubernetes: KubernetesClient;
  readonly surroundings: SurroundingsReader;
  readonly signal: AbortSignal;
}

/** Makes the reader of one write. */
export function writeReader(
  { cell: { key }, listVersions }: ShiftRequest,
  { kubernetes, surroundings, signal }: ReadingMeans,
): WriteReader {
  let begun: SurroundingsRead | undefined;
  const begin = (): SurroundingsRead => {
    if (begun === undefined) {
      begun = surroundings.recent(key.namespace, listVersions);
      begun.read.catch(() => undefined);
    }
    return begun;
  };
  return {
    begin: () => void begin(),
    access: async () => (await untilGivenUp(begin().read, signal)).access,
    sources: () => {
      const { at, read: around } = begin();
      const read = readSources(kubernetes, key, around);
      read.catch(() => undefined);
      return { at, read };
    },
  };
}
