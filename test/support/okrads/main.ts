// Runs the okrads of all stages in one process, which loads and compiles what it runs once for all of them. Started by `host.ts`.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Ended, Listening, Order } from './order.ts';
import type { runOkrad } from './run.ts';

// Loaded when the first stage opens: many a run of a single file of tests has none.
let loading: Promise<typeof runOkrad> | undefined;

async function load(): Promise<typeof runOkrad> {
  const loaded = await import('./run.ts');
  loaded.installHostRuntime(process.argv[2] ?? '/dev/null');
  return loaded.runOkrad;
}

async function run(order: Extract<Order, { do: 'Start' }>, stop: AbortController): Promise<void> {
  const runLoaded = await (loading ??= load());
  await runLoaded(order, stop);
}

/** Takes the orders of one process of tests, whose okrads end with it. */
function serve(socket: Socket): void {
  const running = new Map<number, { readonly stop: AbortController; readonly ended: Promise<void> }>();
  const end = async (id: number): Promise<void> => {
    const one = running.get(id);
    one?.stop.abort();
    await one?.ended;
    running.delete(id);
    const answer: Ended = { ended: id };
    socket.write(`${JSON.stringify(answer)}\n`);
  };
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    const order = JSON.parse(line) as Order;
    if (order.do === 'End') return void end(order.id);
    const stop = new AbortController();
    running.set(order.id, { stop, ended: run(order, stop) });
  });
  // A process of tests that dies takes no okrad of another with it: both say so.
  for (const one of [socket, lines]) one.on('error', () => undefined);
  socket.on('close', () => running.forEach(({ stop }) => stop.abort()));
}

const server = createServer(serve).listen(0, '127.0.0.1');
await once(server, 'listening');
const listening: Listening = { port: (server.address() as AddressInfo).port };
process.send?.(listening);
// Nobody is left to give orders.
process.on('disconnect', () => process.exit());
