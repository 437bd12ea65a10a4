import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { applyDefinitions, untilServed, type KubernetesAccess } from './kubernetes.ts';

const definitions = fileURLToPath(new URL('workload-definitions', import.meta.url));

/** Installs the kind of the AWS Load Balancer Controller in a workload cluster, and waits until it is served. */
export const installTargetGroupBindings = (kubernetes: KubernetesAccess): Promise<void> =>
  install(kubernetes, definitions);

/** Installs that of EKS Auto Mode. */
export const installAutoModeBindings = (kubernetes: KubernetesAccess): Promise<void> =>
  install(kubernetes, join(definitions, 'auto-mode'));

async function install(kubernetes: KubernetesAccess, folder: string): Promise<void> {
  await untilServed(kubernetes, await applyDefinitions(kubernetes, folder));
}

/** A TargetGroupBinding as an application brings it into its cluster. */
export const targetGroupBinding = (of: {
  /** That of the AWS Load Balancer Controller, unless it is said. */
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly targetGroupARN?: string;
}) => ({
  apiVersion: of.apiVersion ?? 'elbv2.k8s.aws/v1beta1',
  kind: 'TargetGroupBinding',
  metadata: { namespace: of.namespace ?? 'default', name: of.name, labels: of.labels },
  spec: {
    ...(of.targetGroupARN === undefined ? {} : { targetGroupARN: of.targetGroupARN }),
    serviceRef: { name: of.name, port: 80 },
  },
});
