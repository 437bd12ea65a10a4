import { expect, it, vi } from 'vitest';
// Temporal suggests to go on as new after thousands of events, more than a test against a server can wait for.
let wake = (): void => undefined;
vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  condition: () => Promise.resolve(true),
  setCurrentDetails: () => undefined,
  setHandler: (_: unknown, handler: () => void) => {
    wake = handler;
  },
  workflowInfo: () => ({ continueAsNewSuggested: true }),
}));
const { entity } = await import('./entity.ts');
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
