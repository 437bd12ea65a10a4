import { cpus, totalmem } from 'node:os';
import { readBenchArguments } from './bench/arguments.mjs';
import { table, type Figure } from './bench/figures.ts';
import {
  measureArrivals,
  measureChanges,
  measureCold,
  measureMemory,
  measureRestart,
} from './bench/measurements.ts';
import { buildWorld, type World } from './bench/world.ts';
import { runProgram, stopOnSignals } from './program.ts';

const signal = stopOnSignals();
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function measure(size: World['size']): Promise<void> {
  await using world = await buildWorld({ size, say, signal });
  const figures: Figure[] = [];
  figures.push(...(await measureCold(world)));
  figures.push(...(await measureArrivals(world)));
  figures.push(...(await measureChanges(world)));
  figures.push(...(await measureMemory(world)));
  figures.push(...(await measureRestart(world)));
  say(`\n${table(figures)}\n`);
  say(`Measured on ${machine()}.`);
  say(
    `One kube-apiserver played all ${size.clusters} clusters: to Okra each is a secret, a connection and a namespace of its own.`,
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
      await measure(request.size);
      return 0;
  }
}

await runProgram(main, signal);
