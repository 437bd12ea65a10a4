import { EVENT } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { until } from '../until.ts';

/** An Event as far as tests look at it. */
export interface Told {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

/** What the Events of a namespace tell, of the objects of a name or of all. */
export async function eventsIn(
  kubernetes: KubernetesClient,
  namespace: string,
  name?: string,
): Promise<readonly Told[]> {
  const fieldSelector = name === undefined ? undefined : `regarding.name=${name}`;
  return await kubernetes.list<Told>(EVENT, { namespace, fieldSelector });
}

/** Waits until an Event tells something: its reason, or a part of what it says. It may come a moment after the status that it is about. */
export async function untilTold(events: () => Promise<readonly Told[]>, what: string): Promise<void> {
  await until(
    `an Event to tell ${what}`,
    async () => (await events()).some(({ reason, note }) => reason === what || note.includes(what)),
    { seen: events },
  );
}
