import { FINALIZER } from '../domain/labels.ts';
import { beating } from './beat.ts';
import { isOwnedByCell, readConfig, viewOf } from './config-object.ts';
import { configWriter, type AttemptOptions, type WriterDependencies } from './config-writer.ts';
import type {
  ConfigRequest,
  ConfigResult,
  LoadBalancerConfigActivities,
  LoadBalancerConfigRef,
} from './contract.ts';
import { hold, letGo, type Held } from './finalizers.ts';
import { loadBalancerOf } from './load-balancers/index.ts';

/** Makes the activities that apply an object which configures a load balancer, and remove what it has made. */
export function loadBalancerConfigActivities(dependencies: WriterDependencies): LoadBalancerConfigActivities {
  const { kubernetes } = dependencies;
  const writer = configWriter(dependencies);

  async function apply({ ref, ...request }: ConfigRequest, signal: AbortSignal): Promise<ConfigResult> {
    const object = await readConfig(kubernetes, ref, signal);
    if (object === undefined || isOwnedByCell(object)) return { is: 'Gone' };
    const config = viewOf(ref, object);
    const { policy, isHeld, isUnderWay } = config.deletion;
    if (isUnderWay) return remove({ ref, ...request }, signal);
    if (policy === 'Delete' && !isHeld) await hold(kubernetes, heldBy(ref));
    if (policy === 'Retain' && isHeld) await letGo(kubernetes, heldBy(ref));
    // After an attempt that failed nobody knows whether it was applied.
    const verify = request.verify || config.status.phase === 'Error';
    const applied = await writer.apply(config, { ...attempt(request, signal), verify });
    return applied.is === 'Served' ? { is: 'Served' } : applied;
  }

  async function remove(
    { ref, ...request }: Omit<ConfigRequest, 'verify'>,
    signal: AbortSignal,
  ): Promise<ConfigResult> {
    const object = await readConfig(kubernetes, ref, signal);
    if (object === undefined) return { is: 'Gone' };
    const config = viewOf(ref, object);
    if (!config.deletion.isHeld) return { is: 'Gone' };
    if (config.deletion.policy === 'Delete') {
      const notYet = await writer.remove(config, attempt(request, signal));
      if (notYet !== undefined) return notYet;
    }
    await letGo(kubernetes, heldBy(ref));
    return { is: 'Gone' };
  }

  return {
    applyLoadBalancerConfig: (request) => beating((signal) => apply(request, signal)),
    removeLoadBalancerConfig: (request) => beating((signal) => remove(request, signal)),
    releaseLoadBalancerConfig: (ref) => letGo(kubernetes, heldBy(ref)),
  };
}

const attempt = ({ ticket }: Pick<ConfigRequest, 'ticket'>, signal: AbortSignal): AttemptOptions => ({
  urgent: false,
  verify: false,
  ticket,
  signal,
});

const heldBy = ({ type, key }: LoadBalancerConfigRef): Held => ({
  kind: loadBalancerOf(type).kind,
  key,
  finalizer: FINALIZER,
});
