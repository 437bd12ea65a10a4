import { expect, it, vi } from 'vitest';
import type { DriftFinding } from '../activities/contract.ts';

let finding: DriftFinding;
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  elbv2Reads: () => ({ findDrift: () => Promise.resolve(finding), wakeWriter: () => Promise.resolve() }),
}));
const synced: unknown[] = [];
vi.mock('./entity.ts', () => ({
  entity: async ({ sync }: { sync: () => Promise<unknown> }) => {
    synced.push(await sync());
  },
}));
const { driftWatch } = await import('./drift-watch.ts');

it.each([
  ['continues while an object names the listener', { watched: 1 }, true],
  ['ends when nothing names it', { watched: 0 }, false],
  ['continues while one may that nobody may read', { watched: 0, unread: 1 }, true],
])('the watch over a listener %s', async (_, seen, isPresent) => {
  finding = { ...seen, drifted: [], unhealthy: [], changed: [], isSplit: false };
  await driftWatch({ type: 'AWSApplicationLoadBalancer', place: 'arn', intervalSeconds: 60 });
  expect(synced.at(-1)).toMatchObject({ isPresent });
});
