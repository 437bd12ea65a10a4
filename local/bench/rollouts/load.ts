import { proxyControl, type CallRecord } from '../../elbv2-proxy/control.ts';
import { forEach, upTo } from '../each.ts';
import { type Figure } from '../figures.ts';
import type { RunningOkrad } from '../okrad.ts';
import type { Measured } from '../report.ts';
import type { Ground } from '../world.ts';
import { benchCells, serves, type BenchCells } from './cells.ts';
import type { Plot } from '../plot.ts';
import { BURST_OF_READS, held, openWithRates, unheld } from './rates.ts';
import { weightsSince, type Weight } from './weights.ts';

/** How many weights all rollouts write together: what takes a minute at the rate, and longer for more than a hundred rollouts, which write two each. */
const WEIGHTS = 180;

interface World extends Ground {
  readonly cells: BenchCells;
  readonly running: RunningOkrad;
}

/** Measures many rollouts that share a rate of writes, and as many aborts at once. */
export async function measureLoad(ground: Ground): Promise<Measured> {
  const { size, say } = ground;
  const count = size.rollouts;
  const rolling = upTo(count).map((index) => `rolling-${index}`);
  const aborted = upTo(count).map((index) => `aborted-${index}`);
  const each = Math.max(1, Math.floor(WEIGHTS / count) - 1);
  const steps = upTo(each).map((index) => ({ setWeight: Math.round((100 * (index + 1)) / each) }));
  await using cells = benchCells(ground);
  const canaries = new Set<string>();
  {
    await using _ = await openWithRates(ground, unheld);
    say(`Making ${2 * count} Cells …`);
    await cells.install([
      ...rolling.map((name) => ({ name, steps })),
      // Weights of all sizes, in no order.
      ...aborted.map((name, index) => ({
        name,
        steps: [{ setWeight: 5 + ((37 * index) % 91) }, { pause: {} }],
      })),
    ]);
    await forEach(aborted, async (name) => void canaries.add(await cells.bring(name, '2.0.0')));
    await cells.until('canaries to wait', aborted, ({ status }) => status?.phase === 'Paused');
  }
  await using running = await openWithRates(ground, held);
  const world = { ...ground, cells, running };
  say(`Rolling out ${count} at ${held.writes} writes a second …`);
  const load = await rollAll(rolling, world);
  say(`Aborting ${count} at once …`);
  const aborts = await abortAll(aborted, canaries, world);
  return {
    figures: [...load.figures, ...aborts.figures],
    raw: { load: load.raw, aborts: aborts.raw },
    plots: { 'load-weights': load.plot, 'load-aborts': aborts.plot },
  };
}

async function rollAll(names: readonly string[], { stack, cells }: World) {
  const control = proxyControl(stack.proxyControl);
  const since = await control.lastCall();
  const canaries = new Set<string>();
  const finished: number[] = [];
  const began = Date.now();
  await forEach(names, async (name) => void canaries.add(await cells.bring(name, '2.0.0')));
  const brought = Date.now();
  await Promise.all(
    names.map(async (name) => finished.push(await cells.until('2.0.0 to serve', [name], serves('2.0.0')))),
  );
  const [calls, weights] = await Promise.all([
    control.calls({ since }),
    weightsSince(control, since, canaries),
  ]);
  const seconds = (Math.max(...finished) - began) / 1000;
  const reads = calls.filter((call) => isRead(call) && call.startedAt >= brought);
  const last = Math.max(...finished);
  const durations = finished.map((at) => (at - began) / 1000);
  const figures: readonly Figure[] = [
    {
      what: `${names.length} rollouts of ${Math.round(weights.length / names.length)} weights, at ${held.writes} writes a second`,
      value: seconds,
      unit: 's',
    },
    {
      what: 'by what the limits of writes and reads allow',
      value: seconds / Math.max(allowed(weights.length), readable(calls.filter(isRead).length)),
      unit: 'times',
      below: 1.05,
    },
    {
      what: 'reads of ELBv2 a second',
      value: (1000 * reads.length) / (last - brought),
      unit: 'requests',
      below: 10.5,
    },
    {
      what: 'the slowest rollout by the fastest',
      value: Math.max(...durations) / Math.min(...durations),
      unit: 'times',
      // Of rollouts of few weights some are done a whole round before the others.
      ...(weights.length / names.length >= 8 ? { below: 1.2 } : {}),
    },
  ];
  const actions = Object.entries(Object.groupBy(calls, ({ action }) => action)).map(
    ([action, some = []]) => [action, some.length] as const,
  );
  const raw = { weights, durations, actions: Object.fromEntries(actions) };
  return { figures, raw, plot: plotOf('Canaries under load', weights, began) };
}

async function abortAll(
  names: readonly string[],
  canaries: ReadonlySet<string>,
  { stack, cells, running }: World,
) {
  const control = proxyControl(stack.proxyControl);
  const before = new Map(
    (await weightsSince(control, 0, canaries)).map(({ rule, percent }) => [rule, percent] as const),
  );
  const since = await control.lastCall();
  const began = Date.now();
  await Promise.all(
    names.map((name) =>
      running.temporal.workflow
        .getHandle(`cell/default/${name}`)
        .signal('abort', { by: 'bench', reason: 'measured' }),
    ),
  );
  await cells.until('everything to be taken back', names, ({ status }) => status?.phase === 'Reverted');
  const weights = await weightsSince(control, since, canaries);
  const seconds = (Math.max(...weights.map(({ at }) => at)) - began) / 1000;
  const taken = weights.map(({ rule, at }) => ({ at, percent: before.get(rule) ?? Number.NaN }));
  // What was rolled out before has spent the burst.
  const figures: readonly Figure[] = [
    { what: `${names.length} aborts at once`, value: seconds, unit: 's' },
    {
      what: 'by what the limit allows',
      value: seconds / (weights.length / held.writes),
      unit: 'times',
      below: 1.1,
    },
    {
      what: 'pairs that were taken back in the wrong order, of 100',
      value: disorder(taken.slice(held.burst + 1)),
      unit: 'objects',
    },
  ];
  const series = [
    {
      name: 'weight that was taken back',
      points: taken.map(({ at, percent }) => [(at - began) / 1000, percent] as const),
    },
  ];
  const plot: Plot = { title: `${names.length} aborts at once`, x: 'seconds', y: 'percent', series };
  return { figures, raw: { taken, began }, plot };
}

/** How many of 100 pairs have the smaller weight first. */
function disorder(taken: readonly { readonly percent: number }[]): number {
  let [wrong, all] = [0, 0];
  for (const [index, { percent }] of taken.entries())
    for (const later of taken.slice(index + 1)) {
      all += 1;
      if (later.percent > percent) wrong += 1;
    }
  return all === 0 ? 0 : (100 * wrong) / all;
}

/** The seconds that so many writes take at least: those of the burst are there at once. */
const allowed = (writes: number): number => Math.max(0, writes - held.burst) / held.writes;

/** The seconds that so many reads take at least. */
const readable = (reads: number): number => Math.max(0, reads - BURST_OF_READS * held.reads) / held.reads;

const isRead = ({ action }: CallRecord): boolean => action.startsWith('Describe');

function plotOf(title: string, weights: readonly Weight[], began: number): Plot {
  const rules = [...new Set(weights.map(({ rule }) => rule))].slice(0, 6);
  const series = rules.map((rule, index) => ({
    name: `rollout ${index + 1}`,
    points: weights
      .filter((one) => one.rule === rule)
      .map(({ at, percent }) => [(at - began) / 1000, percent] as const),
  }));
  return { title, x: 'seconds', y: 'percent', series, isStepped: true };
}
