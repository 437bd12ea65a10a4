import { digest } from '../../clients/digest.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { fieldsIn, recordsIn } from '../../domain/model/shape.ts';

interface Deployed {
  readonly metadata: {
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: unknown;
    readonly ownerReferences?: unknown;
  };
  readonly spec?: unknown;
  readonly operation?: unknown;
  readonly status?: unknown;
}

/** What Argo CD writes into an Application every few minutes is much, and little of it decides whether an application is deployed: that, in a word. */
export function applicationSays({ metadata, ...object }: Deployed): string {
  const { spec, operation, status } = object;
  const { destination, source, sources } = fieldsIn(spec);
  const { sync, health, operationState, reconciledAt } = fieldsIn(status);
  const { status: synced, comparedTo } = fieldsIn(sync);
  return inAWord([
    [metadata.ownerReferences, metadata.deletionTimestamp !== undefined],
    [destination, source, sources, operation !== undefined],
    [synced, comparedTo, fieldsIn(health)['status'], fieldsIn(operationState)['phase'], reconciledAt],
  ]);
}

/** The same of an ApplicationSet, whose status lists how each of its Applications is. */
export function applicationSetSays({ metadata, status }: Deployed): string {
  const conditions = recordsIn(fieldsIn(status)['conditions'])
    .filter(({ type }) => type === 'ResourcesUpToDate' || type === 'ErrorOccurred')
    .map(({ type, status: holds, message }) => [type, holds, message]);
  return inAWord([metadata.uid, metadata.labels, conditions]);
}

const inAWord = (said: unknown): string => digest(canonical(said));
