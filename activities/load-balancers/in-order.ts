import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { failure } from '../failure.ts';
import { retryOnConflict } from '../kubernetes/writes.ts';
import { configViewOf, readConfig } from './config-object.ts';

/**
 * Writes a status of what an attempt has come to over the version of the object that the attempt was made by. When there
 * is another by now, it is written over that one, unless another attempt has written to it or told of it meanwhile: that
 * is newer than what this one has read back.
 */
export async function inOrder(
  config: LoadBalancerConfigView,
  write: (resourceVersion: string | undefined) => Promise<'Written' | 'Gone'>,
  kubernetes: Pick<KubernetesClient, 'get'>,
): Promise<'Written' | 'Gone'> {
  const { key, uid, desired } = config;
  const ref = { type: desired.type, key };
  if (config.resourceVersion === undefined) return write(undefined);
  return retryOnConflict(async (attempt) => {
    if (attempt === 1) return write(config.resourceVersion);
    const object = await readConfig(kubernetes, ref);
    if (object === undefined || object.metadata.uid !== uid) return 'Gone';
    const present = configViewOf(ref, object);
    if (present.sequence !== config.sequence || !sameValue(present.status, config.status))
      throw failure(
        'Superseded',
        `Expected ${desired.type}Config ${formatKey(key)} to be told of by this attempt next, got another one that has written to it since.`,
      );
    return write(present.resourceVersion);
  });
}
