import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { connectKubernetes } from '../clients/kubernetes/kubernetes.ts';
import { createListener, createTargetGroup } from './aws-fixture.ts';
import { readDemoArguments, type Wish } from './demo/arguments.mjs';
import { playApplications } from './demo/applications/play.ts';
import { chapters as applicationsChapters } from './demo/applications/story.ts';
import { datadogKeys, openWorld } from './demo/applications/world.ts';
import { bringCluster, clusterSet, discoveries, targetGroupSet } from './demo/discovery.ts';
import { analysisTemplateFor, cellFor, targetGroupsFor } from './demo/objects.ts';
import { cellKey, play, type Scene } from './demo/play.ts';
import { playStaged } from './demo/staged.ts';
import { chapters, discoveryChapters } from './demo/story.ts';
import { readWeights, serveTraffic, type Weights } from './demo/traffic.ts';
import { installDefinitions } from './install-definitions.ts';
import { startOkrad } from './okrad.ts';
import { startStack, type Stack } from './stack.ts';
import { componentSets } from './tools.mjs';
import { runProgram, stopOnSignals } from './program.ts';

const run = promisify(execFile);
const signal = stopOnSignals();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Shows a workload that goes through its stages; no load balancer has a part in it. */
async function showStages({ keep }: Wish): Promise<number> {
  say('Starting etcd, kube-apiserver and Temporal …');
  await using stack = await startStack({ components: componentSets.demo, log: say, signal });
  await installDefinitions(stack);
  await using _okrad = startOkrad({ environment: stack.environment, log: join(stack.logs, 'okrad.log') });
  const differences = await playStaged({
    kubeconfig: stack.kubeconfig,
    apply: (object) => kubectlApply(stack, object),
    say,
    signal,
  });
  say(verdictOn(differences, 'the stages in their order'));
  if (keep) await stay();
  return differences.length === 0 ? 0 : 1;
}

/** Shows the applications of a Cell that move to new clusters, once well and once not. */
async function showApplications({ keep }: Wish): Promise<number> {
  say(
    'Starting etcd, kube-apiserver with its controllers, Temporal, Argo CD, and moto behind a strict ELBv2 proxy …',
  );
  await using stack = await startStack({ components: componentSets.full, log: say, signal });
  await installDefinitions(stack);
  await using world = await openWorld(stack);
  const { datadog } = world;
  await using _okrad = startOkrad({
    environment: {
      ...stack.environment,
      OKRA_DATADOG_ENDPOINT: datadog.url,
      DD_API_KEY: datadogKeys.apiKey,
      DD_APP_KEY: datadogKeys.appKey,
      OKRA_DATADOG_QUERIES_PER_SECOND: '100',
    },
    log: join(stack.logs, 'okrad.log'),
  });
  const apply = (object: object): Promise<void> => kubectlApply(stack, object);
  const scene = { world, apply, say, signal, began: Date.now() };
  const differences: string[] = [];
  for (const chapter of applicationsChapters) differences.push(...(await playApplications(chapter, scene)));
  say(verdictOn(differences, 'cluster secrets, weights and checks in their order'));
  if (keep) await stay();
  return differences.length === 0 ? 0 : 1;
}

async function show({ keep, discovery }: Wish): Promise<number> {
  say('Starting etcd, kube-apiserver, Temporal, Argo Rollouts, and moto behind a strict ELBv2 proxy …');
  const story = discovery ? discoveryChapters : chapters;
  await using stack = await startStack({ components: componentSets.demo, log: say, signal });
  await installDefinitions(stack);
  const { region, endpoint } = stack.aws;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const elbv2 = new ElasticLoadBalancingV2({ region, endpoint, credentials });
  const { listenerArn } = await createListener(elbv2, 'demo');
  const groups = new Map<string, { name: string; version: string }>();
  for (const { version, groups: names } of story) {
    for (const name of names) groups.set((await createTargetGroup(elbv2, name)).arn, { name, version });
  }
  const weights = (): Promise<Weights> => readWeights(elbv2, listenerArn, groups);
  await using traffic = await serveTraffic(weights, groups);
  const { environment, logs } = stack;
  await using _okrad = startOkrad({
    environment: { ...environment, OKRA_SYNC_INTERVAL: '2' },
    log: join(logs, 'okrad.log'),
  });
  await using clusters = new AsyncDisposableStack();
  const apply = (object: object): Promise<void> => kubectlApply(stack, object);
  const setUp = [analysisTemplateFor(traffic.url), cellFor(listenerArn)];
  for (const object of discovery ? [...setUp, clusterSet, targetGroupSet] : setUp) await apply(object);
  const kubernetes = connectKubernetes(stack.kubeconfig);
  const last = story.at(-1);
  const scene: Scene = {
    stack,
    kubernetes,
    groups,
    weights,
    bring: async (chapter) => {
      const { version } = chapter;
      const mine = [...groups].flatMap(([arn, group]) =>
        group.version === version ? [{ name: group.name, arn }] : [],
      );
      if (!discovery || chapter !== last) return await apply(targetGroupsFor(version, mine));
      for (const { name, arn: targetGroupARN } of mine) {
        clusters.use(await bringCluster(stack, { name, version, targetGroupARN }));
      }
    },
    news: discovery ? discoveries(kubernetes, cellKey.namespace) : () => Promise.resolve([]),
    say,
    signal,
    began: Date.now(),
  };
  say(whereToLook(stack, discovery));
  const differences: string[] = [];
  for (const chapter of story) differences.push(...(await play(chapter, scene)));
  elbv2.destroy();
  say(verdictOn(differences));
  if (keep) await stay();
  return differences.length === 0 ? 0 : 1;
}

const verdictOn = (differences: readonly string[], what = 'weights, AnalysisRuns, phases'): string =>
  differences.length === 0
    ? `\nEverything came as it was said: ${what}.`
    : ['', 'Something differs from what this demo says:', ...differences.map((one) => `  - ${one}`)].join(
        '\n',
      );

async function kubectlApply(stack: Stack, object: object): Promise<void> {
  const child = run(stack.binaries['kubectl'] ?? 'kubectl', ['apply', '-f', '-'], {
    env: { ...process.env, ...stack.environment },
  });
  child.child.stdin?.end(JSON.stringify(object));
  await child;
}

function whereToLook(stack: Stack, discovery: boolean): string {
  const kubectl = `${stack.binaries['kubectl'] ?? 'kubectl'} --kubeconfig ${stack.kubeconfig}`;
  const temporal = `${stack.binaries['temporal'] ?? 'temporal'} --address ${stack.temporal.address}`;
  const id = `cell/${cellKey.namespace}/${cellKey.name}`;
  return [
    '',
    `The rollouts in the Temporal Web UI: ${stack.temporal.ui}/namespaces/${stack.temporal.namespace}/workflows`,
    'To try while it runs (with --keep it goes on after the last chapter):',
    `  ${kubectl} get cells,awsalbc,analysisruns${discovery ? ',clustersets,awstgs,awstg' : ''}`,
    `  ${kubectl} describe cell ${cellKey.name}`,
    `  ${temporal} workflow signal --workflow-id ${id} --name pause`,
    `  ${temporal} workflow signal --workflow-id ${id} --name resume`,
    `  tctl --address ${stack.temporal.address} workflow signal -w ${id} -n abort`,
    `Logs: ${stack.logs}`,
  ].join('\n');
}

async function stay(): Promise<void> {
  say('\nEverything keeps running. Ctrl-C stops it.');
  await wait(2 ** 31 - 1, undefined, { signal }).catch(() => undefined);
}

async function main(): Promise<number> {
  const request = readDemoArguments(process.argv.slice(2));
  switch (request.do) {
    case 'Explain':
      process.stderr.write(`${request.message}\n`);
      return request.status;
    case 'Show':
      if (request.wish.applications) return showApplications(request.wish);
      return request.wish.staged ? showStages(request.wish) : show(request.wish);
  }
}

await runProgram(main, signal);
