import { setTimeout as wait } from 'node:timers/promises';
import { proxyControl } from '../elbv2-proxy/control.ts';
import type { Figure } from './figures.ts';
import { memoryOfOkrad, openOkrad, type RunningOkrad } from './okrad.ts';
import { imageEnvironment, packagedOkrad } from './package.ts';
import type { Measured } from './report.ts';
import { RESTING_ARNS, RESTING_WORKFLOWS, restingCells } from './resting.ts';
import { rollingCells, type RollingCells } from './rolling.ts';
import type { Ground } from './world.ts';

// After so long without anything to do, all that a start brings with it is done, and its garbage is gone.
const QUIET_MILLISECONDS = 12_000;
/** With what the AWSTargetGroups of a namespace are compared with AWS. */
const OF_TARGET_GROUPS: ReadonlySet<string> = new Set(['DescribeTargetGroups', 'DescribeTags']);

/** Measures what Cells take that are at rest, and how soon a new one is served when the watchers were killed. */
export async function measureIdle(ground: Ground): Promise<Measured> {
  const { stack, size, say } = ground;
  say(`Making ${size.cells} Cells at rest …`);
  await restingCells(ground, size.cells);
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
  const ofCells = calls.filter(({ action }) => !OF_TARGET_GROUPS.has(action));
  const runs = await running.temporal.workflow.count(`WorkflowId STARTS_WITH '${RESTING_WORKFLOWS}'`);
  const { worker, watchers } = await memoryOfOkrad(running);
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
