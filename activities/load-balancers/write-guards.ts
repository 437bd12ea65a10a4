import { Context } from '@temporalio/activity';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { failure } from '../failure.ts';
import { readConfig } from './config-object.ts';

/** Keeps from writing what the object does not ask for any more; it may have been taken back since the attempt began. */
export async function refuseWhenAskedOtherwise(
  kubernetes: KubernetesClient,
  { key, desired: { type }, generation }: LoadBalancerConfigView,
): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const now = (await readConfig(kubernetes, { type, key }, signal))?.metadata.generation;
  if (now === generation) return;
  throw failure(
    'Superseded',
    `Expected ${type}Config ${formatKey(key)} to ask for the same as when the attempt began (generation ${generation}), got ${now ?? 'no such object'}.`,
  );
}
