import { join } from 'node:path';

import type { LonePlan } from '../lone-component.ts';
import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';
import { rarelyCollected, type Plan, type Planned } from './plan.ts';

// A server polls each shard's queues 20 times a second and fires timers up to 1 s late; a rollout has many small steps.
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxTimeShift="50ms"',
  // A queue in four parts, of one server, has every third task and poll handed from one part to another.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  // A worker gets the activities that it has just asked for without a queue, as with Temporal Cloud.
  'system.enableActivityEagerExecution=true',
  // What is done stays in the queues until then, and is gone through again and again: half a minute of it by default.
  'history.transferProcessorUpdateAckInterval="3s"',
  'history.timerProcessorUpdateAckInterval="3s"',
  'history.visibilityProcessorUpdateAckInterval="3s"',
  // The server of the CLI reads search attributes from its database with each use, which is a third of all that it asks for.
  'system.forceSearchAttributesCacheRefreshOnRead=false',
].map((entry) => `--dynamic-config-value=${entry}`);

/** What a server is started with, since it takes seconds to know everywhere what is registered while it runs. */
async function registered(): Promise<readonly string[]> {
  // Stacks without Temporal do not load its client.
  const { searchAttributeNames } = await import('../../clients/temporal/search-attributes.ts');
  return searchAttributeNames.map((name) => `--search-attribute=${name}=Keyword`);
}

// With its defaults SQLite waits for the disk at every write, which leaves 15 activities a second.
const pragmas = ['journal_mode=WAL', 'synchronous=OFF'];

/** Plans the Temporal dev server with its Web UI; its database is a file, so that a restart forgets nothing. */
export async function planTemporal(
  plan: Plan,
): Promise<Planned<{ readonly address: string; readonly ui: string; readonly http: string }>> {
  const ports = [await plan.port(), await plan.port(), await plan.port(), await plan.port()] as const;
  const [port, uiPort, httpPort, metricsPort] = ports;
  const ui = `http://127.0.0.1:${uiPort}`;
  const component: Component = {
    name: 'temporal',
    after: [],
    command: plan.executable('temporal'),
    env: rarelyCollected,
    args: [
      'server',
      'start-dev',
      '--ip=127.0.0.1',
      `--port=${port}`,
      `--ui-port=${uiPort}`,
      `--http-port=${httpPort}`,
      `--metrics-port=${metricsPort}`,
      `--db-filename=${join(plan.dir, 'temporal.db')}`,
      '--log-level=warn',
      ...pragmas.map((pragma) => `--sqlite-pragma=${pragma}`),
      ...dynamicConfig,
      ...(await registered()),
    ],
    // The Web UI asks the server for the namespace: both are up when it answers.
    ready: (signal) =>
      waitFor({ what: `${ui} to know the namespace default`, signal }, () =>
        answersOk(`${ui}/api/v1/namespaces/default`),
      ),
  };
  return { component, addresses: { address: `127.0.0.1:${port}`, ui, http: `http://127.0.0.1:${httpPort}` } };
}

/** Plans a newer Temporal server than that of the CLI, which keeps all in memory and has neither Web UI nor HTTP. */
export async function planTemporalServer(
  { port }: LonePlan,
  command: string,
): Promise<{ readonly component: Component; readonly address: string }> {
  const address = `127.0.0.1:${await port()}`;
  const inner = ['history', 'matching', 'worker'];
  const component = {
    name: 'temporal-server',
    after: [],
    command,
    env: rarelyCollected,
    args: [
      `--frontend-port=${address.split(':')[1] ?? ''}`,
      ...(await Promise.all(inner.map(async (service) => `--${service}-port=${await port()}`))),
      ...dynamicConfig,
    ],
    ready: (signal: AbortSignal) =>
      waitFor({ what: `${address} to know the namespace default`, signal }, () => knowsNamespace(address)),
  };
  return { component, address };
}

async function knowsNamespace(address: string): Promise<true> {
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ address, connectTimeout: '2s' });
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    return true;
  } finally {
    await connection.close();
  }
}
