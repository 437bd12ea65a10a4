import { planTemporalServer } from '../components/temporal.ts';
import { startLone } from '../lone-component.ts';
import { provision } from '../provision.mjs';

/** A Temporal server that runs until it is disposed, with the namespace `default`. */
export interface TemporalServer extends AsyncDisposable {
  readonly address: string;
}

/** Starts the Temporal server that has what the one of the stack is too old for, with nothing in it. */
export async function startTemporalServer(logs?: string): Promise<TemporalServer> {
  const [command = ''] = Object.values(
    await provision(['temporal-server'], { env: process.env, say: () => undefined }),
  );
  let address = '';
  const running = await startLone(async (ground) => {
    const planned = await planTemporalServer(ground, command);
    address = planned.address;
    return planned.component;
  }, logs);
  return { address, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}
