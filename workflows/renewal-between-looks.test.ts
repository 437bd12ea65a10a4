import { expect, it, vi } from 'vitest';
import { handedOver } from '../test/rollout/interrupts/handed-over.ts';
import { World } from '../test/rollout/interrupts/world.ts';
import { handlers, info, lone } from '../test/support/lone-workflow.ts';

/** The events of one look, with the signal that comes meanwhile. */
const EVENTS_PER_LOOK = 8;
const MOST_EVENTS = 2_000;

let world: World;

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  ...lone,
}));
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  objects: () => ({
    observeCell: () => {
      info.historyLength += EVENTS_PER_LOOK;
      if (info.historyLength > MOST_EVENTS) throw new Error('The history is too long.');
      void handlers.get('signal changed')?.();
      return Promise.resolve(world.observe());
    },
    reportCell: (report: Parameters<World['report']>[0]) => Promise.resolve(world.report(report)),
  }),
}));

const { cellRollout } = await import('./cell-rollout.ts');

it('a run whose looks are all out of date continues as another before its history is too long', async () => {
  world = new World('default', {
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  });
  const state = handedOver(world, { weight: 20, done: 1 });
  expect(await cellRollout({ key: world.key, state }).catch((error: unknown) => error)).toMatchObject({
    input: { state: { rollout: { index: 1 } } },
  });
  expect(info.historyLength).toBeGreaterThan(1_000);
});
