import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Freeze } from '../../crds/freeze.ts';
import { doubtfulKinds } from '../../domain/gates/doubts.ts';
import { freezesOf, longest, type Freezing } from '../../domain/gates/freeze.ts';
import { doubtAsFreezing } from '../../domain/gates/kinds.ts';
import { definitionOf, GRACE_SECONDS, readWithDefinition } from './definition.ts';

/** Which Freezes are asked for. */
interface FreezesWanted {
  readonly namespaces: Iterable<string>;
  /** When the object that they hold was created: for one younger than the definition of Freezes, none from before can be missing. */
  readonly createdAt: string | undefined;
  readonly graceSeconds?: number | undefined;
}

/** Reads the Freeze that holds an object in some namespaces longest; where Freezes may be missing, one stands for the doubt. */
export async function freezesIn(
  kubernetes: Pick<KubernetesClient, 'get' | 'list' | 'serves'>,
  { namespaces, createdAt = '', graceSeconds = GRACE_SECONDS }: FreezesWanted,
): Promise<readonly Freezing[]> {
  const { found = [], definition } = await readWithDefinition(kubernetes.list<Freeze>(FREEZE), () =>
    definitionOf(kubernetes, FREEZE),
  );
  const now = Date.now();
  const doubts = doubtfulKinds({ Freeze: definition }, { now, graceSeconds }).filter(
    ({ made }) => made === undefined || !(Date.parse(createdAt) >= made.at),
  );
  const holding = [...namespaces].flatMap((namespace) => freezesOf(namespace, found));
  return longest([...holding, ...doubts.map((doubt) => doubtAsFreezing(doubt, now))]);
}
