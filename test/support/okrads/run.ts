import pino from 'pino';
import { usualComponents, runComponents } from '../../../cli/run.ts';
import { createLog, type Log } from '../../../clients/log.ts';
import { createMetrics } from '../../../clients/metrics/metrics.ts';
import { installRuntime } from '../../../clients/temporal/runtime.ts';
import { loadConfig } from '../../../config/config.ts';
import type { Order } from './order.ts';

/** Logs at once, so that nothing is missing when a stage is closed. */
const logTo = (dest: string): Log => createLog('info', pino.destination({ dest, sync: true }));

/** Says where the native code logs, which is about all okrads. */
export const installHostRuntime = (log: string): void => installRuntime({ log: logTo(log), level: 'warn' });

// Nobody else wants the Lease of a stage, and to renew it each second is a quarter of what its okrad takes at rest. Those with a process of their own do as they ship.
const election = { durationSeconds: 30, renewDeadlineSeconds: 25, retrySeconds: 5 };

/** Runs an okrad until it is told to stop. */
export async function runOkrad(
  { environment, log: path }: Extract<Order, { do: 'Start' }>,
  stop: AbortController,
): Promise<void> {
  const log = logTo(path);
  try {
    const config = loadConfig({ ...process.env, ...environment });
    const metrics = createMetrics();
    const timing = { election };
    await runComponents({ components: usualComponents, config, log, metrics, stop, timing });
  } catch (error) {
    log.fatal({ err: error }, 'okrad ended');
  }
}
