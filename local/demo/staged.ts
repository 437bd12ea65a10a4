import { setTimeout as wait } from 'node:timers/promises';
import { BINDING, BINDING_POLICY, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { BindingPolicy } from '../../domain/staged/policy.ts';
import { installKubeStellar } from '../kubestellar/install.ts';
import { DEPLOYMENT, KubeStellar } from '../kubestellar/kubestellar.ts';
import { stagedTable } from './staged-table.ts';

/** What the demo of stages is played with. */
export interface StagedScene {
  readonly kubeconfig: string;
  readonly apply: (object: object) => Promise<void>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const NAME = 'nginx';

/** The clusters of each stage, and how long after it is bound they report: not ready, and then ready. */
const clusters: Readonly<Record<string, readonly string[]>> = {
  dev: ['dev1'],
  test: ['test1'],
  prod: ['prod1', 'prod2'],
};
const READY_AFTER_MS = 2_000;

const nginx = { kind: DEPLOYMENT, namespace: 'default', name: 'nginx' };

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'nginx', labels: { 'app.kubernetes.io/name': 'nginx' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'nginx' } },
    template: {
      metadata: { labels: { app: 'nginx' } },
      spec: { containers: [{ name: 'nginx', image: 'nginx' }] },
    },
  },
};

const condition =
  "obj.results.exists(r, r.name == 'deployments-aggregator' && r.rows.exists(row, row.columns.exists(col, col.type == 'Number' && double(col.float) >= 1.0)))";

const staged = {
  apiVersion: STAGED_BINDING_POLICY.apiVersion,
  kind: STAGED_BINDING_POLICY.kind,
  metadata: { name: NAME },
  spec: {
    downsync: [
      {
        statusCollectors: ['deployments-aggregator'],
        objectSelectors: [{ matchLabels: { 'app.kubernetes.io/name': 'nginx' } }],
      },
    ],
    stages: Object.keys(clusters).map((name) => ({
      name,
      clusterSelectors: [{ matchLabels: { env: name } }],
      condition,
      ...(name === 'test' ? { soak: '3s' } : {}),
    })),
  },
};

/** Takes a workload from dev over test to prod, and answers with what differs from what this says. */
export async function playStaged({
  kubeconfig,
  apply,
  say,
  signal,
}: StagedScene): Promise<readonly string[]> {
  const kubernetes = connectKubernetes(kubeconfig);
  await installKubeStellar(kubernetes);
  await apply(deployment);
  say('\nnginx goes from dev over test to prod; KubeStellar and its clusters are played by a small program');
  await apply(staged);
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  const playing = playKubeStellar(kubernetes, until);
  const seen = await watch(kubernetes, { say, signal });
  done.abort();
  await playing;
  const { status } = seen;
  const phases = (status?.stages ?? []).map(({ name, phase }) => `${name} ${phase}`).join(', ');
  const expected = 'dev Passed, test Passed, prod Fulfilled';
  return phases === expected && status?.phase === 'Completed'
    ? []
    : [`Expected the stages to be ${expected}, got ${phases}.`];
}

const LONGEST_MS = 120_000;

/** Prints a row whenever something has changed, until the last stage is fulfilled. */
async function watch(
  kubernetes: KubernetesClient,
  { say, signal }: Pick<StagedScene, 'say' | 'signal'>,
): Promise<Partial<StagedBindingPolicy>> {
  const began = Date.now();
  const table = stagedTable(say);
  for (;;) {
    const found = await kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name: NAME });
    const policies = await kubernetes.list<BindingPolicy>(BINDING_POLICY);
    table((Date.now() - began) / 1000, found?.status ?? {}, policies);
    if (found?.status?.phase === 'Completed' || Date.now() > began + LONGEST_MS) return found ?? {};
    await wait(100, undefined, { signal });
  }
}

/** Binds what asks for it, and reports of each cluster first that nothing is ready, and then that it is. */
async function playKubeStellar(kubernetes: KubernetesClient, signal: AbortSignal): Promise<void> {
  const kubestellar = new KubeStellar(kubernetes);
  const boundAt = new Map<string, number>();
  const reported = new Map<string, string>();
  while (!signal.aborted) {
    for (const { metadata } of await kubernetes.list<BindingPolicy>(BINDING_POLICY)) {
      const { name } = metadata;
      const of = clusters[name.slice(NAME.length + 1)] ?? [];
      if ((await kubernetes.get(BINDING, { name })) === undefined) {
        await kubestellar.bind(name, [nginx], of);
        boundAt.set(name, Date.now());
      }
      const float = Date.now() - (boundAt.get(name) ?? 0) > READY_AFTER_MS ? String(of.length) : '0';
      if (reported.get(name) === float) continue;
      await kubestellar.report(name, nginx, { clusters: of, float });
      reported.set(name, float);
    }
    await wait(100, undefined, { signal }).catch(() => undefined);
  }
}
