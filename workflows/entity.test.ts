import { ActivityFailure, RetryState } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
// Temporal suggests to continue as new after thousands of events, more than a test against a server can wait for.
let wake = (): void => undefined;
let isRenewalDue = true;
beforeEach(() => void (isRenewalDue = true));
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  condition: () => Promise.resolve(true),
  setCurrentDetails: () => undefined,
  setHandler: (_: unknown, handler: () => void) => {
    wake = handler;
  },
  workflowInfo: () => ({ continueAsNewSuggested: isRenewalDue }),
}));
const { entity } = await import('./entity.ts');
type Entity = Parameters<typeof entity>[0];
it('renews though a wake comes with every sync', async () => {
  let syncs = 0;
  const renewed = new Error('renewed');
  const run = entity({
    intervalSeconds: 60,
    sync: () => {
      syncs += 1;
      if (syncs < 100) wake();
      return Promise.resolve({ isPresent: true, message: '' });
    },
    renew: () => Promise.reject(renewed),
  });
  await expect(run).rejects.toBe(renewed);
  expect(syncs).toBe(1);
});

describe('a sync that comes after', () => {
  const failure = new ActivityFailure(
    'failed',
    'findDrift',
    'id',
    RetryState.MAXIMUM_ATTEMPTS_REACHED,
    'worker',
    new Error('no answer'),
  );
  const fails = () => Promise.reject(failure);
  const works = () => Promise.resolve({ isPresent: true, message: '' });
  const ends = () => Promise.resolve({ isPresent: false, message: '' });

  /** Has these syncs made one after the other, and says what each was told of those before. */
  async function told(syncs: readonly (() => Promise<{ isPresent: boolean; message: string }>)[]) {
    isRenewalDue = false;
    const heard: (number | undefined)[] = [];
    await entity({
      intervalSeconds: 60,
      sync: (...before) => {
        vi.advanceTimersByTime(1000);
        heard.push(before[0]?.failingSince);
        return syncs[heard.length - 1]!();
      },
      renew: () => Promise.reject(new Error('not due')),
    });
    return heard;
  }

  it.each([
    ['one that has failed is told since when', [fails, ends], [undefined, 1000]],
    ['several is told since the first', [fails, fails, ends], [undefined, 1000, 1000]],
    [
      'one that has not failed is told nothing',
      [fails, works, fails, ends],
      [undefined, 1000, undefined, 3000],
    ],
  ])('%s', async (_, syncs, want) => {
    vi.useFakeTimers({ now: 0 });
    try {
      expect(await told(syncs)).toEqual(want);
    } finally {
      vi.useRealTimers();
    }
  });

  it('those of the run before that have failed is told since when', async () => {
    const before = { failingSince: 5 };
    const sync = vi.fn<Entity['sync']>(fails);
    const run = entity({
      intervalSeconds: 60,
      before,
      sync,
      renew: (next) => Promise.reject(new Error(JSON.stringify(next))),
    });
    await expect(run).rejects.toThrow(JSON.stringify({ intervalSeconds: 60, before }));
    expect(sync).toHaveBeenCalledWith(before);
  });
});
