#!/usr/bin/env node
// oxlint-disable-next-line import/no-unassigned-import -- it acts by being evaluated before all others
import './memory.ts';
import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { connectKubernetes } from '../clients/kubernetes/kubernetes.ts';
import { createMetrics, type Metrics, type Sample } from '../clients/metrics/metrics.ts';
import { createLog, type Log } from '../clients/log.ts';
import { accessPolicies } from '../clients/kubernetes/access-policies.ts';
import { connectClusters } from '../clients/kubernetes/remote-clusters.ts';
import { temporalDatabase } from '../clients/temporal/temporal-database.ts';
import { connectTemporal } from '../clients/temporal/temporal.ts';
import type { Waiting } from '../clients/waiting.ts';
import { ConfigError, loadConfig, type Config } from '../config.ts';
import { runWatchers } from '../watchers/run.ts';
import { components, parseComponents, type Component } from './components.ts';
import { serveHealth } from './health.ts';
import { createReadiness, type Readiness } from './readiness.ts';

// sysexits.h
const EX_CONFIG = 78;

/** What a part of the process runs with. */
interface ComponentDependencies {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  /** By whom the part is told of what it needs to do its work. */
  readonly waiting: (condition: string) => Waiting;
}

/** What each part needs to do its work. */
const conditions: Readonly<Record<Component, readonly string[]>> = {
  watchers: ['temporal', 'lease', 'kinds'],
  worker: ['temporal', 'polls'],
};

const conditionOf = (component: Component, condition: string): string => `${component}, ${condition}`;

const parts: Readonly<Record<Component, (means: ComponentDependencies) => Promise<void>>> = {
  watchers: async ({ config, log, metrics, signal, waiting }) => {
    const kubernetes = connectKubernetes(config.kubernetes.kubeconfig);
    const clusters = connectClusters(config, accessPolicies(kubernetes));
    const temporal = await connectTemporal(config, { log, signal, waiting: waiting('temporal') });
    const needs = { lease: waiting('lease'), kinds: waiting('kinds') };
    try {
      const database = temporalDatabase(temporal, log);
      await runWatchers({ kubernetes, clusters, temporal, database, config, log, metrics, signal, needs });
    } finally {
      await temporal.connection.close();
    }
  },
  worker: async ({ config, log, metrics, signal, waiting }) => {
    // The worker's native code is loaded only where it runs.
    const { runWorker } = await import('../worker.ts');
    const needs = { temporal: waiting('temporal'), polls: waiting('polls') };
    await runWorker({ config, log, metrics, signal, waiting: needs });
  },
};

async function run(wanted: readonly Component[]): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  const stop = new AbortController();
  stopOnSignals(stop, log);
  const all = wanted.flatMap((component) => conditions[component].map((one) => conditionOf(component, one)));
  const readiness = createReadiness(all, log);
  const metrics = createMetrics({ ofProcess: true });
  metrics.states('process', () => ofProcess(readiness));
  const { health } = config;
  const server =
    health === undefined ? undefined : await serveHealth({ ...health, missing: readiness.missing, metrics });
  log.info({ components: wanted, identity: config.identity, version: version() }, 'started');
  try {
    await Promise.all(
      wanted.map((component) => runPart(component, { config, log, metrics, stop, readiness })),
    );
    log.info('stopped');
  } finally {
    server?.close();
  }
}

const ofProcess = (readiness: Readiness): readonly Sample[] => [
  { name: 'okra_build_info', labels: { version: version() }, value: 1 },
  ...readiness.states().map(({ condition, fulfilled }): Sample => ({
    name: 'okra_ready',
    labels: { condition },
    value: fulfilled ? 1 : 0,
  })),
];

/** How long what is left over may keep the process when all parts have ended, in milliseconds. */
const LEFT_OVER_MS = 5_000;

interface Process {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stop: AbortController;
  readonly readiness: Readiness;
}

// A process that does only half of its work is worse than one that is started again: when one part fails, all end.
async function runPart(
  component: Component,
  { config, log, metrics, stop, readiness }: Process,
): Promise<void> {
  const own = log.child({ component });
  try {
    const waiting = (condition: string): Waiting => readiness.of(conditionOf(component, condition));
    await parts[component]({ config, log: own, metrics, signal: stop.signal, waiting });
    if (!stop.signal.aborted)
      throw new Error(`Expected the ${component} to run until told to stop, got an end.`);
  } catch (error) {
    // What ends because it was told to is no failure.
    if (stop.signal.aborted && error === stop.signal.reason) return;
    own.fatal({ err: error }, 'failed, stopping');
    process.exitCode = 1;
  } finally {
    stop.abort();
  }
}

function stopOnSignals(stop: AbortController, log: Log): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      // Whoever asks twice does not want to wait.
      if (stop.signal.aborted) process.exit(1);
      log.info({ signal: name }, 'stopping');
      stop.abort();
    });
  }
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

const program = new Command('okrad')
  .description(
    'Runs Okra: the watchers that turn events of Kubernetes into messages, and the worker that does the rollouts.',
  )
  .version(version())
  .addOption(
    new Option('--components <list>', `which parts to run: ${components.join(', ')}`)
      .default(components, components.join(','))
      .argParser(parseComponents),
  )
  .addHelpText('after', '\nEverything else is set by environment variables; see docs/configuration.md.')
  .action(async (options: { components: readonly Component[] }) => {
    try {
      await run(options.components);
    } catch (error) {
      process.stderr.write(`okrad: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1;
    }
    // A worker that was not given the time to end leaves threads behind, and they would keep the process for ever.
    setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
  });

await program.parseAsync();
