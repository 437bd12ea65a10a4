import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { emitEvent } from '../../clients/kubernetes/object-event.ts';
import { statusSchemaOf } from '../../crds/status-schema.ts';
import { isConflict, isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { fitted } from '../../domain/rollout/report/fitted.ts';
import { metadataOf, type ObjectKey } from '../../domain/model/ids.ts';
import type { ReportedEvent } from '../../domain/rollout/report/report.ts';

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
      events.map((event, index) => emitEvent(kubernetes, { kind, key, uid, index, signal }, event)),
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
