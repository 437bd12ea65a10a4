import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../clients/kinds.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import { ADOPT_ANNOTATION } from '../domain/labels.ts';
import type { LoadBalancerConfigActivities } from './contract.ts';
import { statusReporter } from './status-reporter.ts';

/** Makes the activities that look at a load balancer configuration and report on it. */
export function loadBalancerConfigActivities(kubernetes: KubernetesClient): LoadBalancerConfigActivities {
  const report = statusReporter(kubernetes);
  return {
    async observeLoadBalancerConfig(key) {
      const config = await kubernetes.get<AWSApplicationLoadBalancerConfig>(
        AWS_APPLICATION_LOAD_BALANCER_CONFIG,
        key,
      );
      if (config === undefined || config.metadata.deletionTimestamp !== undefined) return { key };
      const { metadata, spec, status = {} } = config;
      return {
        key,
        config: {
          uid: metadata.uid ?? '',
          generation: metadata.generation ?? 0,
          spec,
          status,
          adopt: metadata.annotations?.[ADOPT_ANNOTATION] === 'true',
        },
      };
    },
    reportLoadBalancerConfig: ({ key, uid, status, events }) =>
      report(AWS_APPLICATION_LOAD_BALANCER_CONFIG, { key, uid }, status, events),
  };
}
