import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { routeOf } from '../../domain/load-balancers/load-balancer.ts';
import type { ObservedCell } from '../../domain/model/observation.ts';
import type { ShiftRequest } from '../contract.ts';
import { observeCell, observedFrom, type CellSources } from './observe-cell.ts';
import type { SurroundingsReader } from './surroundings.ts';

/** How old what was read while the load balancer was written may be, in milliseconds, before it is read again. */
const OLD_MS = 2_000;

/** What was read during a write. */
export interface Around {
  readonly config: LoadBalancerConfigView | undefined;
  readonly sources: { readonly at: number; readonly read: Promise<CellSources | undefined> };
}

interface LookingMeans {
  readonly kubernetes: KubernetesClient;
  readonly surroundings: SurroundingsReader;
}

/** Looks at the Cell after a write; that this fails does not undo the write. */
export async function lookAgain(
  { cell: { key }, forwarding, sequence }: ShiftRequest,
  { config, sources: { at, read } }: Around,
  { kubernetes, surroundings }: LookingMeans,
): Promise<ObservedCell | undefined> {
  try {
    const sources = Date.now() - at > OLD_MS ? undefined : await read;
    const isSame = sources !== undefined && routeOf(sources.cell.spec)?.type === forwarding.type;
    if (config === undefined || !isSame) return await observeCell(kubernetes, key, surroundings.now);
    return observedFrom(sources, { config, sequence }, key);
  } catch {
    return undefined;
  }
}
