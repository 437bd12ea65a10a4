import { setTimeout as wait } from 'node:timers/promises';
import { proxyControl } from '../../elbv2-proxy/control.ts';
import { waitFor } from '../wait.ts';
import type { Figure } from './figures.ts';
import { memoryOf, type Memory } from './memory.ts';
import { openOkrad, type RunningOkrad } from './okrad.ts';
import { imageEnvironment, packagedOkrad } from './package.ts';
import type { Measured } from './report.ts';
import { changeCells, lookedAt, RESTING_ARNS, RESTING_WORKFLOWS, restingCells } from './resting.ts';
import { rollingCells, type RollingCells } from './rolling.ts';
import type { Ground } from './world.ts';

// After so long without anything to do, all that a start brings with it is done.
const QUIET_MILLISECONDS = 5_000;
const LONGEST_MILLISECONDS = 280_000;

/** Measures what Cells take that are at rest, and how soon a new one is served when the watchers were killed. */
export async function measureIdle(ground: Ground): Promise<Measured> {
  const { stack, management, size, say } = ground;
  say(`Making ${size.cells} Cells at rest …`);
  await restingCells(management, size.cells);
  await using cells = rollingCells(ground);
  const control = proxyControl(stack.proxyControl);
  const since = await control.lastCall();
  const program = await packagedOkrad(stack);
  const environment = { ...stack.environment, ...imageEnvironment };
  await using running = await openOkrad({ ...ground, environment, program });
  await wait(QUIET_MILLISECONDS);
  // Others are measured on the same stack.
  const calls = await control.calls({ since, mentions: RESTING_ARNS });
  // The target groups are compared with AWS by a workflow of their own, whoever selects them.
  const ofCells = calls.filter(({ action }) => action !== 'DescribeTargetGroups');
  const runs = await running.temporal.workflow.count(`WorkflowId STARTS_WITH '${RESTING_WORKFLOWS}'`);
  const [worker, watchers] = await memories(running);
  const again: number[] = [];
  for (const identity of ['same', 'same', 'other']) {
    say(
      `Killing the watchers, which are started again under ${identity === 'same' ? 'their' : 'another'} name …`,
    );
    again.push(await servedAfter(running, { cells, ground, identity, name: `new-${again.length}` }));
  }
  const [first = Number.NaN, same = Number.NaN, other = Number.NaN] = again;
  const figures: readonly Figure[] = [
    { what: `${size.cells} Cells at rest: memory of the watchers`, value: watchers?.now, unit: 'MB' },
    { what: 'memory of the worker', value: worker?.now, unit: 'MB' },
    {
      what: 'both',
      value: (watchers?.now ?? Number.NaN) + (worker?.now ?? Number.NaN),
      unit: 'MB',
      below: 350,
    },
    { what: 'the most that the watchers ever had', value: watchers?.most, unit: 'MB' },
    { what: 'runs that were started for them', value: runs.count, unit: 'objects', below: 1 },
    { what: 'calls to ELBv2 for them', value: ofCells.length, unit: 'requests', below: 1 },
    {
      what: 'a new Cell served after kill -9 of the watchers, by the same name',
      value: same,
      unit: 's',
      below: 5,
    },
    { what: 'the same, by another name', value: other, unit: 's', below: 10 },
  ];
  return {
    figures,
    raw: { worker, watchers, runs: runs.count, calls: ofCells, served: { first, same, other } },
  };
}

const memories = ({ okrad }: RunningOkrad): Promise<readonly (Memory | undefined)[]> =>
  Promise.all([memoryOf(okrad.worker.pid()), memoryOf(okrad.watchers.pid())]);

interface Serving {
  readonly cells: RollingCells;
  readonly ground: Ground;
  readonly identity: string;
  readonly name: string;
}

/** Kills the watchers, starts them again, and makes a Cell; answers with the seconds until it is served. */
async function servedAfter({ okrad }: RunningOkrad, { cells, identity, name }: Serving): Promise<number> {
  await okrad.watchers.end('SIGKILL');
  const began = Date.now();
  okrad.watchers.start(identity === 'same' ? {} : { OKRA_IDENTITY: `${identity}-${began}` });
  await cells.install(name);
  return (Date.now() - began) / 1000;
}

/** Measures what happens when many Cells change at once, and a process may have little memory. */
export async function measureBurst(ground: Ground): Promise<Measured> {
  const { stack, management, size, say, signal } = ground;
  say(`Making ${size.burst} Cells at rest …`);
  await restingCells(management, size.burst);
  const program = await packagedOkrad(stack);
  const limited = { NODE_OPTIONS: '--max-old-space-size=1024' };
  const environment = { ...stack.environment, ...imageEnvironment, ...limited };
  await using running = await openOkrad({ ...ground, environment, program });
  say('Changing all of them …');
  const began = performance.now();
  await changeCells(management, size.burst);
  const changed = (performance.now() - began) / 1000;
  const patience = {
    what: `${size.burst} Cells to be looked at`,
    timeoutMillis: LONGEST_MILLISECONDS,
    intervalMillis: 3_000,
    signal,
  };
  await waitFor(patience, async () => ((await lookedAt(management)) === size.burst ? true : undefined));
  const looked = (performance.now() - began) / 1000;
  const [worker, watchers] = await memories(running);
  const figures: readonly Figure[] = [
    {
      what: `${size.burst} Cells that change within ${changed.toFixed(0)} s, until all are looked at`,
      value: looked,
      unit: 's',
    },
    { what: 'the most memory that the watchers ever had', value: watchers?.most, unit: 'MB', below: 1024 },
    { what: 'the most memory that the worker ever had', value: worker?.most, unit: 'MB', below: 1024 },
  ];
  return { figures, raw: { changed, looked, worker, watchers } };
}
