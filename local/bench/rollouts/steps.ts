import { setTimeout as wait } from 'node:timers/promises';
import { proxyControl, type CallRecord } from '../../elbv2-proxy/control.ts';
import { upTo } from '../each.ts';
import { median, type Figure } from '../figures.ts';
import type { RunningOkrad } from '../okrad.ts';
import type { Measured } from '../report.ts';
import type { Ground } from '../world.ts';
import { argoCanary } from './argo-canary.ts';
import { benchCells, serves, type BenchCells } from './cells.ts';
import { costBetween, costSoFar, type Cost, type Part } from './cost.ts';
import { measureFloor } from './floor.ts';
import { openWithRates, unheld } from './rates.ts';
import type { Plot, Series } from '../plot.ts';
import { gapsOf, quantile, weightsSince, type Weight } from './weights.ts';

const WEIGHTS = 10;
const steps = upTo(WEIGHTS).map((index) => ({ setWeight: 10 * (index + 1) }));

/** A rollout of ten weights. */
interface Rollout {
  readonly seconds: number;
  readonly weights: readonly Weight[];
  readonly cpuSeconds: Cost['cpuSeconds'];
  readonly requests: Readonly<Record<string, number>>;
  /** Calls of ELBv2 from one write of weights to the next. */
  readonly calls: number;
  readonly events: number;
}

/** Measures ten weights that are written and read back without pauses, beside a canary of Argo Rollouts, and as many activities that do nothing. */
export async function measureSteps(ground: Ground): Promise<Measured> {
  const { stack, say, size } = ground;
  await using running = await openWithRates(ground, unheld);
  await using cells = benchCells(ground);
  await cells.install([{ name: 'steps', steps }]);
  const rollouts: Rollout[] = [];
  const argo: number[] = [];
  await using canary = await argoCanary(ground);
  // By turns, so that both have the same machine.
  for (const round of upTo(size.rounds + 1)) {
    const version = `1.${round + 1}.0`;
    const rollout = await rollOnce(version, { ...ground, cells, running });
    const seconds = await canary.roll(`nginx:${round + 2}`);
    say(`  Okra ${rollout.seconds.toFixed(2)} s, Argo Rollouts ${seconds.toFixed(2)} s`);
    // The first ones warm up.
    if (round === 0) continue;
    rollouts.push(rollout);
    argo.push(seconds);
  }
  const floor = await measureFloor(stack, running.temporal, { activities: WEIGHTS, rounds: size.rounds });
  const plots = { 'steps-weights': plotOf(rollouts) };
  return { figures: figuresOf(rollouts, { argo, floor }), raw: { rollouts, argo, floor }, plots };
}

async function rollOnce(
  version: string,
  ground: Ground & { readonly cells: BenchCells; readonly running: RunningOkrad },
): Promise<Rollout> {
  const { stack, cells, running } = ground;
  const control = proxyControl(stack.proxyControl);
  const workflow = running.temporal.workflow.getHandle('cell/default/steps');
  await wait(1_000);
  const [since, before, earlier] = await Promise.all([
    control.lastCall(),
    costSoFar(stack, running),
    workflow.describe(),
  ]);
  const began = performance.now();
  const canary = await cells.bring('steps', version);
  await cells.until(`${version} to serve`, ['steps'], serves(version));
  const seconds = (performance.now() - began) / 1000;
  const [after, weights, calls, later] = await Promise.all([
    costSoFar(stack, running),
    weightsSince(control, since, new Set([canary])),
    control.calls({ since }),
    workflow.describe(),
  ]);
  const { cpuSeconds, requests } = costBetween(before, after);
  return {
    seconds,
    weights,
    cpuSeconds,
    requests: Object.fromEntries(requests),
    calls: callsBetweenWrites(calls),
    events: later.historyLength - (later.runId === earlier.runId ? earlier.historyLength : 0),
  };
}

/** Counts the calls of ELBv2 from one write of weights to the next; what a new target group and the end take is none of them. */
function callsBetweenWrites(calls: readonly CallRecord[]): number {
  const writes = calls.flatMap(({ action }, index) => (action === 'ModifyRule' ? [index] : []));
  return ((writes.at(-1) ?? 0) - (writes[0] ?? 0)) / Math.max(1, writes.length - 1);
}

interface Beside {
  readonly argo: readonly number[];
  readonly floor: readonly number[];
}

/** What one weight may take, as the issue of the first measurements wants it: a third of what it took then. */
const CPU_MS: Readonly<Record<Part, number>> = { okrad: 33, Temporal: 32, 'kube-apiserver': 26 };

function figuresOf(rollouts: readonly Rollout[], { argo, floor }: Beside): readonly Figure[] {
  const of = (from: (rollout: Rollout) => number): number => median(rollouts.map(from));
  const seconds = of((one) => one.seconds);
  const gaps = rollouts.flatMap(({ weights }) => gapsOf(weights));
  const perWeight = (from: (rollout: Rollout) => number): number =>
    of((one) => from(one) / one.weights.length);
  const cpu = (Object.keys(CPU_MS) as Part[]).map((part): Figure => ({
    what: `processor time of ${part} for one weight`,
    value: 1000 * perWeight((one) => one.cpuSeconds[part]),
    unit: 'ms',
    below: CPU_MS[part],
  }));
  const requests = (one: Rollout): number =>
    Object.values(one.requests).reduce((sum, count) => sum + count, 0);
  return [
    { what: `${WEIGHTS} weights, from the new target group to the end`, value: seconds, unit: 's' },
    { what: 'a canary of Argo Rollouts of 10 steps', value: median(argo), unit: 's' },
    { what: 'the first by the second', value: seconds / median(argo), unit: 'times', below: 0.3 },
    { what: `a workflow of ${WEIGHTS} activities that do nothing`, value: median(floor), unit: 's' },
    { what: 'from weight to weight, median', value: median(gaps), unit: 'ms' },
    { what: 'from weight to weight, 95 of 100', value: quantile(gaps, 0.95), unit: 'ms', below: 100 },
    ...cpu,
    { what: 'requests to the API server for one weight', value: perWeight(requests), unit: 'requests' },
    { what: 'calls of ELBv2 for one weight', value: of((one) => one.calls), unit: 'requests', below: 5.5 },
    {
      what: 'events of history for one weight',
      value: perWeight((one) => one.events),
      unit: 'events',
      below: 12,
    },
  ];
}

function plotOf(rollouts: readonly Rollout[]): Plot {
  const series = rollouts.slice(0, 3).map(({ weights }, index): Series => {
    const began = weights[0]?.at ?? 0;
    const points = weights.map(({ at, percent }) => [(at - began) / 1000, percent] as const);
    return { name: `rollout ${index + 1}`, points };
  });
  return { title: 'Weights of a canary over time', x: 'seconds', y: 'percent', series, isStepped: true };
}
