import { ElasticLoadBalancingV2, paginateDescribeRules } from '@aws-sdk/client-elastic-load-balancing-v2';
import { connectKubernetes, type KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { applicationSet } from '../../argo-cd/application-set.ts';
import { startArgoCD } from '../../argo-cd/install.ts';
import { playSyncing } from '../../argo-cd/syncing.ts';
import { createListener, createTargetGroup } from '../../aws-fixture.ts';
import { serveDatadog, type DatadogServer } from '../../datadog/server.ts';
import type { Stack } from '../../stack.ts';
import { startWorkloadCluster } from '../../workload-cluster.ts';
import { addTwin } from '../../workload-twin.ts';
import { errorRateOf, type BroughtCluster } from './objects.ts';
import { NAMESPACE, priorities, type DemoCluster } from './story.ts';
import type { VersionWeights } from './table.ts';

/** What the demo of applications is played on. */
export interface ApplicationsWorld extends AsyncDisposable {
  readonly stack: Stack;
  readonly kubernetes: KubernetesClient;
  readonly listenerARN: string;
  readonly datadog: DatadogServer;
  /** Has a cluster come to be, with a target group of its own; one that is there stays. */
  readonly bring: (cluster: DemoCluster) => Promise<BroughtCluster>;
  /** The version of the cluster behind a target group. */
  readonly versionOf: (targetGroupARN: string) => string;
  /** The weights of the rule of web, as ELBv2 serves them, by version. */
  readonly weights: () => Promise<VersionWeights>;
}

/** The keys of the stand-in of Datadog. */
export const datadogKeys = { apiKey: 'api-key-of-the-demo', appKey: 'app-key-of-the-demo' };

/** The weight from which errors show. */
const BUSY = 40;

/** Starts Argo CD, the clusters' API server, and a stand-in of Datadog whose answers follow the traffic. */
export async function openWorld(stack: Stack): Promise<ApplicationsWorld> {
  await using undo = new AsyncDisposableStack();
  const kubernetes = connectKubernetes(stack.kubeconfig);
  const { region, endpoint } = stack.aws;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const elbv2 = new ElasticLoadBalancingV2({ region, endpoint, credentials });
  undo.defer(() => Promise.resolve(elbv2.destroy()));
  const { listenerArn } = await createListener(elbv2, 'applications');
  await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  undo.use(await startArgoCD(stack, NAMESPACE));
  for (const name of ['web', 'api', 'backgroundjobs']) {
    await kubernetes.create(
      applicationSet({ namespace: NAMESPACE, name, clusters: { 'myservice-role': name } }),
    );
  }
  undo.use(playSyncing(kubernetes, { namespace: NAMESPACE, takesMs: 500 }));
  const cluster = undo.use(await startWorkloadCluster(stack, { name: 'plays-all' }));
  const datadog = undo.use(
    await serveDatadog({ ...datadogKeys, rate: { limit: 10_000, periodSeconds: 3600 } }),
  );
  const brought = new Map<string, BroughtCluster>();
  const versionOf = (arn: string): string =>
    [...brought.values()]
      .find(({ targetGroupARN }) => targetGroupARN === arn)
      ?.name.split('-')
      .at(-1) ?? arn;
  const readWeights = (): Promise<VersionWeights> => weightsOf(elbv2, listenerArn, versionOf);
  let latest: VersionWeights = {};
  const end = undo.move();
  return {
    stack,
    kubernetes,
    listenerARN: listenerArn,
    datadog,
    versionOf,
    async bring(wanted) {
      const known = brought.get(wanted.name);
      if (known !== undefined) return known;
      const { name, role, errorRate } = wanted;
      end.use(await addTwin(stack.aws, cluster, { name, tags: { role }, status: 'ACTIVE' }));
      const { arn } = await createTargetGroup(elbv2, name.replace('mycluster', 'tg').slice(0, 32));
      const version = name.split('-').at(-1) ?? '';
      datadog.known.set(errorRateOf(name), () => ((latest[version] ?? 0) >= BUSY ? errorRate : 0.01));
      const found = { ...wanted, targetGroupARN: arn };
      brought.set(name, found);
      return found;
    },
    weights: async () => (latest = await readWeights()),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

async function weightsOf(
  elbv2: ElasticLoadBalancingV2,
  listenerARN: string,
  versionOf: (arn: string) => string,
): Promise<VersionWeights> {
  for await (const page of paginateDescribeRules({ client: elbv2 }, { ListenerArn: listenerARN })) {
    const rule = page.Rules?.find(({ Priority }) => Priority === String(priorities.web));
    if (rule === undefined) continue;
    const forwarded = rule.Actions?.[0]?.ForwardConfig?.TargetGroups ?? [];
    return sumByVersion(
      forwarded.map(({ TargetGroupArn = '', Weight = 0 }) => ({ arn: TargetGroupArn, weight: Weight })),
      versionOf,
    );
  }
  return {};
}

/** The weights of a rule, those of the clusters of one version together. */
export function sumByVersion(
  groups: readonly { readonly arn: string; readonly weight?: number | undefined }[],
  versionOf: (arn: string) => string,
): VersionWeights {
  const sums = new Map<string, number>();
  for (const { arn, weight = 0 } of groups) {
    const version = versionOf(arn);
    sums.set(version, (sums.get(version) ?? 0) + weight);
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => a.localeCompare(b)));
}
