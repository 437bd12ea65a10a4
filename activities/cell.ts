import { AWS_APPLICATION_LOAD_BALANCER_CONFIG, AWS_TARGET_GROUP, CELL, FREEZE } from '../clients/kinds.ts';
import { digest } from '../clients/digest.ts';
import { isNotFound, type KubernetesClient } from '../clients/kubernetes.ts';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import { cell as cellKind, type Cell } from '../crds/cell.ts';
import type { Freeze } from '../crds/freeze.ts';
import { freezesOf } from '../domain/freeze.ts';
import type { ObjectKey } from '../domain/ids.ts';
import { SEQUENCE_ANNOTATION } from '../domain/labels.ts';
import { servedRule } from '../domain/load-balancer-status.ts';
import type { ObservedCell } from '../domain/observation.ts';
import { selectTargetGroups, watchedInput } from '../domain/watched.ts';
import type { CellActivities } from './contract.ts';
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
  const [cell, groups, config, freezes] = await Promise.all([
    kubernetes.get<Cell>(CELL, key),
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
    kubernetes.get<AWSApplicationLoadBalancerConfig>(AWS_APPLICATION_LOAD_BALANCER_CONFIG, key),
    freezesIn(kubernetes),
  ]);
  const served = config?.status === undefined ? undefined : servedRule(config.status);
  const base = {
    key,
    freezes: freezesOf(key.namespace, freezes),
    served: served?.rule.forward.targetGroups ?? [],
    sequence: Number(config?.metadata.annotations?.[SEQUENCE_ANNOTATION] ?? 0),
    ...(served === undefined ? {} : { rule: served.rule }),
  };
  if (cell === undefined) return { ...base, digest: '', selected: [] };
  const seen = {
    ...base,
    digest: digest(watchedInput(cell, groups)),
    selected: selectTargetGroups(cell.spec, groups),
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
