import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import { isForbidden, KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { objectStart } from '../../clients/temporal/workflow-start.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { formatKey, keyOf, type ObjectKey } from '../../domain/model/ids.ts';
import { placeOf, targetGroupsOf, type LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { drifted, targetsChanged } from '../../workflows/messages.ts';
import { isOwnedByCell, dependenciesOf } from './config-object.ts';
import type { DriftActivities, DriftFinding, WatchedPlace } from '../contract.ts';
import { loadBalancerOf } from './index.ts';
import { healthOf } from './target-health.ts';
import type { ConfigObject } from './port.ts';

interface DriftDependencies {
  readonly kubernetes: KubernetesClient;
  /** The namespaces whose objects are looked at; none: those of the cluster. */
  readonly watchNamespaces: readonly string[];
  readonly temporal: Client;
  readonly elbv2: (arn: string) => ELBv2;
  readonly installation: Installation;
  readonly taskQueue: string;
}

/** How long something has to differ, in milliseconds: a write is seen at the load balancer before the status says so. */
const CONFIRM_AFTER_MS = 1_000;

/** Makes the activities that compare a place with what the objects say. */
export function driftActivities(dependencies: DriftDependencies): DriftActivities {
  const { temporal, taskQueue } = dependencies;
  return {
    async findDrift(watched) {
      const context = Context.current();
      const { cancellationSignal: signal } = context;
      const first = await compare(watched, dependencies, signal);
      const health = await healthIn(first, watched.unhealthy ?? [], dependencies.elbv2, signal);
      if (first.differing.length === 0) return { ...seenIn(first), ...health, drifted: [] };
      await context.sleep(CONFIRM_AFTER_MS);
      const second = await compare(watched, dependencies, signal);
      const before = new Map(
        first.differing.map(({ drift: { key }, observed }) => [formatKey(key), observed]),
      );
      const twice = second.differing.filter(({ drift: { key }, observed }) =>
        sameValue(before.get(formatKey(key)), observed),
      );
      return { ...seenIn(second), ...health, drifted: twice.map(({ drift }) => drift) };
    },
    async wakeWriter({ isOwnedByCell: isOwned, forTargets, ...ref }) {
      const kind = isOwned ? 'Cell' : (`${ref.type}Config` as const);
      const { type, options } = objectStart({ kind, key: ref.key }, taskQueue);
      const signal = forTargets === true ? targetsChanged.name : drifted.name;
      await temporal.workflow.signalWithStart(type, { ...options, signal, signalArgs: [] });
    },
  };
}

/** Reads the health of the groups that carry traffic, and wakes the Cells of those that lost their last healthy target or have one again; an unread one counts as before. */
async function healthIn(
  { carrying }: Pick<Compared, 'carrying'>,
  before: readonly string[],
  elbv2: DriftDependencies['elbv2'],
  signal: AbortSignal,
): Promise<Pick<DriftFinding, 'unhealthy' | 'changed' | 'isSplit'>> {
  const arns = [...new Set(carrying.flatMap((one) => one.arns))];
  const found = await Promise.all(
    arns.map(async (arn) => {
      const wasSick = before.includes(arn);
      const read = healthOf(elbv2, [arn], signal).then(([health]) => (health?.healthy ?? 0) === 0);
      const isSick = await read.catch(() => wasSick);
      return { arn, isSick, isNew: isSick !== wasSick };
    }),
  );
  const flipped = new Set(found.flatMap(({ arn, isNew }) => (isNew ? [arn] : [])));
  return {
    unhealthy: found.flatMap(({ arn, isSick }) => (isSick ? [arn] : [])),
    changed: carrying.flatMap((one) => (one.arns.some((arn) => flipped.has(arn)) ? [one.key] : [])),
    isSplit: carrying.some((one) => one.arns.length > 1),
  };
}

/** What one comparison has found, with what the status of each object that differs says is served. */
interface Compared {
  readonly watched: number;
  readonly unread: number;
  readonly carrying: readonly { readonly key: ObjectKey; readonly arns: readonly string[] }[];
  readonly differing: readonly {
    readonly drift: DriftFinding['drifted'][number];
    readonly observed: unknown;
  }[];
}

const seenIn = ({ watched, unread }: Compared): Pick<DriftFinding, 'watched' | 'unread'> =>
  unread === 0 ? { watched } : { watched, unread };

async function compare(
  { type, place }: WatchedPlace,
  dependencies: DriftDependencies,
  signal: AbortSignal,
): Promise<Compared> {
  const loadBalancer = loadBalancerOf(type);
  const { objects, unread } = await configsOf(dependencies, type, place);
  const watched = objects
    .map((object) => ({ object, ...loadBalancer.read(object) }))
    .filter(({ desired }) => placeOf(desired) === place);
  // What is not applied yet is being worked at; only what was served can have drifted.
  const mirrored = watched.flatMap(({ object, observed }) =>
    observed === undefined || object.status?.phase === 'Error' || placeOf(observed) !== place
      ? []
      : [{ key: keyOf(object), observed, isOwnedByCell: isOwnedByCell(object) }],
  );
  const carrying = mirrored
    .filter((one) => one.isOwnedByCell)
    .map(({ key, observed }) => ({
      key,
      arns: targetGroupsOf(observed).flatMap(({ arn, weight }) => (weight > 0 ? [arn] : [])),
    }));
  if (mirrored.length === 0) return { watched: watched.length, unread, carrying, differing: [] };
  const calls = loadBalancer.connect(dependenciesOf(dependencies));
  const found = await calls.drift(place, mirrored, signal);
  const byId = new Map(mirrored.map((one) => [formatKey(one.key), one]));
  const differing = found.flatMap((drift) => {
    const one = byId.get(formatKey(drift.key));
    if (one === undefined) return [];
    return [{ drift: { ...drift, isOwnedByCell: one.isOwnedByCell }, observed: one.observed }];
  });
  return { watched: watched.length, unread, carrying, differing };
}

/** The objects that name a place; a namespace that may not be read hides only its own, and does not mean that nothing names it. */
async function configsOf(
  { kubernetes, watchNamespaces }: Pick<DriftDependencies, 'kubernetes' | 'watchNamespaces'>,
  type: LoadBalancerType,
  place: string,
): Promise<{ readonly objects: readonly ConfigObject[]; readonly unread: number }> {
  const namespaces = watchNamespaces.length === 0 ? [undefined] : watchNamespaces;
  const answers = await Promise.allSettled(
    namespaces.map((namespace) => configsIn(kubernetes, { type, place, namespace })),
  );
  const objects = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const errors = answers.flatMap((answer): unknown[] =>
    answer.status === 'rejected' ? [answer.reason] : [],
  );
  const error = errors.length === answers.length ? errors[0] : errors.find((one) => !isForbidden(one));
  if (error !== undefined) throw error;
  return { objects, unread: errors.length };
}

/** The objects of a namespace, or of all, that name a place; an API server that cannot select by it (before 1.31) gives all of them. */
async function configsIn(
  kubernetes: KubernetesClient,
  { type, place, namespace }: WatchedPlace & { readonly namespace: string | undefined },
): Promise<readonly ConfigObject[]> {
  const loadBalancer = loadBalancerOf(type);
  const { kind } = loadBalancer;
  const fieldSelector = loadBalancer.selector?.(place);
  if (fieldSelector === undefined) return kubernetes.list<ConfigObject>(kind, { namespace });
  try {
    return await kubernetes.list<ConfigObject>(kind, { namespace, fieldSelector });
  } catch (error) {
    if (error instanceof KubernetesError && error.status === 400)
      return kubernetes.list<ConfigObject>(kind, { namespace });
    throw error;
  }
}
