import type { KubernetesClient } from '../clients/kubernetes.ts';
import { FINALIZER } from '../domain/labels.ts';
import { mayAdopt } from '../domain/watched.ts';
import type { LoadBalancerConfigActivities, LoadBalancerConfigRef } from './contract.ts';
import { hold, letGo, type Held } from './finalizers.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { ConfigObject } from './load-balancers/port.ts';
import { statusReporter } from './status-reporter.ts';
import { targetDeploymentReporter } from './target-deployment.ts';

/** Makes the activities that look at a load balancer configuration and report on it. */
export function loadBalancerConfigActivities(kubernetes: KubernetesClient): LoadBalancerConfigActivities {
  const report = statusReporter(kubernetes);
  const reportDeployment = targetDeploymentReporter(kubernetes);
  return {
    async observeLoadBalancerConfig({ type, key }) {
      const loadBalancer = loadBalancerOf(type);
      const object = await kubernetes.get<ConfigObject>(loadBalancer.kind, key);
      if (object === undefined) return { key };
      const { metadata, status = {} } = object;
      const isUnderWay = metadata.deletionTimestamp !== undefined;
      const isHeld = metadata.finalizers?.includes(FINALIZER) === true;
      if (isUnderWay && !isHeld) return { key };
      const { asked, served, deletionPolicy } = loadBalancer.read(object);
      const { observedGeneration, phase, reason, message, conditions } = status;
      return {
        key,
        config: {
          uid: metadata.uid ?? '',
          generation: metadata.generation ?? 0,
          asked,
          status: { observedGeneration, phase, reason, message, conditions, served },
          adopt: mayAdopt(metadata),
          deletion: { policy: deletionPolicy, isHeld, isUnderWay },
        },
      };
    },
    async reportLoadBalancerConfig({ type, key, uid, status, events }) {
      const loadBalancer = loadBalancerOf(type);
      const { served, ...said } = status;
      const mirrored = served === undefined ? {} : loadBalancer.status(served);
      await report(loadBalancer.kind, { key, uid }, { ...said, ...mirrored }, events);
      await reportDeployment({ key, uid }, served);
    },
    holdLoadBalancerConfig: (ref) => hold(kubernetes, heldBy(ref)),
    releaseLoadBalancerConfig: (ref) => letGo(kubernetes, heldBy(ref)),
  };
}

const heldBy = ({ type, key }: LoadBalancerConfigRef): Held => ({
  kind: loadBalancerOf(type).kind,
  key,
  finalizer: FINALIZER,
});
