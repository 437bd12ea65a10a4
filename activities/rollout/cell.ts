import { freezesIn } from '../kubernetes/freezes.ts';
import type { Client } from '@temporalio/client';
import type { TellEvent } from '../../clients/datadog/events.ts';
import { outsideEvent } from '../../domain/rollout/outside-events.ts';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import { digest } from '../../clients/digest.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import { cell as cellKind, type Cell, type CellSpec, type WrittenCellSpec } from '../../crds/cell.ts';
import { withRefusals } from '../../domain/access/forwarding-access.ts';
import { freezesOf } from '../../domain/gates/freeze.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { loadBalancerTypes, routeOf, targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import type { ObservedCell } from '../../domain/model/observation.ts';
import { mayAdopt, selectTargetGroups, watchedInput } from '../../domain/versions/watched.ts';
import type { CellActivities } from '../contract.ts';
import {
  isApplied,
  isOwnedByCell,
  readConfig,
  sequenceOf,
  configViewOf,
} from '../load-balancers/config-object.ts';
import { readLostRun } from './lost-run.ts';
import { statusReporter } from '../kubernetes/status-reporter.ts';

/** What the activities of a Cell are made of. */
export interface CellDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  /** Tells somebody outside of what happens; nobody waits for that. Undefined: nobody is told. */
  readonly tellEvent?: TellEvent | undefined;
}

/** Makes the activities that look at a Cell and report on it. */
export function cellActivities({ kubernetes, temporal, tellEvent }: CellDependencies): CellActivities {
  const report = statusReporter(kubernetes);
  return {
    observeCell: (key) => observeCell(kubernetes, key),
    async reportCell({ key, uid, status, events }) {
      await report(CELL, { key, uid }, status, events);
      for (const event of events) {
        const outside = outsideEvent(key, event);
        if (outside !== undefined) tellEvent?.(`${uid}/${event.id}`, outside);
      }
    },
    readLostRun: ({ workflowId, runId }) => readLostRun(temporal, workflowId, runId),
  };
}

/** How objects are read. */
type Reader = Pick<KubernetesClient, 'get' | 'list'>;

/** Reads the Cell, and all that its rollout depends on. */
export async function observeCell(kubernetes: Reader, key: ObjectKey): Promise<ObservedCell> {
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined) return observeWithoutCell(kubernetes, key);
  if (cell.spec.applications !== undefined) return { ...nothingOf(key), hasApplications: true };
  const [groups, configured, freezes, access] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
    observeConfig(kubernetes, cell, key),
    freezesIn(kubernetes),
    accessPolicies(kubernetes).of(key.namespace),
  ]);
  const inRule = [...configured.weighted, ...(configured.desired ?? [])];
  const seen = {
    ...configured,
    key,
    digest: digest(watchedInput(cell, groups, access)),
    selected: withRefusals(selectTargetGroups(cell.spec, groups), access, inRule),
    freezes: freezesOf(key.namespace, freezes),
  };
  if (cell.metadata.deletionTimestamp !== undefined) return seen;
  const parsed = cellKind.parse(cell);
  return {
    ...seen,
    cell: {
      uid: cell.metadata.uid ?? '',
      generation: cell.metadata.generation ?? 0,
      spec: withIngress(parsed.ok ? parsed.value : cell.spec),
      status: cell.status ?? {},
      problems: parsed.ok ? [] : parsed.problems,
      adopt: mayAdopt(cell.metadata),
    },
  };
}

/** The API server may have let a Cell pass that has none; the problems with its spec say so. */
const withIngress = (spec: WrittenCellSpec): CellSpec => ({ ...spec, ingress: spec.ingress ?? { type: '' } });

/** What is left of a Cell that is gone: a configuration object that stays until what it has made is deleted. */
async function observeWithoutCell(kubernetes: Reader, key: ObjectKey): Promise<ObservedCell> {
  const nothing = nothingOf(key);
  for (const type of loadBalancerTypes) {
    const config = await readConfig(kubernetes, { type, key });
    if (config === undefined || !isOwnedByCell(config)) continue;
    const { deletion } = configViewOf({ type, key }, config);
    if (deletion.isUnderWay && deletion.isHeld) return { ...nothing, deletion, configType: type };
  }
  return nothing;
}

const NO_CONFIG = { weighted: [], sequence: 0, isApplied: true } as const;

const nothingOf = (key: ObjectKey): ObservedCell => ({
  key,
  digest: '',
  selected: [],
  freezes: [],
  ...NO_CONFIG,
});

/** Reads what the Cell's configuration object says; one that is being deleted says nothing any more. */
async function observeConfig(
  kubernetes: Reader,
  { spec }: Cell,
  key: ObjectKey,
): Promise<
  Pick<
    ObservedCell,
    'weighted' | 'desired' | 'observedForwarding' | 'deletion' | 'sequence' | 'isApplied' | 'configType'
  >
> {
  const route = routeOf(spec);
  if (route === undefined) return NO_CONFIG;
  const ref = { type: route.type, key };
  const object = await readConfig(kubernetes, ref);
  if (object === undefined) return NO_CONFIG;
  const config = configViewOf(ref, object);
  const { deletion } = config;
  const common = { sequence: sequenceOf(object), deletion, configType: route.type };
  if (deletion.isUnderWay) return { ...NO_CONFIG, ...common };
  const { observed } = config.status;
  const known = { ...common, desired: targetGroupsOf(config.desired), isApplied: isApplied(config) };
  return observed === undefined
    ? { ...NO_CONFIG, ...known }
    : { ...known, weighted: targetGroupsOf(observed), observedForwarding: observed };
}
