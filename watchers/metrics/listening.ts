import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import {
  isForbidden,
  isNotFound,
  type KubernetesClient,
  type WatchEvent,
  type WatchOptions,
} from '../../clients/kubernetes/kubernetes.ts';
import type { SnapshotOptions } from '../../clients/kubernetes/kubernetes-list.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { parseTime } from '../../domain/time.ts';

/** What a Cell waits for, and since when. */
export interface Held {
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Why a Cell does not go on, in one word; undefined when it does, or when there is nothing to do. */
export function heldBy(status: CellStatus = {}): string | undefined {
  const { phase, reason = '', conditions = [] } = status;
  const holds = (type: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === 'True');
  if (phase === undefined || holds('Ready')) return undefined;
  const waits = phase === 'Waiting' || phase === 'Pending' || reason.startsWith('WaitingFor');
  const isHeld = waits || (holds('Progressing') && holds('Degraded'));
  return isHeld ? word(reason) : undefined;
}

/** What a Cell waits for now, and since when, by what was known of it before. */
export function heldSince(cell: Cell, before: Held | undefined, now: number): Held | undefined {
  const reason = heldBy(cell.status);
  if (reason === undefined) return undefined;
  if (before?.reason === reason) return before;
  const { lastSyncTime, rollout } = cell.status ?? {};
  const told = reason === 'WaitingForResume' ? rollout?.paused?.time : undefined;
  return { reason, since: Math.min(now, parseTime(told ?? lastSyncTime) ?? now) };
}

/** A reason as a label: a status is a text that others may write as well. */
export const word = (text: string): string => (/^[A-Z][A-Za-z0-9]{0,63}$/.test(text) ? text : 'Other');

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
