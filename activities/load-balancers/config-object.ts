import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { FINALIZER, SEQUENCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { sameRuleOrListener, type Route } from '../../domain/load-balancers/load-balancer.ts';
import { mayAdopt } from '../../domain/versions/watched.ts';
import type { LoadBalancerConfigRef } from '../contract.ts';
import { loadBalancerOf } from './index.ts';
import type { ConfigObject, LoadBalancerDependencies } from './port.ts';

/** Reads an object that configures a load balancer; undefined when there is none. */
export const readConfig = (
  kubernetes: Pick<KubernetesClient, 'get'>,
  { type, key }: LoadBalancerConfigRef,
  signal?: AbortSignal,
): Promise<ConfigObject | undefined> =>
  kubernetes.get<ConfigObject>(loadBalancerOf(type).kind, key, signal === undefined ? {} : { signal });

/** What an object that configures a load balancer says. */
export function configViewOf(
  { type, key }: LoadBalancerConfigRef,
  object: ConfigObject,
): LoadBalancerConfigView {
  const { metadata, status = {} } = object;
  const { desired, observed, deletionPolicy } = loadBalancerOf(type).read(object);
  const { observedGeneration, phase, reason, message, conditions } = status;
  return {
    key,
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    resourceVersion: metadata.resourceVersion,
    sequence: sequenceOf(object),
    desired,
    status: { observedGeneration, phase, reason, message, conditions, observed },
    adopt: mayAdopt(metadata),
    deletion: { policy: deletionPolicy, ...deletionOf(metadata) },
  };
}

/** Whether a configuration object is being deleted, and whether Okra holds it until what it has made is dealt with. */
export const deletionOf = ({ finalizers, deletionTimestamp }: ConfigObject['metadata']) => ({
  isHeld: finalizers?.includes(FINALIZER) === true,
  isUnderWay: deletionTimestamp !== undefined,
});

/** What load balancers are reached with, by those who can read objects. */
export const dependenciesOf = ({
  kubernetes,
  elbv2,
  installation,
}: Pick<LoadBalancerDependencies, 'elbv2' | 'installation'> & {
  readonly kubernetes: KubernetesClient;
}): LoadBalancerDependencies => ({
  elbv2,
  installation,
  desiredOf: async (ref, signal) => {
    const object = await readConfig(kubernetes, ref, signal);
    return object === undefined || object.metadata.deletionTimestamp !== undefined
      ? undefined
      : configViewOf(ref, object);
  },
});

/** How many writes to a Cell's configuration were made. */
export function sequenceOf(object: ConfigObject | undefined): number {
  const sequence = Number(object?.metadata.annotations?.[SEQUENCE_ANNOTATION] ?? 0);
  // Whoever may edit the object may edit this annotation: after a text that is no number, or the largest number, no write could be the next.
  return Number.isSafeInteger(sequence) && sequence >= 0 ? sequence : 0;
}

/** Whether the workflow of a Cell is the one who writes what an object configures. */
export const isOwnedByCell = ({ metadata }: ConfigObject): boolean => controllerOf(metadata)?.kind === 'Cell';

/** Whether someone has written an object by hand, for another rule than that of the Cell with its name. */
export const isByHandElsewhere = (ref: LoadBalancerConfigRef, object: ConfigObject, route: Route): boolean =>
  controllerOf(object.metadata) === undefined &&
  object.metadata.annotations?.[SEQUENCE_ANNOTATION] === undefined &&
  !sameRuleOrListener(configViewOf(ref, object).desired, route);

/** Whether the status says that ELBv2 serves what the object asks for. */
export const isApplied = ({ generation, status }: LoadBalancerConfigView): boolean =>
  status.observedGeneration === generation && status.phase !== 'Error';
