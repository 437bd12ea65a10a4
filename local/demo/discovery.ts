import { AWS_TARGET_GROUP, SECRET } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { CLUSTER_SECRETS } from '../../domain/kubernetes/labels.ts';
import { watchObjects } from '../watched.ts';
import { installTargetGroupBindings, targetGroupBinding } from '../target-group-bindings.ts';
import { startWorkloadCluster, type WorkloadCluster, type WorkloadGround } from '../workload-cluster.ts';
import type { News } from './play.ts';

/** The ClusterSet of the demo: every EKS cluster with its tag Service. */
export const clusterSet = (service: string): object => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'ClusterSet',
  metadata: { name: 'demo' },
  spec: {
    generators: [{ awseks: { selector: { matchTags: { Service: service } } } }],
    template: { metadata: { labels: { service: 'demo' } } },
  },
});

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
  /** Its tag Service. */
  readonly service: string;
  readonly version: string;
  readonly targetGroupARN: string;
}

/** Creates an EKS cluster with a real API server behind its endpoint, whose applications bring a TargetGroupBinding. */
export async function bringCluster(
  stack: WorkloadGround,
  { name, service, version, targetGroupARN }: NewCluster,
): Promise<WorkloadCluster> {
  const cluster = await startWorkloadCluster(stack, { name, tags: { Service: service, version } });
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
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): News & AsyncDisposable {
  const undo = new AsyncDisposableStack();
  const watching = { kubernetes, namespace, signal };
  const secrets = undo.use(
    watchObjects<Named>({ ...watching, kind: SECRET, labelSelector: CLUSTER_SECRETS }),
  );
  const groups = undo.use(watchObjects<Named>({ ...watching, kind: AWS_TARGET_GROUP }));
  const told = new Set<string>();
  return {
    tell() {
      const lines = [
        ...[...secrets.objects.keys()].map((name) => `Secret ${name}: how to reach EKS cluster ${name}`),
        ...[...groups.objects.values()].map(
          ({ metadata }) =>
            `AWSTargetGroup ${metadata.name}: version ${metadata.labels?.['okra.mumo.co/version'] ?? 'unknown'}`,
        ),
      ];
      const news = lines.filter((line) => !told.has(line));
      for (const line of news) told.add(line);
      return news;
    },
    [Symbol.asyncDispose]: () => undo.disposeAsync(),
  };
}
