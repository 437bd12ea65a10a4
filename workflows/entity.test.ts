import { expect, it, vi } from 'vitest';
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
