import { describe, expect, it } from 'vitest';
import { unpolled } from './polls.ts';

const queues = [
  { taskQueue: 'okra', types: ['workflow', 'activity'] },
  { taskQueue: 'okra-elbv2', types: ['activity'] },
] as const;
const all = ['okra (workflow tasks)', 'okra (activity tasks)', 'okra-elbv2 (activity tasks)'];

interface Request {
  readonly apiMode?: number;
  readonly taskQueue: { readonly name: string };
  readonly taskQueueType: number;
}

/** A Temporal that answers about a queue what it is told to. */
function aConnection(describeTaskQueue: (request: Request) => Promise<object>) {
  const connection = {
    withDeadline: <R>(_: unknown, call: () => Promise<R>): Promise<R> => call(),
    workflowService: { describeTaskQueue },
  };
  return connection as unknown as Parameters<typeof unpolled>[0];
}

const by = (...identities: string[]) =>
  Promise.resolve({ pollers: identities.map((identity) => ({ identity })) });
const mine = { namespace: 'default', identity: 'me', queues };
const anyone = { namespace: 'default', queues };

describe('the queues that are not polled', () => {
  it('are all where Temporal has seen nobody', async () => {
    expect(
      await unpolled(
        aConnection(() => by()),
        anyone,
      ),
    ).toEqual(all);
  });

  it('are those that others poll, where a worker asks about itself', async () => {
    const connection = aConnection(({ taskQueue }) =>
      taskQueue.name === 'okra' ? by('other', 'me') : by('other'),
    );
    expect(await unpolled(connection, mine)).toEqual(['okra-elbv2 (activity tasks)']);
    expect(await unpolled(connection, anyone)).toEqual([]);
  });

  it('are looked for in all partitions', async () => {
    const ofType = { pollers: [{ identity: 'me' }] };
    const connection = aConnection(({ apiMode }) =>
      Promise.resolve(apiMode === 1 ? { versionsInfo: { '': { typesInfo: { 1: ofType } } } } : {}),
    );
    expect(await unpolled(connection, mine)).toEqual(all.slice(1));
  });

  it('are those of one partition where the server tells of no more', async () => {
    const refused = Object.assign(new Error('3 INVALID_ARGUMENT'), { code: 3, details: '', metadata: {} });
    const connection = aConnection(({ apiMode, taskQueueType }) =>
      apiMode === 1 ? Promise.reject(refused) : taskQueueType === 1 ? by('me') : by(),
    );
    expect(await unpolled(connection, mine)).toEqual(all.slice(1));
  });
});
