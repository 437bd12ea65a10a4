import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createLog } from '../../clients/log.ts';
import { connectTemporal } from '../../clients/temporal/temporal.ts';
import { loadConfig } from '../../config/config.ts';
import { startOkrad, type Okrad } from '../okrad.ts';
import type { Stack } from '../stack.ts';
import { timesIn } from './log.ts';
import { memoryOf, type Memory } from './memory.ts';

/** An okrad of two processes, and a client of its Temporal. */
export interface RunningOkrad extends AsyncDisposable {
  readonly okrad: { readonly watchers: Okrad; readonly worker: Okrad };
  readonly temporal: Client;
}

/** Starts okrad on a stack, and waits until it is at work. */
export async function openOkrad({
  stack,
  environment = stack.environment,
  watchers = {},
  say,
  signal,
  program,
}: {
  readonly stack: Stack;
  /** With what it is started, if not with that of the stack. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the watchers get besides. */
  readonly watchers?: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** The program to run; that of the checkout when undefined. */
  readonly program?: string;
}): Promise<RunningOkrad> {
  await using undo = new AsyncDisposableStack();
  const config = loadConfig(environment);
  const { connection, client: temporal } = await connectTemporal(config, {
    log: createLog('silent'),
    signal,
  });
  undo.defer(() => connection.close());
  say('Starting okrad, its watchers and its worker as two processes …');
  const start = (components: 'watchers' | 'worker'): Okrad =>
    undo.use(
      startOkrad({
        environment: {
          ...environment,
          ...(components === 'watchers' ? watchers : {}),
          OKRA_IDENTITY: components,
        },
        components,
        ...(program === undefined ? {} : { program }),
        log: join(stack.logs, `${components}-${Date.now()}.log`),
      }),
    );
  const okrad = { watchers: start('watchers'), worker: start('worker') };
  await Promise.all([
    timesIn(okrad.watchers.log, ['watching'], signal),
    timesIn(okrad.worker.log, ['worker started'], signal),
  ]);
  const end = undo.move();
  return { okrad, temporal, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

/** How much memory the two processes have. */
export async function memoryOfOkrad({ okrad }: RunningOkrad): Promise<{
  readonly worker: Memory | undefined;
  readonly watchers: Memory | undefined;
}> {
  const [worker, watchers] = await Promise.all(
    [okrad.worker, okrad.watchers].map((process) => memoryOf(process.pid())),
  );
  return { worker, watchers };
}
