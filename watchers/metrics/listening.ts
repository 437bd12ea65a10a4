import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import {
  isForbidden,
  isNotFound,
  type KubernetesClient,
  type WatchEvent,
  type WatchOptions,
} from '../../clients/kubernetes/kubernetes.ts';
import type { SnapshotOptions } from '../../clients/kubernetes/kubernetes-list.ts';

/** Learns something about how a kind is watched, in one namespace or in all. */
export type Heard = (kind: string, namespace: string | undefined) => void;

/** Who is told. */
export interface Listener {
  /** Learns that the API server is asked for a kind. */
  readonly asked: Heard;
  /** Learns that the API server has sent something about it. */
  readonly heard: Heard;
  /** Learns that the API server has no such kind. */
  readonly absent: Heard;
  /** Learns that Okra may not read it. */
  readonly forbidden: Heard;
}

/** The same client, which tells of each list and each event that has come. */
export function listening(
  kubernetes: KubernetesClient,
  { asked, heard, absent, forbidden }: Listener,
): KubernetesClient {
  return {
    ...kubernetes,
    snapshot: async <T>(kind: KindRef, options?: SnapshotOptions<T>) => {
      asked(kind.kind, options?.namespace);
      try {
        const found = await kubernetes.snapshot(kind, options);
        heard(kind.kind, options?.namespace);
        return found;
      } catch (error) {
        if (isNotFound(error)) absent(kind.kind, options?.namespace);
        if (isForbidden(error)) forbidden(kind.kind, options?.namespace);
        throw error;
      }
    },
    watch: <T>(kind: KindRef, options: WatchOptions) =>
      hearing(kubernetes.watch<T>(kind, options), () => heard(kind.kind, options.namespace)),
  };
}

async function* hearing<T>(
  events: AsyncIterable<WatchEvent<T>>,
  heard: () => void,
): AsyncIterable<WatchEvent<T>> {
  for await (const event of events) {
    heard();
    yield event;
  }
}
