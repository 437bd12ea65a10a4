import { setTimeout as wait } from 'node:timers/promises';
import { BINDING_POLICY, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { BindingPolicy } from '../../domain/staged/policy.ts';
import { installKubeStellar } from '../kubestellar/install.ts';
import { DEPLOYMENT, KubeStellar } from '../kubestellar/kubestellar.ts';
import { watchObjects, type Watched } from '../watched.ts';
import type { Audience, Ground } from './ground.ts';
import { stagedTable } from './staged-table.ts';

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

type Policies = Watched<BindingPolicy>;

/** Takes a workload from dev over test to prod; no load balancer has a part in it. */
export async function showStages(ground: Ground): Promise<number> {
  const { kubernetes, apply, say, signal } = ground;
  await using _okrad = ground.startOkrad();
  await installKubeStellar(kubernetes);
  await apply(deployment);
  say('\nnginx goes from dev over test to prod; KubeStellar and its clusters are played by a small program');
  await apply(staged);
  const done = new AbortController();
  const until = AbortSignal.any([signal, done.signal]);
  await using policies: Policies = watchObjects({ kubernetes, kind: BINDING_POLICY, signal });
  const playing = playKubeStellar(kubernetes, policies, until);
  const { status } = await watch(kubernetes, policies, { say, signal });
  done.abort();
  await playing;
  const phases = (status?.stages ?? []).map(({ name, phase }) => `${name} ${phase}`).join(', ');
  const expected = 'dev Passed, test Passed, prod Fulfilled';
  return await ground.conclude(
    phases === expected && status?.phase === 'Completed'
      ? []
      : [`Expected the stages to be ${expected}, got ${phases}.`],
    'the stages in their order',
  );
}

const LONGEST_MS = 120_000;
const LOOK_MS = 100;

/** Prints a row whenever something has changed, until the last stage is fulfilled. */
async function watch(
  kubernetes: KubernetesClient,
  policies: Policies,
  { say, signal }: Audience,
): Promise<Partial<StagedBindingPolicy>> {
  const began = Date.now();
  const table = stagedTable(say);
  await using watched = watchObjects<StagedBindingPolicy>({
    kubernetes,
    kind: STAGED_BINDING_POLICY,
    signal,
  });
  for (;;) {
    const found = watched.objects.get(NAME);
    const names = [...policies.objects.keys()].toSorted();
    table((Date.now() - began) / 1000, found?.status ?? {}, names);
    if (found?.status?.phase === 'Completed' || Date.now() > began + LONGEST_MS) return found ?? {};
    await wait(LOOK_MS, undefined, { signal });
  }
}

/** Binds what asks for it, and reports of each cluster first that nothing is ready, and then that it is. */
async function playKubeStellar(
  kubernetes: KubernetesClient,
  policies: Policies,
  signal: AbortSignal,
): Promise<void> {
  const kubestellar = new KubeStellar(kubernetes);
  const boundAt = new Map<string, number>();
  const reported = new Map<string, string>();
  while (!signal.aborted) {
    for (const name of policies.objects.keys()) {
      const of = clusters[name.slice(NAME.length + 1)] ?? [];
      if (!boundAt.has(name)) {
        await kubestellar.bind(name, [nginx], of);
        boundAt.set(name, Date.now());
      }
      const float = Date.now() - (boundAt.get(name) ?? 0) > READY_AFTER_MS ? String(of.length) : '0';
      if (reported.get(name) === float) continue;
      await kubestellar.report(name, nginx, { clusters: of, float });
      reported.set(name, float);
    }
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}
