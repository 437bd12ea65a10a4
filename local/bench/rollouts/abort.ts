import { setTimeout as wait } from 'node:timers/promises';
import { proxyControl } from '../../elbv2-proxy/control.ts';
import { forEach, upTo } from '../each.ts';
import { median, type Figure } from '../figures.ts';
import type { RunningOkrad } from '../okrad.ts';
import type { Measured } from '../report.ts';
import type { Ground } from '../world.ts';
import { benchCells, everyWeight, type BenchCells } from './cells.ts';
import { held, openWithRates, unheld } from './rates.ts';
import type { Series } from '../plot.ts';
import { quantile } from './weights.ts';

const ABORTS = 20;
/** How long an okrad that was just started has work to do, which looks at all Cells. */
const STARTED_MS = 10_000;
const steps = [{ setWeight: 50 }, { pause: {} }];
const namesOf = (prefix: string, count: number): readonly string[] =>
  upTo(count).map((index) => `${prefix}-${index}`);

interface World extends Ground {
  readonly cells: BenchCells;
  readonly running: RunningOkrad;
}

/** Measures from an abort until the canary is read back at 0: with nothing else to do, and while others roll. */
export async function measureAbort(ground: Ground): Promise<Measured> {
  const { size, say } = ground;
  const names = namesOf('aborted', ABORTS);
  const others = namesOf('other', size.rollouts);
  await using cells = benchCells(ground);
  {
    await using _ = await openWithRates(ground, unheld);
    say(`Making ${ABORTS + size.rollouts} Cells …`);
    await cells.install([
      ...names.map((name) => ({ name, steps })),
      ...others.map((name) => ({ name, steps: everyWeight })),
    ]);
  }
  await using running = await openWithRates(ground, held);
  const world = { ...ground, cells, running };
  const first = await bringAll(names, '2.0.0', cells);
  await wait(STARTED_MS);
  const alone = await abortEach(first, world);
  const canaries = await bringAll(names, '3.0.0', cells);
  say(`Rolling ${size.rollouts} others out at ${held.writes} writes a second …`);
  await forEach(others, async (name) => void (await cells.bring(name, '2.0.0')));
  await wait(5_000);
  const among = await abortEach(canaries, world);
  const series: readonly Series[] = [
    { name: 'with nothing else to do', points: sorted(alone) },
    { name: `while ${size.rollouts} others roll`, points: sorted(among) },
  ];
  return {
    figures: [
      ...figuresOf('with nothing else to do', alone, 0.15),
      ...figuresOf(`while ${size.rollouts} others roll at ${held.writes} writes a second`, among, 1),
    ],
    raw: { alone, among },
    plots: {
      abort: { title: 'From an abort to 0', x: 'aborts, the fastest first', y: 'milliseconds', series },
    },
  };
}

const sorted = (latencies: readonly number[]): Series['points'] =>
  latencies.toSorted((a, b) => a - b).map((value, index) => [index + 1, value]);

/** Begins rollouts, and waits until their canaries have half of the traffic; answers with their ARNs. */
async function bringAll(
  names: readonly string[],
  version: string,
  cells: BenchCells,
): Promise<ReadonlyMap<string, string>> {
  const canaries = new Map<string, string>();
  await forEach(names, async (name) => void canaries.set(name, await cells.bring(name, version)));
  await cells.until(
    'canaries to be at 50',
    names,
    ({ status }) => status?.phase === 'Paused' && status.desiredVersion === version,
  );
  return canaries;
}

/** Aborts rollouts one after another; answers with the milliseconds until each was read back. */
async function abortEach(canaries: ReadonlyMap<string, string>, world: World): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (const [name, canary] of canaries) {
    latencies.push(await abortOne(name, canary, world));
    await wait(400);
  }
  return latencies;
}

async function abortOne(name: string, canary: string, { stack, running }: World): Promise<number> {
  const control = proxyControl(stack.proxyControl);
  const since = await control.lastCall();
  const began = Date.now();
  await running.temporal.workflow
    .getHandle(`cell/default/${name}`)
    .signal('abort', { by: 'bench', reason: 'measured' });
  const written = await control.waitForCall(({ applied }) => applied, {
    filter: { since, targetGroup: canary, action: 'ModifyRule' },
    timeoutMs: 60_000,
  });
  const rule = written.after?.[0]?.ruleArn ?? '';
  const read = await control.waitForCall(({ startedAt }) => startedAt >= written.startedAt, {
    filter: { since: written.seq, action: 'DescribeRules', mentions: [rule] },
    timeoutMs: 60_000,
  });
  return read.endedAt - began;
}

function figuresOf(what: string, latencies: readonly number[], below: number): readonly Figure[] {
  return [
    {
      what: `from an abort to 0 read back, ${what}, median of ${latencies.length}`,
      value: median(latencies),
      unit: 'ms',
    },
    { what: '95 of 100', value: quantile(latencies, 0.95), unit: 'ms', below: 1000 * below },
  ];
}
