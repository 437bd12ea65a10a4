import { RawValue, type SignalDefinition, type UpdateDefinition } from '@temporalio/common';
import { expect, it, vi } from 'vitest';
import { handedOver } from '../test/rollout/interrupts/handed-over.ts';
import { World } from '../test/rollout/interrupts/world.ts';
import { handlers, info, lone, turn, until } from '../test/support/lone-workflow.ts';

type Handle = (sent?: RawValue) => unknown;

let unfinished = 0;
let world: World;
const reviews: (() => void)[] = [];

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  ...lone,
  allHandlersFinished: () => unfinished === 0,
  setHandler: ({ type, name }: SignalDefinition | UpdateDefinition<unknown>, handle: Handle) =>
    handlers.set(`${type} ${name}`, async (sent) => {
      unfinished += 1;
      try {
        return await handle(sent);
      } finally {
        unfinished -= 1;
      }
    }),
}));
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  objects: () => ({
    observeCell: () => ((world.looks += 1), Promise.resolve(world.observe())),
    reportCell: (report: Parameters<World['report']>[0]) => Promise.resolve(world.report(report)),
    reviewApproval: () => new Promise((resolve) => reviews.push(() => resolve({ allowed: true }))),
  }),
}));

const { cellRollout } = await import('./cell-rollout.ts');

it.each([
  ['its history is long', { historyLength: 2_000 }],
  ['another version of the worker is current', { targetWorkerDeploymentVersionChanged: true }],
])('an approval that is being looked at while %s is answered, and handed over', async (_, now) => {
  Object.assign(info, { historyLength: 10, targetWorkerDeploymentVersionChanged: false });
  const approval = { groups: ['release'], count: 2 };
  world = new World('default', {
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { approval }] } },
  });
  const state = handedOver(world, { weight: 20, done: 1 });
  let isRenewed = false;
  const renewed = cellRollout({ key: world.key, state })
    .catch((error: unknown) => error)
    .finally(() => (isRenewed = true));
  await until(() => world.status.reason === 'WaitingForApproval');

  const answer = handlers.get('update approve')?.(new RawValue({ by: 'ann', groups: ['release'] }));
  await until(() => reviews.length > 0);
  Object.assign(info, now);
  const { looks } = world;
  void handlers.get('signal changed')?.();
  await until(() => world.looks > looks);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(isRenewed).toBe(false);

  reviews.pop()?.();
  expect(await answer).toMatchObject({ message: expect.stringContaining('(1 of 2)') as string });
  expect(await renewed).toMatchObject({
    input: { state: { rollout: { progress: { approvals: [{ by: 'ann' }] } } } },
  });
});
