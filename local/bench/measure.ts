import { cpus, totalmem } from 'node:os';
import { connectKubernetes } from '../../clients/kubernetes/kubernetes.ts';
import type { BenchRequest, Group } from './arguments.mjs';
import { table, type Figure } from './figures.ts';
import {
  measureArrivals,
  measureChanges,
  measureCold,
  measureMemory,
  measureRestart,
} from './measurements.ts';
import { report, type Measured } from './report.ts';
import { measureAbort } from './rollouts/abort.ts';
import { measureLoad } from './rollouts/load.ts';
import { measureSteps } from './rollouts/steps.ts';
import { measureStaged } from './staged.ts';
import { measureBurst } from './burst.ts';
import { measureIdle } from './idle.ts';
import { measureStart } from './start.ts';
import { measureTakeover } from './takeover.ts';
import { buildWorld, type Ground } from './world.ts';
import { installDefinitions } from '../install-definitions.ts';
import { startStack } from '../stack.ts';
import { componentSets } from '../tools.mjs';

/** What each group measures that is reported alike. */
const reported: Partial<Record<Group, (ground: Ground) => Promise<Measured>>> = {
  steps: measureSteps,
  abort: measureAbort,
  load: measureLoad,
  start: measureStart,
  takeover: measureTakeover,
  idle: measureIdle,
  burst: measureBurst,
};

/** What Okra is compared with has pods, but no Jobs. */
const withPods = componentSets.full.filter((name) => name !== 'job-runner');

/** Measures what is asked for on a stack of its own, and reports it. */
export async function measure(
  { size, groups, json, write }: Extract<BenchRequest, { do: 'Measure' }>,
  { say, signal }: Pick<Ground, 'say' | 'signal'>,
): Promise<void> {
  const components = groups.includes('steps') ? withPods : componentSets.demo;
  await using stack = await startStack({ components, log: say, signal });
  await installDefinitions(stack);
  const ground = { size, stack, management: connectKubernetes(stack.kubeconfig), say, signal };
  if (groups.includes('discovery')) await measureDiscovery(ground);
  if (groups.includes('staged')) say(`\n${table(await measureStaged(ground))}\n`);
  for (const group of groups) {
    const measured = await reported[group]?.(ground);
    if (measured !== undefined) await report(measured, { group, json, write, machine: machine(), say });
  }
  say(`Measured on ${machine()}.`);
}

async function measureDiscovery(ground: Ground): Promise<void> {
  const { say } = ground;
  await using world = await buildWorld(ground);
  const figures: Figure[] = [];
  figures.push(...(await measureCold(world)));
  figures.push(...(await measureArrivals(world)));
  figures.push(...(await measureChanges(world)));
  figures.push(...(await measureMemory(world)));
  figures.push(...(await measureRestart(world)));
  say(`\n${table(figures)}\n`);
  say(
    `One kube-apiserver played all ${ground.size.clusters} clusters: to Okra each is a secret, a connection and a namespace of its own.`,
  );
}

const machine = (): string =>
  `${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB of memory, ${process.platform}, Node ${process.versions.node}`;
