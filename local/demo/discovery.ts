import { AWS_TARGET_GROUP, SECRET } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { CLUSTER_SECRETS } from '../../domain/kubernetes/labels.ts';
import type { Stack } from '../stack.ts';
import { installTargetGroupBindings, targetGroupBinding } from '../target-group-bindings.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../workload-cluster.ts';

/** The ClusterSet of the demo: every EKS cluster with the tag Service=demo. */
export const clusterSet: object = {
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'ClusterSet',
  metadata: { name: 'demo' },
  spec: {
    generators: [{ awseks: { selector: { matchTags: { Service: 'demo' } } } }],
    template: { metadata: { labels: { service: 'demo' } } },
  },
};

/** The AWSTargetGroupSet of the demo: the web TargetGroupBindings of those clusters. */
export const targetGroupSet: object = {
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'AWSTargetGroupSet',
  metadata: { name: 'web' },
  spec: {
    generators: [
      {
        awseks: {
          clusterSelector: { matchLabels: { service: 'demo' } },
          bindingSelector: { matchLabels: { role: 'web' } },
        },
      },
    ],
  },
};

/** A cluster that is to appear, and what it serves. */
export interface NewCluster {
  readonly name: string;
  readonly version: string;
  readonly targetGroupARN: string;
}

/** Creates an EKS cluster with a real API server behind its endpoint, whose applications bring a TargetGroupBinding. */
export async function bringCluster(
  stack: Stack,
  { name, version, targetGroupARN }: NewCluster,
): Promise<WorkloadCluster> {
  const cluster = await startWorkloadCluster(stack, { name, tags: { Service: 'demo', version } });
  await installTargetGroupBindings(cluster.kubernetes);
  await connectKubernetes(cluster.kubernetes.kubeconfig).create(
    targetGroupBinding({ name, labels: { role: 'web' }, targetGroupARN }),
  );
  return cluster;
}

interface Named {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** Tells of each cluster secret and AWSTargetGroup once, when it has come to be. */
export function discoveries(
  kubernetes: KubernetesClient,
  namespace: string,
): () => Promise<readonly string[]> {
  const told = new Set<string>();
  return async () => {
    const [secrets, groups] = await Promise.all([
      kubernetes.list<Named>(SECRET, { namespace, labelSelector: CLUSTER_SECRETS }),
      kubernetes.list<Named>(AWS_TARGET_GROUP, { namespace }),
    ]);
    const lines = [
      ...secrets.map(({ metadata }) => `Secret ${metadata.name}: how to reach EKS cluster ${metadata.name}`),
      ...groups.map(
        ({ metadata }) =>
          `AWSTargetGroup ${metadata.name}: version ${metadata.labels?.['okra.mumo.co/version'] ?? 'unknown'}`,
      ),
    ];
    const news = lines.filter((line) => !told.has(line));
    for (const line of news) told.add(line);
    return news;
  };
}
