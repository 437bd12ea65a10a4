import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awsIdentity } from '../../../local/components/aws.ts';
import type { Stack } from '../../../local/stack.ts';
import { rarelyCollected } from './flags.ts';
import type { Listening } from './order.ts';

const source = fileURLToPath(new URL('main.ts', import.meta.url));

/** The process that runs the okrads of stages, as files of tests know it. */
export interface OkradHost {
  readonly pid: number | undefined;
  /** Where it takes orders, on 127.0.0.1. */
  readonly port: number;
  /** Where it says what is about all of its okrads. */
  readonly log: string;
  /** What its okrads sign their calls to AWS with. */
  readonly secretAccessKey: string;
  /** What its okrads run with, besides what each is started with. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the process that runs the okrads of all stages on a stack; it ends when it is disposed of, and with this process. The program is that of the checkout unless another is given. */
export async function startOkradHost(
  stack: Pick<Stack, 'logs' | 'environment'>,
  program = source,
): Promise<Disposable & { readonly view: OkradHost }> {
  const log = join(stack.logs, 'okrads.log');
  const secretAccessKey = `secret-of-okrads-${process.pid}`;
  const environment = {
    ...stack.environment,
    AWS_ACCESS_KEY_ID: awsIdentity.okradKey,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const file = openSync(log, 'a');
  const child = spawn(process.execPath, [...rarelyCollected, program, log], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  const { port } = await firstMessage(child, log);
  const view = { pid: child.pid, port, log, secretAccessKey, environment };
  // It ends by itself, and keeps what it has compiled.
  return { view, [Symbol.dispose]: () => (child.connected ? child.disconnect() : undefined) };
}

async function firstMessage(child: ReturnType<typeof spawn>, log: string): Promise<Listening> {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`Expected the process of the okrads to run, got its end. See ${log}.`);
  });
  const [listening] = (await Promise.race([once(child, 'message'), ended])) as [Listening];
  return listening;
}
