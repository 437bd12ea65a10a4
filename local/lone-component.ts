import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePorts } from './ports.ts';
import { supervise, type Component } from './process.ts';
import { startReaper } from './reaper.ts';

/** What a component that belongs to no stack is planned with: a folder of its own, and free ports. */
export interface LonePlan {
  readonly dir: string;
  readonly port: () => Promise<number>;
}

/** Starts one component beside all stacks; it ends when it is disposed, or with this process. */
export async function startLone(
  plan: (ground: LonePlan) => Promise<Component>,
  logs?: string,
): Promise<AsyncDisposable> {
  await using undo = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'okra-component-'));
  const [ports, reaper] = [reservePorts(), startReaper(dir)];
  undo.defer(ports.release);
  undo.defer(reaper.close);
  const component = await plan({ dir, port: ports.reserve });
  await component.prepare?.();
  const logFile = (name: string): string => join(logs ?? dir, `${name}.log`);
  const supervised = supervise(component, { dir, logFile, reaper, log: () => undefined });
  undo.defer(supervised.stop);
  await supervised.start();
  const end = undo.move();
  return { [Symbol.asyncDispose]: () => end.disposeAsync() };
}
