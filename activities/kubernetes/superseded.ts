import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { failure } from '../failure.ts';

/** Says that a status is not written because it comes late. */
export const superseded = (kind: KindRef, key: ObjectKey): Error =>
  failure(
    'Superseded',
    `Expected to write the next status of ${kind.kind} ${formatKey(key)}, got one there that was written later.`,
  );
