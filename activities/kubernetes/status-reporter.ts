import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { emitEvent } from '../../clients/kubernetes/object-event.ts';
import { statusSchemaOf } from '../../crds/index.ts';
import { isConflict, isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { fitToSchema } from '../../domain/rollout/report/fit.ts';
import { formatKey, keyOf, metadataOf, type ObjectKey } from '../../domain/model/ids.ts';
import type { Metadata } from '../../crds/resource.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { given } from '../../domain/model/fields.ts';
import { failure } from '../failure.ts';
import { retryOnConflict } from './writes.ts';
import type { ReportedEvent } from '../../domain/rollout/report/events.ts';

interface Reported {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The version of the object that the report is about; when there is another by now, the report throws. */
  readonly resourceVersion?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes the one writer of statuses, by server-side apply, and of the Events that belong to them; `Gone`: the object is, and was left alone. */
export function createStatusReporter(kubernetes: Pick<KubernetesClient, 'apply' | 'create'>) {
  return async (
    kind: KindRef,
    { key, uid, resourceVersion, signal }: Reported,
    status: object,
    events: readonly ReportedEvent[] = [],
  ): Promise<'Written' | 'Gone'> => {
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
          metadata: { ...metadataOf(key), uid, ...given({ resourceVersion }) },
          status: fitToSchema(
            { ...status, lastSyncTime: new Date().toISOString() },
            statusSchemaOf(kind.kind),
          ),
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

/** Says that a status is not written because it comes late. */
export const superseded = (kind: KindRef, key: ObjectKey): Error =>
  failure(
    'Superseded',
    `The status of ${kind.kind} ${formatKey(key)} was not written: a later one is there.`,
  );

export interface ReadObject {
  readonly metadata: Metadata;
  readonly status?: object | undefined;
}

/** Makes what writes a status over the version it was made from, or over a later one whose status has not changed since. */
export function createReadReporter(kubernetes: Pick<KubernetesClient, 'get' | 'apply' | 'create'>) {
  const report = createStatusReporter(kubernetes);
  return (kind: KindRef, read: ReadObject, status: object, signal?: AbortSignal): Promise<void> => {
    const key = keyOf(read);
    const { uid = '' } = read.metadata;
    return retryOnConflict(async (attempt) => {
      const object = attempt === 1 ? read : await kubernetes.get<ReadObject>(kind, key, { signal });
      if (object === undefined || object.metadata.uid !== read.metadata.uid) return;
      if (!sameValue(object.status, read.status)) throw superseded(kind, key);
      const { resourceVersion } = object.metadata;
      await report(kind, { key, uid, resourceVersion, signal }, status);
    });
  };
}
