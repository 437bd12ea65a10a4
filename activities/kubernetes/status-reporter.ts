import { EVENT, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { statusSchemaOf } from '../../crds/status-schema.ts';
import { isConflict, isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { fitted } from '../../domain/rollout/fitted.ts';
import { metadataOf, type ObjectKey } from '../../domain/model/ids.ts';
import type { ReportedEvent } from '../../domain/rollout/report.ts';
import { cutToBytes } from '../../domain/text.ts';

/** The object that a report is about. */
export interface Reported {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The version of the object that the report is about; when there is another by now, the report throws. */
  readonly resourceVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Writes a status by server-side apply, as long as it may be, with the Events that belong to it. An object that is gone is left alone, which it answers with `Gone`. */
export type StatusReporter = (
  kind: KindRef,
  about: Reported,
  status: object,
  events: readonly ReportedEvent[],
) => Promise<'Written' | 'Gone'>;

type Writer = Pick<KubernetesClient, 'apply' | 'create'>;

/** Makes the one writer of statuses and Events. */
export function statusReporter(kubernetes: Writer): StatusReporter {
  return async (kind, { key, uid, resourceVersion, signal }, status, events) => {
    const emitted = Promise.all(
      events.map((event, index) => emit(kubernetes, { kind, key, uid, index, signal }, event)),
    );
    emitted.catch(() => undefined);
    try {
      await kubernetes.apply(
        {
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          // The uid keeps the apply from creating or changing another object of the same name.
          metadata: {
            ...metadataOf(key),
            uid,
            ...(resourceVersion === undefined ? {} : { resourceVersion }),
          },
          status: fitted({ ...status, lastSyncTime: new Date().toISOString() }, statusSchemaOf(kind.kind)),
        },
        { subresource: 'status', force: true, signal },
      );
    } catch (error) {
      const isOther = isConflict(error) && resourceVersion === undefined;
      if (!isNotFound(error) && !isOther) throw error;
      await emitted;
      return 'Gone';
    }
    await emitted;
    return 'Written';
  };
}

// What the API server takes of an Event (events.k8s.io/v1), in bytes.
const LONGEST_NOTE_BYTES = 1024;

interface Emitting extends Reported {
  readonly kind: KindRef;
  /** How many Events of the same report come before it. */
  readonly index: number;
}

async function emit(kubernetes: Writer, about: Emitting, event: ReportedEvent): Promise<void> {
  const { kind, index, signal } = about;
  // Those of one report are sent at once; the microseconds keep them in order for those who sort them by time.
  const time = new Date().toISOString().replace('Z', `${String(index).padStart(3, '0')}Z`);
  try {
    await kubernetes.create(
      {
        apiVersion: EVENT.apiVersion,
        kind: EVENT.kind,
        // The Events of an object that is in no namespace are in this one, as those of nodes are.
        metadata: { namespace: about.key.namespace || 'default', name: `${about.key.name}.${event.id}` },
        type: event.type,
        reason: event.reason,
        note: cutToBytes(event.message, LONGEST_NOTE_BYTES),
        action: event.reason,
        reportingController: 'okra.mumo.co/okrad',
        reportingInstance: 'okrad',
        eventTime: time,
        regarding: { apiVersion: kind.apiVersion, kind: kind.kind, ...metadataOf(about.key), uid: about.uid },
      },
      { signal },
    );
  } catch (error) {
    // An earlier attempt of the same report has emitted it, or the namespace is being deleted.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
