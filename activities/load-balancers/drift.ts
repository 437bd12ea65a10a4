import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { objectStart } from '../../clients/temporal/workflow-start.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { placeOf, type LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { drifted } from '../../workflows/messages.ts';
import { isOwnedByCell, dependenciesOf } from './config-object.ts';
import type { DriftActivities } from '../contract.ts';
import { loadBalancerOf } from './index.ts';
import type { ConfigObject } from './port.ts';

/** What the watch over places is made of. */
export interface DriftDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  readonly elbv2: (arn: string) => ELBv2;
  readonly installation: Installation;
  readonly taskQueue: string;
}

/** Makes the activities that compare a place with what the objects say. */
export function driftActivities(dependencies: DriftDependencies): DriftActivities {
  const { kubernetes, temporal, taskQueue } = dependencies;
  return {
    async findDrift({ type, place }) {
      const loadBalancer = loadBalancerOf(type);
      const objects = await configsOf(kubernetes, type, place);
      const watched = objects
        .map((object) => ({ object, ...loadBalancer.read(object) }))
        .filter(({ desired }) => placeOf(desired) === place);
      // What is not applied yet is being worked at; only what was served can have drifted.
      const mirrored = watched.flatMap(({ object, observed }) =>
        observed === undefined || object.status?.phase === 'Error' || placeOf(observed) !== place
          ? []
          : [{ key: keyOf(object), observed }],
      );
      if (mirrored.length === 0) return { watched: watched.length, drifted: [] };
      const calls = loadBalancer.connect(dependenciesOf(dependencies));
      const found = await calls.drift(place, mirrored, Context.current().cancellationSignal);
      const owned = new Set(
        watched.filter(({ object }) => isOwnedByCell(object)).map(({ object }) => idOf(object)),
      );
      return {
        watched: watched.length,
        drifted: found.map((drift) => ({ ...drift, isOwnedByCell: owned.has(formatKey(drift.key)) })),
      };
    },
    async wakeWriter({ isOwnedByCell: isOwned, ...ref }) {
      const kind = isOwned ? 'Cell' : (`${ref.type}Config` as const);
      const { type, options } = objectStart({ kind, key: ref.key }, taskQueue);
      await temporal.workflow.signalWithStart(type, { ...options, signal: drifted.name, signalArgs: [] });
    },
  };
}

const idOf = (object: ConfigObject): string => formatKey(keyOf(object));

/** The objects that name a place; an API server that cannot select by it (before 1.31) gives all of them. */
async function configsOf(
  kubernetes: KubernetesClient,
  type: LoadBalancerType,
  place: string,
): Promise<readonly ConfigObject[]> {
  const loadBalancer = loadBalancerOf(type);
  const { kind } = loadBalancer;
  const fieldSelector = loadBalancer.selector?.(place);
  if (fieldSelector === undefined) return kubernetes.list<ConfigObject>(kind);
  try {
    return await kubernetes.list<ConfigObject>(kind, { fieldSelector });
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 400) return kubernetes.list<ConfigObject>(kind);
    throw error;
  }
}
