import type { Client } from '@temporalio/client';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createTargetGroup, elbv2Of } from '../aws-fixture.ts';
import type { Stack } from '../stack.ts';
import { installTargetGroupBindings } from '../target-group-bindings.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../workload-cluster.ts';
import type { Size } from './arguments.mjs';
import { forEach, upTo } from './each.ts';
import { watchGroups, type GroupWatch } from './groups.ts';
import { bindingFor, clusterName, namespaceFor, secretFor } from './objects.ts';
import { openOkrad, type RunningOkrad } from './okrad.ts';

/** All that discovery is measured on. */
export interface World extends AsyncDisposable {
  readonly size: Size;
  readonly stack: Stack;
  readonly management: KubernetesClient;
  /** The cluster that plays all clusters. */
  readonly cluster: WorkloadCluster;
  readonly workload: KubernetesClient;
  readonly temporal: Client;
  readonly groups: GroupWatch;
  readonly okrad: RunningOkrad['okrad'];
  /** ARNs of target groups that no TargetGroupBinding names so far. */
  readonly arns: string[];
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What a world is built on. */
export interface Ground {
  readonly size: Size;
  readonly stack: Stack;
  readonly management: KubernetesClient;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts everything that measures discovery, up to okrad; what is left is to apply the AWSTargetGroupSet. */
export async function buildWorld({ size, stack, management, say, signal }: Ground): Promise<World> {
  await using undo = new AsyncDisposableStack();
  say(`Starting the kube-apiserver that plays all ${size.clusters} clusters, each of them a namespace …`);
  const cluster = undo.use(await startWorkloadCluster(stack, { name: 'bench' }));
  await installTargetGroupBindings(cluster.kubernetes);
  const workload = connectKubernetes(cluster.kubernetes.kubeconfig);
  const arns = await createTargetGroups(stack, size, say);
  await createClusters({ size, cluster, workload, management, arns });
  const groups = undo.use(watchGroups(management, signal));
  const { okrad, temporal } = undo.use(await openOkrad({ stack, say, signal }));
  const parts = { size, stack, management, cluster, workload, temporal, groups, okrad, arns, say, signal };
  const end = undo.move();
  return { ...parts, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

async function createTargetGroups(stack: Stack, size: Size, say: Ground['say']): Promise<string[]> {
  const count = size.clusters * size.bindings + 2 * size.arrivals;
  say(`Creating ${count} target groups …`);
  const elbv2 = elbv2Of(stack);
  try {
    const arns: string[] = [];
    await forEach(upTo(count), async (index) => {
      arns.push((await createTargetGroup(elbv2, `bench-${index}`, { targets: [] })).arn);
    });
    return arns;
  } finally {
    elbv2.destroy();
  }
}

async function createClusters({
  size,
  cluster,
  workload,
  management,
  arns,
}: Pick<World, 'size' | 'cluster' | 'workload' | 'management' | 'arns'>): Promise<void> {
  await forEach(upTo(size.clusters).map(clusterName), async (name) => {
    await workload.create(namespaceFor(name));
    for (const index of upTo(size.bindings)) {
      await workload.create(bindingFor(name, `web-${index}`, take(arns)));
    }
    await management.create(secretFor(name, cluster));
  });
}

/** Takes a target group that nobody has named yet. */
export function take(arns: string[]): string {
  const arn = arns.pop();
  if (arn === undefined) throw new Error('Expected a target group to be left, got none.');
  return arn;
}
