import { execFile } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { ANALYSIS_RUN, CELL } from '../../clients/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import { createListener, createTargetGroup } from './aws-fixture.ts';
import { analysisTemplateFor, CELL_NAME, cellFor, targetGroupsFor } from './demo/objects.ts';
import { runOkrad } from './demo/okrad.ts';
import { chapters, type Chapter } from './demo/story.ts';
import { heading, row, sightOf, type Moment } from './demo/table.ts';
import { readWeights, serveTraffic, type Weights } from './demo/traffic.ts';
import { proxyControl } from './elbv2-proxy/control.ts';
import { installDefinitions } from './install-definitions.ts';
import { startStack, type Stack } from './stack.ts';
import { componentSets } from './tools.mjs';

const run = promisify(execFile);
const stopped = new AbortController();
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const key = { namespace: 'default', name: CELL_NAME };

/** How long one chapter may take. */
const CHAPTER_MS = 120_000;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stopped.abort(128 + constants.signals[signal]));
}
// The bootstrap that started this program was killed: nobody could stop the stack any more.
process.once('disconnect', () => stopped.abort(1));

/** What the demo is played with. */
interface Scene {
  readonly stack: Stack;
  readonly kubernetes: KubernetesClient;
  readonly groups: ReadonlyMap<string, { readonly name: string; readonly version: string }>;
  readonly weights: () => Promise<Weights>;
  readonly apply: (object: object) => Promise<void>;
  readonly began: number;
}

async function main(keep: boolean): Promise<number> {
  say('Starting etcd, kube-apiserver, Temporal, Argo Rollouts, and moto behind a strict ELBv2 proxy …');
  await using stack = await startStack({ components: componentSets.demo, log: say, signal: stopped.signal });
  await installDefinitions(stack);
  const { region, endpoint } = stack.aws;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const elbv2 = new ElasticLoadBalancingV2({ region, endpoint, credentials });
  const { listenerArn } = await createListener(elbv2, 'demo');
  const groups = new Map<string, { name: string; version: string }>();
  for (const { version, groups: names } of chapters) {
    for (const name of names) groups.set((await createTargetGroup(elbv2, name)).arn, { name, version });
  }
  const weights = (): Promise<Weights> => readWeights(elbv2, listenerArn, groups);
  await using traffic = await serveTraffic(weights, groups);
  await using _okrad = runOkrad(stack.environment, join(stack.logs, 'okrad.log'));
  const apply = (object: object): Promise<void> => kubectlApply(stack, object);
  await apply(analysisTemplateFor(traffic.url));
  await apply(cellFor(listenerArn));
  const scene = {
    stack,
    kubernetes: connectKubernetes(stack.kubeconfig),
    groups,
    weights,
    apply,
    began: Date.now(),
  };
  say(whereToLook(stack));
  const differences: string[] = [];
  for (const chapter of chapters) differences.push(...(await play(chapter, scene)));
  elbv2.destroy();
  if (differences.length > 0)
    say(
      ['', 'Something differs from what this demo says:', ...differences.map((one) => `  - ${one}`)].join(
        '\n',
      ),
    );
  else say('\nEverything came as it was said: weights, AnalysisRuns, phases.');
  if (keep) await stay();
  return differences.length === 0 ? 0 : 1;
}

/** Plays a chapter, and answers with what differs from what it says. */
async function play(chapter: Chapter, scene: Scene): Promise<readonly string[]> {
  say(`\n${chapter.title}\n${heading()}`);
  const control = proxyControl(scene.stack.proxyControl);
  const since = await control.lastCall();
  const runsBefore = await verdicts(scene.kubernetes);
  const mine = [...scene.groups].filter(([, group]) => group.version === chapter.version);
  await scene.apply(
    targetGroupsFor(
      chapter.version,
      mine.map(([arn, { name }]) => ({ name, arn })),
    ),
  );
  const last = await watch(chapter, scene);
  const calls = await control.calls({ since });
  const writes = calls
    .filter((call) => call.applied && /^(Create|Modify)Rule$/.test(call.action))
    .map((call) =>
      Object.fromEntries(
        (call.after?.[0]?.forward ?? []).map((one) => [scene.groups.get(one.arn)?.name, one.weight]),
      ),
    );
  const newVerdicts = (await verdicts(scene.kubernetes)).filter(
    ([name]) => !runsBefore.some(([old]) => old === name),
  );
  for (const [name, phase] of newVerdicts) say(`  AnalysisRun ${name}: ${phase}`);
  return [
    ...differenceIn('the phase', chapter.ends, {
      phase: last.status.phase,
      stable: last.status.stableVersion,
    }),
    ...differenceIn('the weights that were written', chapter.writes, writes),
    ...differenceIn(
      'the verdicts',
      chapter.verdicts,
      newVerdicts.map(([, phase]) => phase),
    ),
  ].map((difference) => `${chapter.version}: ${difference}`);
}

/** Prints a row whenever something has changed, until the chapter is over. */
async function watch(chapter: Chapter, scene: Scene): Promise<Moment> {
  let seen = '';
  for (const deadline = Date.now() + CHAPTER_MS; ; await wait(100, undefined, { signal: stopped.signal })) {
    const cell = await scene.kubernetes.get<Cell>(CELL, key);
    const moment = { status: cell?.status ?? {}, weights: await scene.weights() };
    if (sightOf(moment) !== seen) say(row((Date.now() - scene.began) / 1000, moment));
    seen = sightOf(moment);
    const { phase, stableVersion } = moment.status;
    if (
      (phase === chapter.ends.phase && stableVersion === chapter.ends.stable && knows(cell, chapter)) ||
      Date.now() > deadline
    )
      return moment;
  }
}

/** Whether a Cell has taken notice of a chapter's version, so that an old status is not taken for its end. */
const knows = (cell: Cell | undefined, { version, ends }: Chapter): boolean =>
  ends.stable === version || (cell?.status?.blockedVersions ?? []).some((one) => one.version === version);

async function verdicts(kubernetes: KubernetesClient): Promise<readonly (readonly [string, string])[]> {
  const runs = await kubernetes.list<{ metadata: { name: string }; status?: { phase?: string } }>(
    ANALYSIS_RUN,
    { namespace: key.namespace },
  );
  return runs.map((one) => [one.metadata.name, one.status?.phase ?? 'Pending'] as const);
}

function differenceIn(what: string, expected: unknown, got: unknown): readonly string[] {
  const [want, have] = [JSON.stringify(expected), JSON.stringify(got)];
  return want === have ? [] : [`Expected ${what} to be ${want}, got ${have}.`];
}

async function kubectlApply(stack: Stack, object: object): Promise<void> {
  const child = run(stack.binaries['kubectl'] ?? 'kubectl', ['apply', '-f', '-'], {
    env: { ...process.env, ...stack.environment },
  });
  child.child.stdin?.end(JSON.stringify(object));
  await child;
}

function whereToLook(stack: Stack): string {
  const kubectl = `${stack.binaries['kubectl'] ?? 'kubectl'} --kubeconfig ${stack.kubeconfig}`;
  const temporal = `${stack.binaries['temporal'] ?? 'temporal'} --address ${stack.temporal.address}`;
  const id = `cell/${key.namespace}/${key.name}`;
  return [
    '',
    `The rollouts in the Temporal Web UI: ${stack.temporal.ui}/namespaces/${stack.temporal.namespace}/workflows`,
    'To try while it runs (with --keep it goes on after the last chapter):',
    `  ${kubectl} get cells,awsalbc,analysisruns`,
    `  ${kubectl} describe cell ${key.name}`,
    `  ${temporal} workflow signal --workflow-id ${id} --name pause`,
    `  ${temporal} workflow signal --workflow-id ${id} --name resume`,
    `  tctl --address ${stack.temporal.address} workflow signal -w ${id} -n abort`,
    `Logs: ${stack.logs}`,
  ].join('\n');
}

async function stay(): Promise<void> {
  say('\nEverything keeps running. Ctrl-C stops it.');
  await wait(2 ** 31 - 1, undefined, { signal: stopped.signal }).catch(() => undefined);
}

const known = new Set(['--keep']);
const unknown = process.argv.slice(2).filter((argument) => !known.has(argument));
try {
  if (unknown.length > 0) throw new Error(`Expected no arguments or --keep, got ${unknown.join(' ')}.`);
  process.exitCode = await main(process.argv.includes('--keep'));
} catch (error) {
  process.exitCode = stopped.signal.aborted ? Number(stopped.signal.reason) : 1;
  if (!stopped.signal.aborted)
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
if (process.connected) process.disconnect();
