import type { Client } from '@temporalio/client';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createLog } from '../../clients/log.ts';
import { connectTemporal } from '../../clients/temporal/temporal.ts';
import { loadConfig } from '../../config/config.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { startOkrad, type Okrad } from '../okrad.ts';
import { upTo } from './each.ts';
import { median, type Figure } from './figures.ts';
import { eventsAfter, type ToldEvent } from './history.ts';
import { timesIn } from './log.ts';
import { imageEnvironment, packagedOkrad } from './package.ts';
import type { Measured } from './report.ts';
import { rollingCells, type RollingCells } from './rolling.ts';
import { ratesEnvironment, unheld } from './rollouts/rates.ts';
import type { Ground } from './world.ts';

/** A write that had been sent before the end arrives within this time. */
const SENT_MILLISECONDS = 100;

/** Measures from the end of okrad to the next weight, when the only one is killed and started again, and when one of two is. */
export async function measureTakeover(ground: Ground): Promise<Measured> {
  const { stack, signal, size, say } = ground;
  const config = loadConfig(stack.environment);
  const { connection, client } = await connectTemporal(config, { log: createLog('silent'), signal });
  await using undo = new AsyncDisposableStack();
  undo.defer(() => connection.close());
  await using cells = rollingCells(ground);
  await using first = await startNamed('one', ground);
  say('Killing the only okrad, which is started again at once …');
  const only: Killed[] = [];
  for (const index of upTo(size.starts)) {
    only.push(await killDuring(`only-${index}`, { cells, okrad: first, say, client }, true));
    await isWorking(first, ground);
  }
  say('Killing one of two …');
  await using second = await startNamed('two', ground);
  const one: Killed[] = [];
  for (const index of upTo(size.starts)) {
    const okrad = index % 2 === 0 ? first : second;
    one.push(await killDuring(`pair-${index}`, { cells, okrad, say, client }, false));
    const since = Date.now();
    okrad.start();
    await isPolling(okrad, ground, since);
  }
  return {
    figures: [...figuresOf('the only okrad, started again', only), ...figuresOf('one of two', one)],
    raw: { only, one },
  };
}

/** A kill, and what happened until the next weight. */
interface Killed {
  readonly seconds: number;
  readonly events: readonly ToldEvent[];
}

function figuresOf(what: string, kills: readonly Killed[]): readonly Figure[] {
  const seconds = kills.map((one) => one.seconds);
  return [
    {
      what: `kill -9 of ${what}, to the next weight, median of ${seconds.length}`,
      value: median(seconds),
      unit: 's',
      below: 3,
    },
    { what: 'the slowest of them', value: Math.max(...seconds), unit: 's', below: 3 },
  ];
}

interface Killing {
  readonly cells: RollingCells;
  readonly okrad: Okrad;
  readonly client: Client;
  readonly say: (line: string) => void;
}

/** Kills an okrad at any moment of a rollout; answers with the seconds to the next weight. */
async function killDuring(
  name: string,
  { cells, okrad, say, client }: Killing,
  again: boolean,
): Promise<Killed> {
  await cells.install(name);
  await cells.roll(name);
  await cells.writtenAfter(name, await cells.writtenAfter(name, 0));
  await wait(Math.random() * 500);
  const killedAt = Date.now();
  await okrad.end('SIGKILL');
  if (again) okrad.start();
  const seconds = ((await cells.writtenAfter(name, killedAt + SENT_MILLISECONDS)) - killedAt) / 1000;
  say(`  ${seconds.toFixed(2)} s`);
  const workflowId = objectWorkflowId('Cell', { namespace: 'default', name });
  const events = await eventsAfter(client, workflowId, killedAt);
  await cells.remove(name);
  return { seconds, events: events.filter(({ at }) => at < seconds) };
}

/** Starts okrad under a name of its own, as a pod has one. */
async function startNamed(name: string, ground: Ground): Promise<Okrad> {
  const { stack } = ground;
  // Writes are not held back, so that there is always a next one.
  const rates = ratesEnvironment(unheld);
  const environment = { ...stack.environment, ...imageEnvironment, ...rates, OKRA_IDENTITY: name };
  const program = await packagedOkrad(stack);
  const okrad = startOkrad({ environment, program, log: join(stack.logs, `takeover-${name}.log`) });
  await isPolling(okrad, ground, 0);
  return okrad;
}

const isPolling = ({ log }: Okrad, { signal }: Ground, since: number): Promise<unknown> =>
  timesIn(log, ['worker started'], signal, since);

const isWorking = async (okrad: Okrad, ground: Ground): Promise<void> => {
  await isPolling(okrad, ground, 0);
  await wait(1_000);
};
