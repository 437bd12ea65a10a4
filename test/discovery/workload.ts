import { NODE, POD, SECRET } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../../local/workload-cluster.ts';
import type { Stage } from '../support/stage/stage.ts';

/** A workload cluster that a stage knows by a cluster secret, with nodes and pods that tests come and go with. */
export interface Workload extends AsyncDisposable {
  readonly name: string;
  readonly cluster: WorkloadCluster;
  readonly kubernetes: KubernetesClient;
  addNode(name: string, instance: string, more?: NodeOptions): Promise<void>;
  setReady(name: string, isReady: boolean): Promise<void>;
  removeNode(name: string): Promise<void>;
  addPod(name: string, address: string, labels: Labels): Promise<void>;
  removePod(name: string): Promise<void>;
}

type Labels = Readonly<Record<string, string>>;

/** What a node is beside its name and instance. */
export interface NodeOptions {
  readonly labels?: Labels;
  readonly isReady?: boolean;
}

const ready = (isReady: boolean): object => ({
  conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
});

/** Starts a workload cluster, and writes the secret by which the stage reaches it with a client certificate. */
export async function startWorkload(stage: Stage, name: string, labels: Labels): Promise<Workload> {
  const cluster = await startWorkloadCluster(stage.stack, { name });
  stage.secrets.push(cluster.kubernetes.token, cluster.client.key);
  const kubernetes = connectKubernetes(cluster.kubernetes.kubeconfig);
  await writeClusterSecret(stage, cluster, labels);
  return workloadOf(cluster, kubernetes);
}

/** Makes what tests do with a workload cluster. */
export function workloadOf(
  cluster: WorkloadCluster,
  kubernetes: KubernetesClient = connectKubernetes(cluster.kubernetes.kubeconfig),
): Workload {
  const { name } = cluster;
  const setReady = async (node: string, isReady: boolean): Promise<void> =>
    void (await kubernetes.patch(
      NODE,
      { name: node },
      { status: ready(isReady) },
      { subresource: 'status' },
    ));
  const pod = (one: string): { namespace: string; name: string } => ({ namespace: 'default', name: one });
  return {
    name,
    cluster,
    kubernetes,
    setReady,
    addNode: async (node, instance, { labels: of = {}, isReady = true } = {}) => {
      const spec = { providerID: `aws:///us-east-1a/${instance}` };
      await kubernetes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels: of }, spec });
      await setReady(node, isReady);
    },
    removeNode: (node) => kubernetes.delete(NODE, { name: node }),
    addPod: async (one, address, of) => {
      const spec = { containers: [{ name: 'main', image: 'none' }] };
      const metadata = { ...pod(one), labels: of };
      await kubernetes.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
      const status = { podIP: address, podIPs: [{ ip: address }], phase: 'Running', ...ready(true) };
      await kubernetes.patch(POD, pod(one), { status }, { subresource: 'status' });
    },
    removePod: (one) => kubernetes.delete(POD, pod(one)),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** Writes the cluster secret of a workload cluster, as Argo CD would have it. */
export async function writeClusterSecret(
  stage: Stage,
  { name, kubernetes, caData, client }: WorkloadCluster,
  labels: Labels,
): Promise<void> {
  const tlsClientConfig = { caData, certData: client.certificate, keyData: client.key };
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  await stage.kubernetes.delete(SECRET, { namespace: stage.namespace, name });
  await stage.kubernetes.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: stage.namespace,
      name,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', ...labels },
    },
    data: {
      name: encode(name),
      server: encode(kubernetes.url),
      config: encode(JSON.stringify({ tlsClientConfig })),
    },
  });
}
