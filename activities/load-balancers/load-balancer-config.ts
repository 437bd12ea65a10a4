import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { mayUse } from '../../domain/access/access.ts';
import { usesOf } from '../../domain/access/forwarding-access.ts';
import { FINALIZER } from '../../domain/kubernetes/labels.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import {
  placeOf,
  samePlace,
  targetGroupsOf,
  withTargetGroups,
} from '../../domain/load-balancers/load-balancer.ts';
import { includes, MAX_TARGET_GROUPS } from '../../domain/load-balancers/weights.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { isOwnedByCell, readConfig, configViewOf } from './config-object.ts';
import { configWriter, type WriterDependencies } from './config-writer.ts';
import type {
  ConfigRequest,
  ConfigResult,
  LoadBalancerConfigActivities,
  LoadBalancerConfigRef,
} from '../contract.ts';
import { reasonOf, toFailure } from '../failure.ts';
import { addFinalizer, removeFinalizer, type FinalizerOf } from '../kubernetes/finalizers.ts';
import { loadBalancerOf } from './index.ts';
import type { ConfigObject } from './port.ts';
import { permit } from '../permit.ts';

/** Makes the activities that apply an object which configures a load balancer, and remove what it has made. */
export function loadBalancerConfigActivities(dependencies: WriterDependencies): LoadBalancerConfigActivities {
  const { kubernetes } = dependencies;
  const writer = configWriter(dependencies);

  async function apply({ ref, ...request }: ConfigRequest, signal: AbortSignal): Promise<ConfigResult> {
    const object = await readConfig(kubernetes, ref, signal);
    if (object === undefined || isOwnedByCell(object)) return { is: 'Gone' };
    const config = configViewOf(ref, object);
    const { policy, isHeld, isUnderWay } = config.deletion;
    if (isUnderWay) return remove({ ref }, signal);
    if (policy === 'Delete' && !isHeld) await addFinalizer(kubernetes, heldBy(ref));
    if (policy === 'Retain' && isHeld) await removeFinalizer(kubernetes, heldBy(ref));
    await allowed(config, signal);
    // After an attempt that failed nobody knows whether it was applied.
    const verify = request.verify || config.status.phase === 'Error';
    const options = { urgent: false, verify, isStandalone: true, signal };
    try {
      await writer.apply(config, options);
      return { is: 'Served' };
    } catch (error) {
      const attached =
        error instanceof Error && reasonOf(error) === 'NoHealthyTargets' && withAttached(config);
      if (attached) await writer.serve(attached, { ...options, refuseOutdated: () => Promise.resolve() });
      throw error;
    }
  }

  /** The object as if it asked for what is served, with the groups that are to receive traffic attached at weight 0, so that ELBv2 checks them. */
  function withAttached(config: LoadBalancerConfigView): LoadBalancerConfigView | undefined {
    const { desired, status } = config;
    if (status.observed === undefined || !samePlace(status.observed, desired)) return undefined;
    const served = targetGroupsOf(status.observed).filter(({ weight }) => weight > 0);
    const joining = targetGroupsOf(desired).filter((one) => one.weight > 0 && !includes(served, one));
    const together = [...served, ...joining.map((one) => ({ ...one, weight: 0 }))];
    if (joining.length === 0 || together.length > MAX_TARGET_GROUPS) return undefined;
    return { ...config, desired: withTargetGroups(desired, together) };
  }

  async function allowed(config: LoadBalancerConfigView, signal: AbortSignal): Promise<void> {
    const uses = usesOf(config.desired, config.status.observed, { takesBack: false });
    if (uses.length === 0) return;
    const access = await accessPolicies(kubernetes).of(config.key.namespace, signal);
    try {
      permit(access, uses);
    } catch (error) {
      const { message } = toFailure(error);
      await writer.report(config, { is: 'Refused', reason: 'NotAllowed', message });
      throw error;
    }
  }

  /** Where to look for what an object has made: not at a place that its namespace may not use, unless it is served there. */
  async function madeBy(
    config: LoadBalancerConfigView,
    signal: AbortSignal,
  ): Promise<LoadBalancerConfigView | undefined> {
    const { desired, key, status } = config;
    const { observed } = status;
    if (observed !== undefined && samePlace(observed, desired)) return config;
    const access = await accessPolicies(kubernetes).of(key.namespace, signal);
    if (mayUse(access, { of: 'Listener', arn: placeOf(desired) })) return config;
    return observed === undefined ? undefined : { ...config, desired: observed };
  }

  /** Whether an object is deleted with its definition, or with that of Cells: then what it has created stays. */
  async function goesWithItsKind({ type }: LoadBalancerConfigRef, object: ConfigObject): Promise<boolean> {
    const kinds = [loadBalancerOf(type).kind, ...(isOwnedByCell(object) ? [CELL] : [])];
    const served = await Promise.all(kinds.map((kind) => kubernetes.serves(kind)));
    return served.includes(false);
  }

  async function remove({ ref }: Pick<ConfigRequest, 'ref'>, signal: AbortSignal): Promise<ConfigResult> {
    const object = await readConfig(kubernetes, ref, signal);
    if (object === undefined) return { is: 'Gone' };
    const config = configViewOf(ref, object);
    if (!config.deletion.isHeld) return { is: 'Gone' };
    const isMeant = config.deletion.policy === 'Delete' && !(await goesWithItsKind(ref, object));
    const made = isMeant ? await madeBy(config, signal) : undefined;
    if (made !== undefined) await writer.remove(made, { urgent: false, verify: false, signal });
    await removeFinalizer(kubernetes, heldBy(ref));
    return { is: 'Gone' };
  }

  return {
    applyLoadBalancer: (request) => withHeartbeat((signal) => apply(request, signal)),
    removeLoadBalancer: (request) => withHeartbeat((signal) => remove(request, signal)),
    releaseLoadBalancer: (ref) => removeFinalizer(kubernetes, heldBy(ref)),
  };
}

const heldBy = ({ type, key }: LoadBalancerConfigRef): FinalizerOf => ({
  kind: loadBalancerOf(type).kind,
  key,
  finalizer: FINALIZER,
});
