import { fileURLToPath } from 'node:url';

import { applyDefinitions, isServed, type KubernetesAccess } from './kubernetes.ts';
import { waitFor } from './wait.ts';

const definitions = fileURLToPath(new URL('workload-definitions', import.meta.url));

/** Installs the kinds of the AWS Load Balancer Controller in a workload cluster, and waits until they are served. */
export async function installTargetGroupBindings(kubernetes: KubernetesAccess): Promise<void> {
  for (const name of await applyDefinitions(kubernetes, definitions)) {
    await waitFor({ what: `${name} to be served` }, () => isServed(kubernetes, name));
  }
}

/** A TargetGroupBinding as an application brings it into its cluster. */
export const targetGroupBinding = (of: {
  readonly namespace?: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly targetGroupARN?: string;
}) => ({
  apiVersion: 'elbv2.k8s.aws/v1beta1',
  kind: 'TargetGroupBinding',
  metadata: { namespace: of.namespace ?? 'default', name: of.name, labels: of.labels },
  spec: {
    ...(of.targetGroupARN === undefined ? {} : { targetGroupARN: of.targetGroupARN }),
    serviceRef: { name: of.name, port: 80 },
  },
});
