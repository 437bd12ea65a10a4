import { metadataOf, type ObjectKey } from '../../domain/model/ids.ts';
import type { ReportedEvent } from '../../domain/rollout/report/events.ts';
import { cutToBytes } from '../../domain/text.ts';
import { EVENT, type KindRef } from './kinds.ts';
import { isConflict, isNotFound, type KubernetesClient } from './kubernetes.ts';

interface EventSubject {
  readonly kind: KindRef;
  readonly key: ObjectKey;
  readonly uid: string;
  /** How many Events that are sent at the same time come before it. */
  readonly index?: number;
  readonly signal?: AbortSignal | undefined;
}

// What the API server takes of an Event (events.k8s.io/v1), in bytes.
const LONGEST_NOTE_BYTES = 1024;

/** Creates an Event of an object. */
export async function emitEvent(
  kubernetes: Pick<KubernetesClient, 'create'>,
  { kind, key, uid, index = 0, signal }: EventSubject,
  event: ReportedEvent,
): Promise<void> {
  // Those that are sent at once are kept in order by the microseconds for those who sort them by time.
  const time = new Date().toISOString().replace('Z', `${String(index).padStart(3, '0')}Z`);
  try {
    await kubernetes.create(
      {
        apiVersion: EVENT.apiVersion,
        kind: EVENT.kind,
        // The Events of an object that is in no namespace are in this one, as those of nodes are.
        metadata: { namespace: key.namespace || 'default', name: `${key.name}.${event.id}` },
        type: event.type,
        reason: event.reason,
        note: cutToBytes(event.message, LONGEST_NOTE_BYTES),
        action: event.reason,
        reportingController: 'okra.mumo.co/okrad',
        reportingInstance: 'okrad',
        eventTime: time,
        regarding: { apiVersion: kind.apiVersion, kind: kind.kind, ...metadataOf(key), uid },
      },
      { signal },
    );
  } catch (error) {
    // It was emitted before, or the namespace is being deleted.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
