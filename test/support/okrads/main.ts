// Runs the okrads of stages in one process, which loads and compiles what it runs once for all of them. Started by `hosted.ts`.
// oxlint-disable-next-line import/no-unassigned-import -- it acts by being evaluated before all others
import '../../../cli/memory.ts';
import pino from 'pino';
import { components } from '../../../cli/components.ts';
import { runComponents } from '../../../cli/run.ts';
import { createLog, type Log } from '../../../clients/log.ts';
import { createMetrics } from '../../../clients/metrics/metrics.ts';
import { installRuntime } from '../../../clients/temporal/runtime.ts';
import { loadConfig } from '../../../config.ts';
import type { Order } from './order.ts';

const running = new Map<number, { readonly stop: AbortController; readonly ended: Promise<void> }>();

/** Logs at once, so that nothing is missing when a stage is closed. */
const logTo = (dest: string): Log => createLog('info', pino.destination({ dest, sync: true }));

async function run({ environment, log: path }: Extract<Order, { do: 'Start' }>, stop: AbortController) {
  const log = logTo(path);
  try {
    const config = loadConfig({ ...process.env, ...environment });
    await runComponents({ components, config, log, metrics: createMetrics(), stop });
  } catch (error) {
    log.fatal({ err: error }, 'okrad ended');
  }
}

function start(order: Extract<Order, { do: 'Start' }>): void {
  const stop = new AbortController();
  running.set(order.id, { stop, ended: run(order, stop) });
}

async function end(id: number): Promise<void> {
  const one = running.get(id);
  one?.stop.abort();
  await one?.ended;
  running.delete(id);
  process.send?.({ ended: id });
}

// What the native code says is about all of them.
installRuntime({ log: logTo(process.argv[2] ?? '/dev/null'), level: 'warn' });
process.on('message', (order: Order) => (order.do === 'Start' ? start(order) : void end(order.id)));
// Nobody is left to give orders.
process.on('disconnect', () => process.exit());
