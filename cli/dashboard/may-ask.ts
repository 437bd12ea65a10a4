import type { ObjectKey } from '../../domain/model/ids.ts';
import type { AskName } from '../../domain/model/request.ts';
import { mayAsk } from '../../clients/kubernetes/request-rights.ts';
import { requestVerbs, verbOf, type RequestVerb } from '../../crds/request-names.ts';
import { remembered, type Reading } from './remembered.ts';
import type { MayAsk } from './view.ts';
import type { Viewer } from './viewer.ts';

type Patience = Pick<Reading<[], MayAsk>, 'freshMs' | 'patienceMs' | 'now' | 'late'>;

/** Makes the reader of what Kubernetes lets a person ask of a Cell: each request by itself, so that none waits for another. */
export function readMayAsk(
  { session, by }: Viewer,
  key: ObjectKey,
  patience: Patience,
): (name: AskName) => Promise<MayAsk> {
  if (by === undefined) return () => Promise.resolve('No');
  const readers = new Map<RequestVerb, () => Promise<MayAsk>>(
    requestVerbs.Cell.map((verb) => {
      const read = remembered<[], MayAsk>({
        ...patience,
        read: async () => ((await mayAsk(session, verb, { kind: 'Cell', key })) ? 'Yes' : 'No'),
        meanwhile: 'Unknown',
      });
      return [verb, () => read('')];
    }),
  );
  return (name) => readers.get(verbOf(name))?.() ?? Promise.resolve('Unknown');
}
