import { msNumberToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, it } from 'vitest';
import { createPollWatch, readPolls, type Polls } from './polls.ts';

const queues = [
  { taskQueue: 'okra', types: ['workflow', 'activity'] },
  { taskQueue: 'okra-elbv2', types: ['activity'] },
] as const;
const all = ['okra (workflow tasks)', 'okra (activity tasks)', 'okra-elbv2 (activity tasks)'];

const at = (time: number, names: readonly string[] = all): Polls =>
  new Map(names.map((name) => [name, time]));

/** A watch over polls, with a clock that is set by hand. */
function aWatch(before: Polls = new Map()) {
  const clock = { now: 0 };
  return { clock, watch: createPollWatch(queues, before, () => clock.now) };
}

describe('the watch over the polls of a worker', () => {
  it('waits for all of them at first', () => {
    expect(aWatch().watch.see(new Map())).toEqual(all);
  });

  it('waits for those that were not seen', () => {
    expect(aWatch().watch.see(at(1, all.slice(0, 2)))).toEqual(['okra-elbv2 (activity tasks)']);
  });

  it('waits for nothing when all were seen', () => {
    expect(aWatch().watch.see(at(1))).toEqual([]);
  });

  it('does not take those of an earlier worker of the same name for its own', () => {
    const { watch } = aWatch(at(1000));
    expect(watch.see(at(1000))).toEqual(all);
    expect(watch.see(at(1001))).toEqual([]);
  });

  it('does not mind a poll that is being held', () => {
    const { watch, clock } = aWatch();
    watch.see(at(1000));
    clock.now = 120_000;
    expect(watch.see(at(1000))).toEqual([]);
    expect(watch.see(new Map())).toEqual([]);
  });

  it('misses a poll that was seen no more for longer than one is held', () => {
    const { watch, clock } = aWatch();
    watch.see(at(1000));
    clock.now = 151_000;
    expect(watch.see(at(1000))).toEqual(all);
    expect(watch.see(at(152_000))).toEqual([]);
  });
});

/** A Temporal that answers about a queue what it is told to. */
function aConnection(describeTaskQueue: (request: { apiMode?: number }) => Promise<object>) {
  const connection = {
    withDeadline: <R>(_: unknown, call: () => Promise<R>): Promise<R> => call(),
    workflowService: { describeTaskQueue },
  };
  return connection as unknown as Parameters<typeof readPolls>[0];
}

const poller = { namespace: 'default', identity: 'me', queues };
const seen = (identity: string, milliseconds: number): object => ({
  identity,
  lastAccessTime: msNumberToTs(milliseconds),
});

describe('what Temporal says of polls', () => {
  it('is about the worker of this name, and the last one of each', async () => {
    const connection = aConnection(() =>
      Promise.resolve({ pollers: [seen('me', 5000), seen('other', 9000), seen('me', 7000)] }),
    );
    expect(await readPolls(connection, poller, 'root partition')).toEqual(at(7000));
  });

  it('is about all partitions where that is asked for', async () => {
    const connection = aConnection(({ apiMode }) =>
      Promise.resolve(
        apiMode === 1
          ? {
              versionsInfo: {
                '': {
                  typesInfo: { 1: { pollers: [seen('me', 1000)] }, 2: { pollers: [seen('me', 2000)] } },
                },
              },
            }
          : { pollers: [] },
      ),
    );
    expect((await readPolls(connection, poller, 'root partition')).size).toBe(0);
    expect([...(await readPolls(connection, poller, 'all partitions')).values()]).toEqual([1000, 2000, 2000]);
  });

  it('is about one partition where the server tells of no more', async () => {
    const refused = Object.assign(new Error('3 INVALID_ARGUMENT'), { code: 3, details: '', metadata: {} });
    const connection = aConnection(({ apiMode }) =>
      apiMode === 1 ? Promise.reject(refused) : Promise.resolve({ pollers: [seen('me', 1000)] }),
    );
    expect(await readPolls(connection, poller, 'all partitions')).toEqual(at(1000));
  });
});
