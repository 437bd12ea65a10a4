import { join } from 'node:path';
import { startOkrad } from '../okrad.ts';
import { upTo } from './each.ts';
import { median, type Figure } from './figures.ts';
import { timesIn } from './log.ts';
import { cpuSecondsOf, memoryOf } from './memory.ts';
import { imageEnvironment, packagedOkrad } from './package.ts';
import type { Measured } from './report.ts';
import type { Ground } from './world.ts';

const root = join(import.meta.dirname, '../..');

/** One start of okrad. */
interface Start {
  readonly seconds: number;
  /** Processor time. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Measures how long okrad takes from its start until both of its parts are at work, and what that takes, compiled and from the source. */
export async function measureStart(ground: Ground): Promise<Measured> {
  const { stack, size, say } = ground;
  say('Building the package …');
  const packaged = await packagedOkrad(stack);
  const programs = [
    { of: 'the package', program: packaged, below: 2 },
    { of: 'the source', program: join(root, 'cli/okrad.ts'), below: 4 },
  ];
  const raw: { of: string; starts: readonly Start[] }[] = [];
  const figures: Figure[] = [];
  for (const { of, program, below } of programs) {
    // What the first start compiles, the others find.
    await startOnce(ground, program, 'first');
    const starts: Start[] = [];
    for (const index of upTo(size.starts)) starts.push(await startOnce(ground, program, String(index)));
    raw.push({ of, starts });
    const middle = (from: (start: Start) => number): number => median(starts.map(from));
    figures.push(
      {
        what: `okrad of ${of}: from its start to working`,
        value: middle((one) => one.seconds),
        unit: 's',
        below,
      },
      { what: 'the slowest of them', value: Math.max(...starts.map((one) => one.seconds)), unit: 's', below },
      { what: 'processor time', value: middle((one) => one.cpuSeconds), unit: 's' },
      { what: 'memory', value: middle((one) => one.megabytes), unit: 'MB', below: 220 },
    );
  }
  return { figures, raw };
}

async function startOnce({ stack, signal, say }: Ground, program: string, name: string): Promise<Start> {
  const log = join(stack.logs, `start-${program.endsWith('.ts') ? 'source' : 'package'}-${name}.log`);
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
