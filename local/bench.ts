import { cpus, totalmem } from 'node:os';
import { connectKubernetes } from '../clients/kubernetes/kubernetes.ts';
import { readBenchArguments, type BenchRequest, type Group } from './bench/arguments.mjs';
import { table, type Figure } from './bench/figures.ts';
import {
  measureArrivals,
  measureChanges,
  measureCold,
  measureMemory,
  measureRestart,
} from './bench/measurements.ts';
import { report, type Measured } from './bench/report.ts';
import { measureAbort } from './bench/rollouts/abort.ts';
import { measureLoad } from './bench/rollouts/load.ts';
import { measureSteps } from './bench/rollouts/steps.ts';
import { measureStaged } from './bench/staged.ts';
import { measureBurst } from './bench/burst.ts';
import { measureIdle } from './bench/idle.ts';
import { measureStart } from './bench/start.ts';
import { measureTakeover } from './bench/takeover.ts';
import { buildWorld, type Ground } from './bench/world.ts';
import { installDefinitions } from './install-definitions.ts';
import { runProgram, stopOnSignals } from './program.ts';
import { startStack } from './stack.ts';
import { componentSets } from './tools.mjs';

const signal = stopOnSignals();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

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

async function measure(request: Extract<BenchRequest, { do: 'Measure' }>): Promise<void> {
  const { size, groups, json, write } = request;
  // What Okra is compared with has pods.
  const components = groups.includes('steps') ? componentSets.full : componentSets.demo;
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

async function main(): Promise<number> {
  const request = readBenchArguments(process.argv.slice(2));
  switch (request.do) {
    case 'Explain':
      process.stderr.write(`${request.message}\n`);
      return request.status;
    case 'Measure':
      await measure(request);
      return 0;
  }
}

await runProgram(main, signal);
