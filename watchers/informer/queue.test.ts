import { describe, expect, it } from 'vitest';
import { fakeClock, turn } from '../testing/fakes.ts';
import { createQueue, type QueueOptions } from './queue.ts';

/** A queue whose items are performed when the test says so. */
function aQueue(options: Partial<QueueOptions<string>> = {}) {
  const performed: string[] = [];
  const running: { readonly item: string; readonly end: (error?: Error) => void }[] = [];
  const failures: number[] = [];
  const stop = new AbortController();
  const clock = fakeClock();
  const queue = createQueue<string>({
    keyOf: (item) => item.split(':')[0] ?? '',
    perform: async (item) => {
      performed.push(item);
      await new Promise<void>((resolve, reject) => {
        running.push({ item, end: (error) => (error === undefined ? resolve() : reject(error)) });
      });
    },
    onFailure: (_item, _error, count) => failures.push(count),
    signal: stop.signal,
    sleep: clock.sleep,
    random: () => 0,
    ...options,
  });
  const end = async (error?: Error) => {
    running.shift()?.end(error);
    await turn();
  };
  return { queue, performed, failures, stop, clock, end };
}

describe('the queue', () => {
  it('performs what is put in', async () => {
    const { queue, performed, end } = aQueue();
    queue.put('a:1');
    await end();
    expect(performed).toEqual(['a:1']);
    expect(queue.size()).toBe(0);
  });

  it('performs a storm of one key twice: what was under way, and what came after it began', async () => {
    const { queue, performed, end } = aQueue();
    for (let n = 1; n <= 1000; n += 1) queue.put(`a:${n}`);
    await turn();
    await end();
    await end();
    await end();
    expect(performed).toEqual(['a:1', 'a:1000']);
    expect(queue.size()).toBe(0);
  });

  it('performs again what is put in at the very moment an attempt ends', async () => {
    const { queue, performed, end } = aQueue();
    queue.put('a:1');
    await turn();
    const ending = end();
    await Promise.resolve();
    queue.put('a:2');
    await ending;
    await end();
    expect(performed).toEqual(['a:1', 'a:2']);
  });

  it('tries again until it works, waiting longer each time', async () => {
    const { queue, performed, failures, clock, end } = aQueue({
      backoff: () => ({ first: 100, longest: 300 }),
    });
    queue.put('a');
    for (const wait of [100, 200, 300, 300]) {
      await end(new Error('away'));
      await clock.advance(wait);
    }
    await end();
    expect(performed).toHaveLength(5);
    expect(clock.slept).toEqual([100, 200, 300, 300]);
    expect(failures).toEqual([1, 2, 3, 4]);
    expect(queue.size()).toBe(0);
  });

  it('waits as long as the error asks for', async () => {
    const { queue, clock, end } = aQueue({
      backoff: (error) =>
        error instanceof TypeError ? { first: 1000, longest: 1000 } : { first: 1, longest: 1 },
    });
    queue.put('a');
    await end(new TypeError('refused'));
    await clock.advance(1000);
    await end(new Error('away'));
    expect(clock.slept).toEqual([1000, 1]);
  });

  it('does not let a key that fails hold up another', async () => {
    const { queue, performed, end } = aQueue({ concurrency: 1 });
    queue.put('bad');
    queue.put('good');
    await end(new Error('away'));
    await end();
    expect(performed).toEqual(['bad', 'good']);
    expect(queue.size()).toBe(1);
  });

  it('performs no more at a time than it may', async () => {
    const { queue, performed, end } = aQueue({ concurrency: 2 });
    for (const item of ['a', 'b', 'c', 'd']) queue.put(item);
    await turn();
    expect(performed).toEqual(['a', 'b']);
    await end();
    expect(performed).toEqual(['a', 'b', 'c']);
  });

  it('is idle when nothing is left to do', async () => {
    const { queue, end } = aQueue();
    let isIdle = false;
    queue.put('a');
    const idle = queue.idle().then(() => (isIdle = true));
    await turn();
    expect(isIdle).toBe(false);
    await end();
    await idle;
    expect(isIdle).toBe(true);
  });

  it('stops trying when the signal is given', async () => {
    const { queue, performed, stop, end } = aQueue();
    queue.put('a');
    await end(new Error('away'));
    stop.abort();
    await queue.idle();
    expect(performed).toEqual(['a']);
  });
});
