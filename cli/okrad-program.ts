import { Command, Option } from 'commander';
import { createMetrics } from '../clients/metrics/metrics.ts';
import { createLog, type Log } from '../clients/log.ts';
import { ConfigError, loadConfig, unreadVariables } from '../config/config.ts';
import { components, parseComponents, usualComponents, type Component, runComponents } from './run.ts';
import { plain } from './terminal-text.ts';
import { version } from './version.ts';
import { messageOf } from '../domain/text.ts';

// sysexits.h
const EX_CONFIG = 78;

/** How long what is left over may keep the process when all parts have ended, in milliseconds. */
const LEFT_OVER_MS = 5_000;

async function run(wanted: readonly Component[]): Promise<void> {
  const config = loadConfig();
  const log = createLog(config.logLevel);
  const unread = unreadVariables();
  if (unread.length > 0)
    log.warn({ variables: unread }, 'unknown environment variables ignored; see docs/configuration.md');
  const stop = new AbortController();
  stopOnSignals(stop, log);
  const metrics = createMetrics({ ofProcess: true });
  await runComponents({ components: wanted, config, log, metrics, stop });
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

export const program = new Command('okrad')
  .description(
    'Runs Okra: the watchers, which send Kubernetes events to workflows, and the worker, which runs the rollouts.',
  )
  .version(version())
  .addOption(
    new Option('--components <list>', `which parts to run: ${components.join(', ')}`)
      .default(usualComponents, usualComponents.join(','))
      .argParser(parseComponents),
  )
  .addHelpText('after', '\nEnvironment variables set everything else; see docs/configuration.md.')
  .action(async (options: { components: readonly Component[] }) => {
    try {
      await run(options.components);
    } catch (error) {
      process.stderr.write(`${plain(`okrad: ${messageOf(error)}`)}\n`);
      process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1;
    }
    // A worker that was not given the time to end leaves threads behind, and they would keep the process for ever.
    setTimeout(() => process.exit(), LEFT_OVER_MS).unref();
  });
