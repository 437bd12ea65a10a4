import { DefaultLogger, makeTelemetryFilterString, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Log } from '../log.ts';

type TemporalLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

interface TelemetryOptions {
  readonly log: Log;
  readonly level: TemporalLogLevel;
  /** Where its metrics are told; undefined: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number } | undefined;
}

let isInstalled = false;

/** There can be one in a process; it stays as it is for all okrads that run in it. */
function installOnce(options: RuntimeOptions): void {
  if (isInstalled) return;
  Runtime.install(options);
  isInstalled = true;
}

/** Sets up the native code of the Temporal SDK, once in a process. Its messages go the way of all others, and its signals are ours. */
export function installRuntime(
  { log, level, metrics }: TelemetryOptions,
  install: (options: RuntimeOptions) => void = installOnce,
): void {
  const upper = upperCase[level];
  const logging = { forward: {}, filter: makeTelemetryFilterString({ core: upper, other: 'WARN' }) };
  const common = { logger: logTo(log, upper), shutdownSignals: [], telemetryOptions: { logging } };
  if (metrics === undefined) {
    install(common);
    return;
  }
  const { host, port } = metrics;
  const bindAddress = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  // As Prometheus wants them: seconds, units and `_total` in the names.
  const inWords = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  const told = { logging, metrics: { prometheus: { bindAddress, ...inWords } } };
  try {
    install({ ...common, telemetryOptions: told });
  } catch (error) {
    // Rollouts continue without being measured.
    log.error({ err: error, address: bindAddress }, 'metrics of temporal not served');
    install(common);
  }
}

const lowerCase = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
const upperCase = { trace: 'TRACE', debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const;

// A worker for activities alone is what Okra wants, once for each queue.
const isExpected = (message: string): boolean => message.startsWith('No workflows registered');

/** Logs what the SDK says as an event like any other. */
export const logTo = (log: Log, level: (typeof upperCase)[TemporalLogLevel]): DefaultLogger =>
  new DefaultLogger(level, ({ level: said, message, meta }) => {
    const { error, ...rest } = meta ?? {};
    const event = error === undefined ? rest : { ...rest, err: error };
    const as = isExpected(message) ? 'debug' : lowerCase[said];
    log.child({ sdk: 'temporal' })[as](event, message);
  });
