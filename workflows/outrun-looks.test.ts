import { expect, it, vi } from 'vitest';
import { handedOver } from '../test/rollout/interrupts/handed-over.ts';
import { World } from '../test/rollout/interrupts/world.ts';
import { handlers, lone } from '../test/support/lone-workflow.ts';

const MOST_LOOKS = 50;

const shifted: { readonly urgent: boolean }[] = [];
let world: World;

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  ...lone,
}));
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  objects: () => ({
    observeCell: () => {
      world.looks += 1;
      if (world.looks > MOST_LOOKS) throw new Error('Nothing was decided.');
      // A label that flips all the time: each look is out of date before it ends.
      void handlers.get('signal changed')?.();
      return Promise.resolve(world.observe());
    },
    reportCell: (report: Parameters<World['report']>[0]) => Promise.resolve(world.report(report)),
  }),
  traffic: (_summary: string, urgent: boolean) => ({
    shiftTraffic: () => {
      shifted.push({ urgent });
      return new Promise(() => undefined);
    },
  }),
}));

const { cellRollout } = await import('./cell-rollout.ts');

it('a rollout whose looks are all out of date is taken back when its deadline is over', async () => {
  world = new World('default', {
    progressDeadline: '10m',
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { setWeight: 40 }] } },
  });
  const state = handedOver(world, { weight: 20, done: 1 });
  const { rollout } = state;
  if (rollout === undefined) throw new Error('Expected a rollout, got none.');
  const startedAt = Date.now() - 3_600_000;
  void cellRollout({ key: world.key, state: { ...state, rollout: { ...rollout, startedAt } } }).catch(
    () => undefined,
  );
  await vi.waitFor(() => expect(shifted.length + Number(world.looks > MOST_LOOKS)).toBeGreaterThan(0));
  expect(shifted).toEqual([{ urgent: true }]);
});
