import type { WorkloadCluster } from '../workload-cluster.ts';
import { targetGroupBinding } from '../target-group-bindings.ts';

/** The AWSTargetGroupSet of the benchmark. */
export const SET = { namespace: 'default', name: 'bench' } as const;

/** The name of a simulated cluster, which is that of its namespace too. */
export const clusterName = (index: number): string => `cluster-${String(index).padStart(2, '0')}`;

/** The name of the AWSTargetGroup of a TargetGroupBinding. */
export const groupName = (cluster: string, binding: string): string => `${cluster}-${binding}`;

/** A namespace of the cluster that plays all clusters. */
export const namespaceFor = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** A TargetGroupBinding in a simulated cluster. */
export const bindingFor = (cluster: string, name: string, targetGroupARN: string) =>
  targetGroupBinding({
    namespace: cluster,
    name,
    labels: { role: 'web', 'okra.mumo.co/version': '1.0.0' },
    targetGroupARN,
  });

/** The Argo CD cluster secret of a simulated cluster: one namespace of the cluster that plays all of them. */
export function secretFor(
  name: string,
  { kubernetes, caData, client }: WorkloadCluster,
  server = kubernetes.url,
) {
  const tlsClientConfig = { caData, certData: client.certificate, keyData: client.key };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: SET.namespace,
      name,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', service: 'bench' },
    },
    stringData: { name, server, namespaces: name, config: JSON.stringify({ tlsClientConfig }) },
  };
}

/** The AWSTargetGroupSet that looks into all simulated clusters. */
export const targetGroupSet = {
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'AWSTargetGroupSet',
  metadata: SET,
  spec: {
    generators: [
      {
        awseks: {
          clusterSelector: { matchLabels: { service: 'bench' } },
          bindingSelector: { matchLabels: { role: 'web' } },
        },
      },
    ],
  },
} as const;
