import {
  paginateDescribeRules,
  type ElasticLoadBalancingV2,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { CONFIG_MAP } from '../../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../../clients/kubernetes/kubernetes.ts';
import type { Informed } from '../../../watchers/event.ts';
import { applicationSet } from '../../argo-cd/application-set.ts';
import { startDeployingArgoCD } from '../../argo-cd/install.ts';
import { createListener, createTargetGroup, elbv2Of } from '../../aws-fixture.ts';
import { serveDatadog, type DatadogServer } from '../../datadog/server.ts';
import { watchObjects, type Watched } from '../../watched.ts';
import { startWorkloadCluster } from '../../workload-cluster.ts';
import { addTwin } from '../../workload-twin.ts';
import type { Ground } from '../ground.ts';
import { errorRateOf, type BroughtCluster } from './objects.ts';
import { priorities, type DemoCluster } from './story.ts';
import type { VersionWeights } from './table.ts';

/** What the demo of applications is played on. */
export interface ApplicationsWorld extends AsyncDisposable {
  readonly listenerARN: string;
  readonly datadog: DatadogServer;
  /** Has a cluster come to be, with a target group of its own; one that is there stays. */
  readonly bring: (cluster: DemoCluster) => Promise<BroughtCluster>;
  /** The version of the cluster behind a target group. */
  readonly versionOf: (targetGroupARN: string) => string;
  /** The weights of the rule of web, as ELBv2 serves them, by version. */
  readonly weights: () => Promise<VersionWeights>;
  /** What Argo CD has deployed, as `<object> on <cluster>`. */
  readonly deployed: () => ReadonlySet<string>;
}

/** The keys of the stand-in of Datadog. */
export const datadogKeys = { apiKey: 'api-key-of-the-demo', appKey: 'app-key-of-the-demo' };

/** The weight from which errors show. */
const BUSY = 40;

/** Starts Argo CD and its Git repository, the clusters' API server, and a stand-in of Datadog whose answers follow the traffic. */
export async function openWorld({
  stack,
  kubernetes,
  namespace,
  unique,
  say,
  signal,
}: Ground): Promise<ApplicationsWorld> {
  await using undo = new AsyncDisposableStack();
  const elbv2 = elbv2Of(stack);
  undo.defer(() => Promise.resolve(elbv2.destroy()));
  const { listenerArn } = await createListener(elbv2, unique('applications'));
  say('Starting Argo CD …');
  const { repository } = undo.use(await startDeployingArgoCD(stack, namespace));
  for (const name of ['web', 'api', 'backgroundjobs']) {
    await repository.commit({ [`${name}/${name}.yaml`]: configMap(name) });
    const clusters = { 'myservice-role': name };
    // One API server plays all clusters; each has a namespace of its own there.
    const into = '{{.name}}';
    await kubernetes.create(applicationSet({ namespace, name, clusters, repoURL: repository.url, into }));
  }
  const playing = { name: unique('plays-all'), collectsGarbage: true };
  const cluster = undo.use(await startWorkloadCluster(stack, playing));
  const clusterClient = connectKubernetes(cluster.kubernetes.kubeconfig);
  const deployed = new Map<string, Watched<Informed>>();
  const brought = new Map<string, BroughtCluster>();
  const versionOf = (arn: string): string =>
    [...brought.values()]
      .find(({ targetGroupARN }) => targetGroupARN === arn)
      ?.name.split('-')
      .at(-1) ?? arn;
  const weights = (): Promise<VersionWeights> => weightsOf(elbv2, listenerArn, versionOf);
  let asked: VersionWeights = {};
  const datadog = undo.use(
    await serveDatadog({
      ...datadogKeys,
      rate: { limit: 10_000, periodSeconds: 3600 },
      before: async () => (asked = await weights()),
    }),
  );
  const end = undo.move();
  return {
    listenerARN: listenerArn,
    datadog,
    versionOf,
    async bring(wanted) {
      const name = unique(wanted.name);
      const known = brought.get(name);
      if (known !== undefined) return known;
      const { role, errorRate } = wanted;
      end.use(await addTwin(stack.aws, cluster, { name, tags: { role }, status: 'ACTIVE' }));
      const watching = { kubernetes: clusterClient, kind: CONFIG_MAP, namespace: name, signal };
      deployed.set(name, end.use(watchObjects<Informed>(watching)));
      // ELBv2 takes 32 characters.
      const short = wanted.name.replace('mycluster', 'tg').replace('backgroundjobs', 'jobs');
      const { arn } = await createTargetGroup(elbv2, unique(short));
      const version = name.split('-').at(-1) ?? '';
      datadog.known.set(errorRateOf(name), () => ((asked[version] ?? 0) >= BUSY ? errorRate : 0.01));
      const found = { ...wanted, name, targetGroupARN: arn };
      brought.set(name, found);
      return found;
    },
    weights,
    deployed: () =>
      new Set(
        [...deployed].flatMap(([on, { objects }]) => [...objects.keys()].map((name) => `${name} on ${on}`)),
      ),
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

const configMap = (name: string): object => ({
  apiVersion: CONFIG_MAP.apiVersion,
  kind: CONFIG_MAP.kind,
  metadata: { name },
  data: { deployed: 'by Argo CD' },
});

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
