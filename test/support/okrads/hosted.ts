import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { startOkrad, type Okrad, type OkradOptions } from '../../../local/okrad.ts';
import { endWaits } from '../until.ts';
import { rarelyCollected } from './flags.ts';
import type { OkradHost } from './host.ts';
import type { Ended, Order } from './order.ts';

/** An okrad, what it signs its calls to AWS with, and what its process writes to besides its log. */
export interface StartedOkrad {
  readonly okrad: Okrad;
  readonly secretAccessKey: string;
  readonly moreLogs: readonly string[];
}

/** How this process of tests gives orders to the process of the okrads. */
interface Line {
  readonly socket: Socket;
  started: number;
  /** What waits for an okrad to end, by its id. */
  readonly ending: Map<number, PromiseWithResolvers<void>>;
  /** What is told when that process has ended: each file of tests has waits of its own. */
  readonly whenLost: Set<(error: Error) => void>;
}

declare global {
  // One for all files of tests of a process, each of which evaluates this module for itself.
  var okradLine: Line | undefined;
}

const lossOf = ({ log }: OkradHost): Error =>
  new Error(`Expected the process of the okrads to run, got its end. See ${log}.`);

function lineTo(host: OkradHost): Line {
  if (globalThis.okradLine !== undefined) return globalThis.okradLine;
  const socket = createConnection({ port: host.port, host: '127.0.0.1' }).setMaxListeners(0).unref();
  const ending: Line['ending'] = new Map();
  const whenLost: Line['whenLost'] = new Set();
  const lines = createInterface({ input: socket });
  lines.on('line', (text) => {
    const { ended } = JSON.parse(text) as Ended;
    ending.get(ended)?.resolve();
    ending.delete(ended);
    if (ending.size === 0) socket.unref();
  });
  // Both say so, and the end of the connection comes with it.
  for (const one of [socket, lines]) one.on('error', () => undefined);
  socket.on('close', () => {
    const loss = lossOf(host);
    for (const { reject } of ending.values()) reject(loss);
    for (const tell of whenLost) tell(loss);
  });
  return (globalThis.okradLine = { socket, started: 0, ending, whenLost });
}

/**
 * Starts an okrad in the process that runs those of all stages. Ended and started again it has a process of its own, in
 * which nothing is left of what it knew.
 */
export function startHosted(
  host: OkradHost,
  { environment, log, program }: Pick<OkradOptions, 'environment' | 'log' | 'program'>,
): StartedOkrad {
  const line = lineTo(host);
  const { socket, ending } = line;
  if (socket.destroyed) throw lossOf(host);
  line.whenLost.add(endWaits);
  const order = (what: Order): void => void socket.write(`${JSON.stringify(what)}\n`);
  line.started += 1;
  let id: number | undefined = line.started;
  order({ do: 'Start', id, environment, log });
  const whole = { ...host.environment, ...environment };
  let own: Okrad | undefined;
  const start = (more: Readonly<Record<string, string>> = {}): void => {
    if (id !== undefined) return;
    own?.start(more);
    own ??= startOkrad({
      log,
      environment: { ...whole, ...more },
      flags: rarelyCollected,
      ...(program === undefined ? {} : { program }),
    });
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number | undefined> => {
    if (own !== undefined) return await own.end(signal);
    if (signal === 'SIGKILL')
      throw new Error(
        'Expected an okrad with a process of its own, got a shared one. Open the stage with `endsOkrad`.',
      );
    if (id === undefined) return undefined;
    if (socket.destroyed) throw lossOf(host);
    const ended = Promise.withResolvers<void>();
    ending.set(id, ended);
    socket.ref();
    order({ do: 'End', id });
    id = undefined;
    await ended.promise;
    return undefined;
  };
  const okrad = {
    log,
    environment: whole,
    pid: () => (own === undefined ? host.pid : own.pid()),
    start,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  };
  return { okrad, secretAccessKey: host.secretAccessKey, moreLogs: [host.log] };
}
