import { setTimeout as wait } from 'node:timers/promises';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../crds/cell.ts';
import { reservePorts } from '../ports.ts';
import { waitFor } from '../wait.ts';
import { watchObjects } from '../watched.ts';
import type { Figure } from './figures.ts';
import { memoryOfOkrad, openOkrad } from './okrad.ts';
import { imageEnvironment, packagedOkrad } from './package.ts';
import type { Measured } from './report.ts';
import { changeCells, RESTING, restingCells } from './resting.ts';
import type { Ground } from './world.ts';

const LONGEST_MILLISECONDS = 280_000;

/** Measures what happens when many Cells change at once, and a process may have little memory. */
export async function measureBurst(ground: Ground): Promise<Measured> {
  const { stack, management, size, say, signal } = ground;
  say(`Making ${size.burst} Cells at rest …`);
  const groups = await restingCells(ground, size.burst);
  const program = await packagedOkrad(stack);
  const limited = { NODE_OPTIONS: '--max-old-space-size=1024' };
  const environment = { ...stack.environment, ...imageEnvironment, ...limited };
  const ports = reservePorts();
  await using _ = { [Symbol.asyncDispose]: () => ports.release() };
  const health = await ports.reserve();
  const own = { OKRA_HEALTH_PORT: `${health}` };
  await using running = await openOkrad({ ...ground, environment, program, watchers: own });
  await using cells = watchObjects<Cell>({ kubernetes: management, kind: CELL, namespace: RESTING, signal });
  await using messages = pendingMessages(health, signal);
  say('Changing all of them …');
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const hashes = await changeCells(management, size.burst, groups);
  const changed = seconds();
  const isLookedAt = ([name, hash]: readonly [string, string]): boolean =>
    cells.objects.get(name)?.status?.observedHash === hash;
  const patience = {
    what: `${size.burst} Cells to be looked at`,
    timeoutMillis: LONGEST_MILLISECONDS,
    intervalMillis: 1_000,
    signal,
  };
  await waitFor(patience, async () => [...hashes].every(isLookedAt) || undefined);
  const looked = seconds();
  const { worker, watchers } = await memoryOfOkrad(running);
  const figures: readonly Figure[] = [
    {
      what: `${size.burst} Cells that change within ${changed.toFixed(0)} s, until all are looked at`,
      value: looked,
      unit: 's',
    },
    {
      what: 'the most messages that waited for Temporal (okra_messages_pending)',
      value: Math.max(...messages.pending),
      unit: 'objects',
      below: size.burst + 1,
    },
    { what: 'the most memory that the watchers ever had', value: watchers?.most, unit: 'MB', below: 1024 },
    { what: 'the most memory that the worker ever had', value: worker?.most, unit: 'MB', below: 1024 },
  ];
  return { figures, raw: { changed, looked, pending: messages.pending, worker, watchers } };
}

const PENDING = /^okra_messages_pending (\d+)$/m;

/** Reads every second how many messages of the watchers Temporal has not taken yet, as they tell Prometheus. */
function pendingMessages(
  port: number,
  signal: AbortSignal,
): AsyncDisposable & { readonly pending: readonly number[] } {
  const pending: number[] = [];
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const reading = (async () => {
    for (; !either.aborted; await wait(1_000, undefined, { signal: either }).catch(() => undefined)) {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      pending.push(Number(PENDING.exec(text)?.[1]));
    }
  })();
  return {
    pending,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await reading;
    },
  };
}
