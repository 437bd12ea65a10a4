import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { awsIdentity } from '../../../local/components/aws.ts';
import type { Okrad } from '../../../local/okrad.ts';
import type { StackView } from '../setup.ts';
import type { Ended, Order } from './order.ts';

const program = fileURLToPath(new URL('main.ts', import.meta.url));

/** An okrad, what it signs its calls to AWS with, and what its process writes to besides its log. */
export interface StartedOkrad {
  readonly okrad: Okrad;
  readonly secretAccessKey: string;
  readonly moreLogs: readonly string[];
}

/** A process that runs okrads. */
interface Host {
  readonly child: ChildProcess;
  /** Where it says what is about all of its okrads. */
  readonly log: string;
  /** What its okrads sign their calls to AWS with. */
  readonly secretAccessKey: string;
  readonly environment: Readonly<Record<string, string>>;
  started: number;
}

declare global {
  // One for all files of tests of a process, each of which evaluates this module for itself.
  var okradHosts: Map<string, Host> | undefined;
}

function hostOn(stack: StackView): Host {
  const hosts = (globalThis.okradHosts ??= new Map());
  const found = hosts.get(stack.dir);
  if (found !== undefined) return found;
  const log = join(stack.logs, `okrads-${process.pid}.log`);
  const secretAccessKey = `secret-of-okrads-${process.pid}`;
  const file = openSync(log, 'a');
  const environment = {
    ...stack.environment,
    AWS_ACCESS_KEY_ID: awsIdentity.okradKey,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const child = spawn(process.execPath, [program, log], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', file, file, 'ipc'],
  });
  closeSync(file);
  // It ends with this process, and does not keep it.
  child.unref();
  child.channel?.unref();
  child.setMaxListeners(0);
  const host = { child, log, secretAccessKey, environment, started: 0 };
  hosts.set(stack.dir, host);
  return host;
}

/** Starts an okrad in the process that runs those of all stages of this process. */
export function startHosted(
  stack: StackView,
  { environment, log }: { readonly environment: Readonly<Record<string, string>>; readonly log: string },
): StartedOkrad {
  const host = hostOn(stack);
  let id: number | undefined;
  const order = (what: Order): void => void host.child.send(what);
  const start = (): void => {
    host.started += 1;
    id = host.started;
    order({ do: 'Start', id, environment, log });
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<undefined> => {
    if (signal === 'SIGKILL')
      throw new Error(
        'Expected an okrad with a process of its own, got a shared one. Open the stage with `endsOkrad`.',
      );
    const ending = id;
    id = undefined;
    if (ending === undefined) return undefined;
    const ended = endOf(host, ending);
    order({ do: 'End', id: ending });
    await ended;
    return undefined;
  };
  start();
  const { child, secretAccessKey } = host;
  const okrad = {
    log,
    environment: { ...host.environment, ...environment },
    pid: () => child.pid,
    start,
    end,
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
  return { okrad, secretAccessKey, moreLogs: [host.log] };
}

function endOf({ child, log }: Host, id: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const heard = ({ ended }: Ended): void => {
      if (ended === id) done(resolve);
    };
    const lost = (): void =>
      done(() => reject(new Error(`Expected the process of the okrads to run, got its end. See ${log}.`)));
    const done = (then: () => void): void => {
      child.off('message', heard);
      child.off('exit', lost);
      child.channel?.unref();
      then();
    };
    child.channel?.ref();
    child.on('message', heard);
    child.on('exit', lost);
    if (child.exitCode !== null || child.signalCode !== null) lost();
  });
}
