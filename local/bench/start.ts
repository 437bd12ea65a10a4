import { join } from 'node:path';
import { startOkrad } from '../okrad.ts';
import { upTo } from './each.ts';
import { median, type Figure } from './figures.ts';
import { timesIn } from './log.ts';
import { cpuSecondsOf, memoryOf } from './memory.ts';
import { imageEnvironment, packagedOkrad } from './package.ts';
import type { Measured } from './report.ts';
import type { Ground } from './world.ts';

/** One start of okrad. */
interface Start {
  readonly seconds: number;
  /** Processor time. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Measures how long okrad of the package takes from its start until both of its parts are at work, and what that takes. */
export async function measureStart(ground: Ground): Promise<Measured> {
  const { stack, size, say } = ground;
  say('Building the package …');
  const program = await packagedOkrad(stack);
  // What the first start compiles, the others find.
  await startOnce(ground, program, 'first');
  const starts: Start[] = [];
  for (const index of upTo(size.starts)) starts.push(await startOnce(ground, program, String(index)));
  const middle = (from: (start: Start) => number): number => median(starts.map(from));
  const slowest = Math.max(...starts.map(({ seconds }) => seconds));
  const figures: readonly Figure[] = [
    {
      what: 'okrad of the package: from its start to working',
      value: middle(({ seconds }) => seconds),
      unit: 's',
      below: 2,
    },
    { what: 'the slowest of them', value: slowest, unit: 's', below: 2 },
    { what: 'processor time', value: middle(({ cpuSeconds }) => cpuSeconds), unit: 's' },
    { what: 'memory', value: middle(({ megabytes }) => megabytes), unit: 'MB', below: 220 },
  ];
  return { figures, raw: starts };
}

async function startOnce({ stack, signal, say }: Ground, program: string, name: string): Promise<Start> {
  const log = join(stack.logs, `start-${name}.log`);
  const began = Date.now();
  await using okrad = startOkrad({
    environment: { ...stack.environment, ...imageEnvironment },
    log,
    program,
  });
  const times = await timesIn(log, ['watching', 'worker started'], signal);
  const [cpu = Number.NaN, memory] = await Promise.all([cpuSecondsOf(okrad.pid()), memoryOf(okrad.pid())]);
  const seconds = (Math.max(...times) - began) / 1000;
  say(`  ${seconds.toFixed(2)} s`);
  return { seconds, cpuSeconds: cpu, megabytes: memory?.now ?? Number.NaN };
}
