import { expect, it, vi } from 'vitest';
import type { CheckRun } from '../activities/contract.ts';

const told: unknown[][] = [];
let runs: CheckRun[] = [];
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  samples: () => ({
    runCheck: (_: unknown, ...before: unknown[]) => {
      told.push(before);
      return Promise.resolve(runs.shift());
    },
  }),
}));
vi.mock('./entity.ts', () => ({
  entity: async ({ sync }: { sync: () => Promise<unknown> }) => {
    while (runs.length > 0) await sync();
  },
}));
const { check } = await import('./synced.ts');

it('a look at a Check is told how often the ones before it were throttled', async () => {
  const run: CheckRun = { isPresent: true, message: '' };
  runs = [{ ...run, throttled: 1 }, { ...run, throttled: 2 }, run, run];
  await check({ key: { namespace: 'shop', name: 'dd' } });
  expect(told.map(([throttled]) => throttled)).toEqual([undefined, 1, 2, undefined]);
});
