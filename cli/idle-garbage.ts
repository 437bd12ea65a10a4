import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A heap of JavaScript, and the thread that uses it. */
export interface Heap {
  /** Bytes that are in use; garbage that nobody has looked for yet is counted. */
  readonly used: () => number;
  /** Which share of the time since the last call the thread was busy, from 0 to 1. */
  readonly busy: () => number;
  readonly collect: () => void;
}

const LOOK_MILLISECONDS = 2_000;
/** A process that waits is woken by its timers and streams now and then. */
const AT_REST = 0.05;
/** A look for garbage takes some 100 ms, so that it has to bring something. */
const WORTHWHILE_BYTES = 4e6;
/** In a heap that is larger it takes longer than an abort that comes just then may wait. */
const LARGEST_BYTES = 150e6;

/**
 * Looks for garbage while there is nothing else to do. V8 looks for it when memory is wanted, so what a long list has left
 * behind stays for as long as a process is at rest.
 */
export function collectAtRest(heap: Heap = ownHeap()): Disposable {
  let least = heap.used();
  const look = (): void => {
    const isAtRest = heap.busy() < AT_REST;
    const used = heap.used();
    least = Math.min(least, used);
    if (!isAtRest || used < least + WORTHWHILE_BYTES || used > LARGEST_BYTES) return;
    heap.collect();
    least = heap.used();
  };
  const timer = setInterval(look, LOOK_MILLISECONDS).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The heap of this process. */
export function ownHeap(): Heap {
  // The flag is about contexts that are made after it, and there is no other way to the function.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how: object) => void;
  let last = performance.eventLoopUtilization();
  return {
    used: () => getHeapStatistics().used_heap_size,
    // Any other kind keeps the pages that it has emptied.
    collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    busy: () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
  };
}
