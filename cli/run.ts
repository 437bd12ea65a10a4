import { InvalidArgumentError } from 'commander';
import { connectKubernetes } from '../clients/kubernetes/kubernetes.ts';
import type { Metrics } from '../clients/metrics/metrics.ts';
import type { Log } from '../clients/log.ts';
import { accessPolicies } from '../clients/kubernetes/access-policies.ts';
import { connectClusters } from '../clients/kubernetes/remote-clusters.ts';
import { connectTemporal } from '../clients/temporal/temporal.ts';
import { credentialsChanged } from '../clients/temporal/temporal-connection.ts';
import type { Waiting } from '../clients/backoff.ts';
import type { Config } from '../config/config.ts';
import { runWatchers, type WatcherOptions } from '../watchers/run.ts';
import { createReadiness, type Readiness, serveHealth } from './health.ts';
import { version } from './version.ts';

export const components = ['watchers', 'worker', 'dashboard'] as const;

/** The parts that do the work; the others are there to be asked for. */
export const usualComponents = ['watchers', 'worker'] as const;

export type Component = (typeof components)[number];

/** Reads a list of parts, `watchers,worker` say; each of them once. */
export function parseComponents(text: string): readonly Component[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(components as readonly string[]).includes(name));
  if (unknown.length > 0) {
    const got = unknown.map((name) => JSON.stringify(name)).join(', ');
    throw new InvalidArgumentError(
      `${got}: must be one or more of ${components.join(', ')}, separated by commas.`,
    );
  }
  return components.filter((component) => names.includes(component));
}

interface RunSettings {
  readonly components: readonly Component[];
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Ends it; it is aborted as well when a part fails. */
  readonly stop: AbortController;
  /** How long the watchers wait, where that is not as usual. */
  readonly timing?: WatcherOptions['timing'];
}

interface ComponentDependencies extends Omit<RunSettings, 'components' | 'stop'> {
  readonly signal: AbortSignal;
  /** By whom the part is told of what it needs to do its work. */
  readonly waiting: (condition: string) => Waiting;
}

const conditions: Readonly<Record<Component, readonly string[]>> = {
  watchers: ['temporal', 'lease', 'kinds'],
  worker: ['temporal', 'polls'],
  dashboard: ['page'],
};

const conditionOf = (component: Component, condition: string): string => `${component}, ${condition}`;

const parts: Readonly<Record<Component, (dependencies: ComponentDependencies) => Promise<void>>> = {
  watchers: async ({ config, log, metrics, signal, waiting, timing = {} }) => {
    const kubernetes = connectKubernetes(config.kubernetes.kubeconfig);
    const clusters = connectClusters(config, accessPolicies(kubernetes));
    const temporal = await connectTemporal(config, { log, signal, waiting: waiting('temporal') });
    const needs = { lease: waiting('lease'), kinds: waiting('kinds') };
    try {
      await runWatchers({ kubernetes, clusters, temporal, config, log, metrics, signal, needs, timing });
    } finally {
      await temporal.connection.close();
    }
  },
  worker: async ({ config, log, metrics, signal, waiting }) => {
    // The worker's native code is loaded only where it runs.
    const { runWorker } = await import('../worker.ts');
    const needs = { temporal: waiting('temporal'), polls: waiting('polls') };
    await runWorker({ config, log, version: version(), metrics, signal, waiting: needs });
  },
  dashboard: async ({ config, log, signal, waiting }) => {
    const { runDashboard } = await import('./dashboard/in-cluster.ts');
    await runDashboard({ config, log, version: version(), signal, waiting: waiting('page') });
  },
};

/** Runs the parts until they are told to stop, or one of them fails. */
export async function runComponents(settings: RunSettings): Promise<void> {
  const { components: wanted, config, log, metrics } = settings;
  const all = wanted.flatMap((component) => conditions[component].map((one) => conditionOf(component, one)));
  const readiness = createReadiness(all, log);
  metrics.states('process', () => [
    { name: 'okra_build_info', labels: { version: version() }, value: 1 },
    ...readiness.states().map(({ condition, fulfilled }) => ({
      name: 'okra_ready' as const,
      labels: { condition },
      value: fulfilled ? 1 : 0,
    })),
  ]);
  const { health } = config;
  const server =
    health === undefined ? undefined : await serveHealth({ ...health, missing: readiness.missing, metrics });
  log.info({ components: wanted, identity: config.identity, version: version() }, 'started');
  void stopWithOtherCredentials(settings);
  try {
    await Promise.all(wanted.map((component) => runPart(component, settings, readiness)));
    log.info('stopped');
  } finally {
    server?.close();
  }
}

// No worker takes up another certificate while it runs.
async function stopWithOtherCredentials({ config, log, stop }: RunSettings): Promise<void> {
  if (!(await credentialsChanged(config.temporal, { log, signal: stop.signal }))) return;
  log.warn('credentials of temporal changed, stopping to be started again');
  process.exitCode = 1;
  stop.abort();
}

// A process that does only half of its work is worse than one that is started again: when one part fails, all end.
async function runPart(component: Component, settings: RunSettings, readiness: Readiness): Promise<void> {
  const { stop } = settings;
  const { signal } = stop;
  const log = settings.log.child({ component });
  try {
    const waiting = (condition: string): Waiting => readiness.of(conditionOf(component, condition));
    await parts[component]({ ...settings, log, signal, waiting });
    if (!signal.aborted) throw new Error(`${component} ended without a signal to stop`);
  } catch (error) {
    // What ends because it was told to is no failure.
    if (signal.aborted && error === signal.reason) return;
    log.fatal({ err: error }, 'failed, stopping');
    process.exitCode = 1;
  } finally {
    stop.abort();
  }
}
