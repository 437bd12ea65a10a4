import { AWS_TARGET_GROUP, CELL, FREEZE } from '../clients/kinds.ts';
import { digest } from '../clients/digest.ts';
import { isNotFound, type KubernetesClient } from '../clients/kubernetes.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import { cell as cellKind, type Cell } from '../crds/cell.ts';
import type { Freeze } from '../crds/freeze.ts';
import { freezesOf } from '../domain/freeze.ts';
import type { ObjectKey } from '../domain/ids.ts';
import { SEQUENCE_ANNOTATION } from '../domain/labels.ts';
import { routeOf } from '../domain/load-balancer.ts';
import type { ObservedCell } from '../domain/observation.ts';
import { mayAdopt, selectTargetGroups, watchedInput } from '../domain/watched.ts';
import type { CellActivities } from './contract.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { ConfigObject } from './load-balancers/port.ts';
import { statusReporter } from './status-reporter.ts';

/** Makes the activities that look at a Cell and report on it. */
export function cellActivities(kubernetes: KubernetesClient): CellActivities {
  const report = statusReporter(kubernetes);
  return {
    observeCell: (key) => observe(kubernetes, key),
    reportCell: ({ key, uid, status, events }) => report(CELL, { key, uid }, status, events),
  };
}

async function observe(kubernetes: KubernetesClient, key: ObjectKey): Promise<ObservedCell> {
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined) return { key, digest: '', selected: [], freezes: [], served: [], sequence: 0 };
  const [groups, configured, freezes] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
    observeConfig(kubernetes, cell, key),
    freezesIn(kubernetes),
  ]);
  const seen = {
    ...configured,
    key,
    digest: digest(watchedInput(cell, groups)),
    selected: selectTargetGroups(cell.spec, groups),
    freezes: freezesOf(key.namespace, freezes),
  };
  if (cell.metadata.deletionTimestamp !== undefined) return seen;
  const parsed = cellKind.parseSpec(cell.spec);
  return {
    ...seen,
    cell: {
      uid: cell.metadata.uid ?? '',
      generation: cell.metadata.generation ?? 0,
      spec: parsed.ok ? parsed.value : cell.spec,
      status: cell.status ?? {},
      problems: parsed.ok ? [] : parsed.problems,
      adopt: mayAdopt(cell.metadata),
    },
  };
}

/** All Freezes; none while the kind is not installed. */
async function freezesIn(kubernetes: KubernetesClient): Promise<readonly Freeze[]> {
  try {
    return await kubernetes.list<Freeze>(FREEZE);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Reads what the Cell's configuration object says; one that is being deleted says nothing any more. */
async function observeConfig(
  kubernetes: KubernetesClient,
  { spec }: Cell,
  key: ObjectKey,
): Promise<Pick<ObservedCell, 'served' | 'serving' | 'deletionPolicy' | 'sequence'>> {
  const none = { served: [], sequence: 0 };
  const route = routeOf(spec);
  if (route === undefined) return none;
  const loadBalancer = loadBalancerOf(route.type);
  const config = await kubernetes.get<ConfigObject>(loadBalancer.kind, key);
  if (config === undefined) return none;
  const sequence = Number(config.metadata.annotations?.[SEQUENCE_ANNOTATION] ?? 0);
  if (config.metadata.deletionTimestamp !== undefined) return { ...none, sequence };
  const { served, deletionPolicy } = loadBalancer.read(config);
  if (served === undefined) return { ...none, sequence, deletionPolicy };
  return { served: served.targetGroups, serving: served, deletionPolicy, sequence };
}
