import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Client } from '@temporalio/client';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import { connectTemporal } from '../../clients/temporal/temporal.ts';
import { loadConfig } from '../../config.ts';
import { createTargetGroup } from '../aws-fixture.ts';
import { installDefinitions } from '../install-definitions.ts';
import { startOkrad, type Okrad } from '../okrad.ts';
import { startStack, type Stack } from '../stack.ts';
import { installTargetGroupBindings } from '../target-group-bindings.ts';
import { componentSets } from '../tools.mjs';
import { waitFor } from '../wait.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../workload-cluster.ts';
import type { Size } from './arguments.mjs';
import { watchGroups, type GroupWatch } from './groups.ts';
import { bindingFor, clusterName, namespaceFor, secretFor } from './objects.ts';

/** All that the benchmark measures on. */
export interface World extends AsyncDisposable {
  readonly size: Size;
  readonly stack: Stack;
  readonly management: KubernetesClient;
  /** The cluster that plays all clusters. */
  readonly cluster: WorkloadCluster;
  readonly workload: KubernetesClient;
  readonly temporal: Client;
  readonly groups: GroupWatch;
  readonly okrad: { readonly watchers: Okrad; readonly worker: Okrad };
  /** ARNs of target groups that no TargetGroupBinding names so far. */
  readonly arns: string[];
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What a world is built with. */
export interface Ground {
  readonly size: Size;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts everything, up to okrad; what is left is to apply the AWSTargetGroupSet. */
export async function buildWorld({ size, say, signal }: Ground): Promise<World> {
  await using undo = new AsyncDisposableStack();
  const stack = undo.use(await startStack({ components: componentSets.demo, log: say, signal }));
  await installDefinitions(stack);
  say(`Starting the kube-apiserver that plays all ${size.clusters} clusters, each of them a namespace …`);
  const cluster = undo.use(await startWorkloadCluster(stack, { name: 'bench' }));
  await installTargetGroupBindings(cluster.kubernetes);
  const workload = connectKubernetes(cluster.kubernetes.kubeconfig);
  const management = connectKubernetes(stack.kubeconfig);
  const arns = await createTargetGroups(stack, size, say);
  await createClusters({ size, cluster, workload, management, arns });
  const config = loadConfig(stack.environment);
  const { connection, client: temporal } = await connectTemporal(config, {
    log: createLog('silent'),
    signal,
  });
  undo.defer(() => connection.close());
  const groups = undo.use(watchGroups(management, signal));
  say('Starting okrad, its watchers and its worker as two processes …');
  const start = (components: 'watchers' | 'worker'): Okrad =>
    undo.use(
      startOkrad({ environment: stack.environment, components, log: join(stack.logs, `${components}.log`) }),
    );
  const okrad = { watchers: start('watchers'), worker: start('worker') };
  const logged = (part: Okrad, event: string): Promise<true> =>
    waitFor({ what: `okrad to log "${event}"`, timeoutMillis: 60_000, signal }, async () =>
      (await readFile(part.log, 'utf8')).includes(`"msg":"${event}"`) ? true : undefined,
    );
  await Promise.all([logged(okrad.watchers, 'watching'), logged(okrad.worker, 'worker started')]);
  const parts = { size, stack, management, cluster, workload, temporal, groups, okrad, arns, say, signal };
  const end = undo.move();
  return { ...parts, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

async function createTargetGroups({ aws }: Stack, size: Size, say: Ground['say']): Promise<string[]> {
  const count = size.clusters * size.bindings + 2 * size.arrivals;
  say(`Creating ${count} target groups …`);
  const { region, endpoint } = aws;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const elbv2 = new ElasticLoadBalancingV2({ region, endpoint, credentials });
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

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

// So many at a time that the servers are busy, and none waits for long.
const AT_ONCE = 8;

async function forEach<T>(items: readonly T[], perform: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await perform(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
