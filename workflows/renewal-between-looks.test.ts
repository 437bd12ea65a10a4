import type { RawValue, SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { expect, it, vi } from 'vitest';
import type { RolloutState } from '../domain/model/state.ts';
import { handedOver } from '../test/rollout/interrupts/handed-over.ts';
import { World } from '../test/rollout/interrupts/world.ts';

/** What a run is renewed with. */
class Renewed extends Error {
  readonly state: RolloutState | undefined;
  constructor({ state }: { readonly state?: RolloutState }) {
    super('The run goes on as another.');
    this.state = state;
  }
}

/** The events of one look, with the signal that comes meanwhile. */
const EVENTS_PER_LOOK = 8;
const MOST_EVENTS = 2_000;

const info = {
  workflowId: 'cell/default/web',
  runId: '0123456789abcdef',
  historyLength: 10,
  continueAsNewSuggested: false,
  targetWorkerDeploymentVersionChanged: false,
};
const handlers = new Map<string, (sent?: RawValue) => unknown>();
let world: World;
const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  workflowInfo: () => info,
  patched: () => true,
  allHandlersFinished: () => true,
  setHandler: ({ type, name }: SignalDefinition | UpdateDefinition<unknown>, handle: () => unknown) =>
    handlers.set(`${type} ${name}`, handle),
  condition: async (happened: () => boolean) => {
    while (!happened()) await turn();
    return true;
  },
  CancellationScope: class {
    static readonly current = () => ({ cancelRequested: new Promise(() => undefined) });
    static readonly nonCancellable = (run: () => unknown) => run();
    readonly consideredCancelled = false;
    readonly run = (run: () => unknown) => run();
  },
  setCurrentDetails: () => undefined,
  upsertSearchAttributes: () => undefined,
  makeContinueAsNewFunc: () => (input: ConstructorParameters<typeof Renewed>[0]) =>
    Promise.reject(new Renewed(input)),
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

it('a run whose looks are all out of date goes on as another before its history is too long', async () => {
  world = new World('default', {
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  });
  const state = handedOver(world, { weight: 20, done: 1 });
  expect(await cellRollout({ key: world.key, state }).catch((error: unknown) => error)).toMatchObject({
    state: { rollout: { index: 1 } },
  });
  expect(info.historyLength).toBeGreaterThan(1_000);
});
