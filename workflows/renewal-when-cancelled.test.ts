import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApplicationsWorld } from '../domain/applications/testing/world.ts';
import { clusters, web } from '../domain/applications/testing/applications.ts';
import { CANCELLED } from '../domain/model/requests.ts';
import { World } from '../test/rollout/interrupts/world.ts';
import { info, lone, LoneScope, Renewed, turn, until } from '../test/support/lone-workflow.ts';
import type { CellRolloutInput } from './cell-rollout.ts';

/** Whether the API server answers nobody. */
let isAway: boolean;
let looks: number;
let cancel: () => void;
let cancelRequested: Promise<never>;
let world: World;
let applications: ApplicationsWorld;

const answering = <Value>(answer: () => Value): Promise<Value> =>
  isAway
    ? Promise.reject(
        new ActivityFailure(
          'Activity task failed',
          'observe',
          'id',
          'MAXIMUM_ATTEMPTS_REACHED',
          'worker',
          ApplicationFailure.nonRetryable('The API server does not answer.', 'Unavailable'),
        ),
      )
    : Promise.resolve(answer());

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  ...lone,
  CancellationScope: class extends LoneScope {
    static override readonly current = () => ({ cancelRequested });
  },
}));
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  objects: () => ({
    observeCell: () => ((looks += 1), answering(() => world.observe())),
    reportCell: (report: Parameters<World['report']>[0]) => Promise.resolve(world.report(report)),
  }),
  applicationLooks: () => ({
    observeApplications: () => ((looks += 1), answering(() => applications.observe())),
  }),
}));

const { cellRollout } = await import('./cell-rollout.ts');
const { initialApplicationsState } = await import('../domain/applications/state.ts');

/** A run that cannot look, and is cancelled while its history is long; answers with what the next one begins with. */
async function cancelled(input: CellRolloutInput): Promise<CellRolloutInput> {
  isAway = true;
  info.historyLength = 10;
  const renewed = cellRollout(input).catch((error: unknown) => error);
  await until(() => looks > 0);
  await turn();
  info.historyLength = 2_000;
  cancel();
  const error = await renewed;
  if (!(error instanceof Renewed)) throw new TypeError(`Expected another run, got ${String(error)}.`);
  isAway = false;
  info.historyLength = 10;
  cancelRequested = new Promise(() => undefined);
  return error.input;
}

beforeEach(() => {
  looks = 0;
  cancelRequested = new Promise((_, reject) => (cancel = () => reject(new Error('Cancelled.'))));
  cancelRequested.catch(() => undefined);
  world = new World('default', {});
  applications = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [web()] });
});

it.each<[string, Pick<CellRolloutInput, 'applications'>]>([
  ['a Cell', {}],
  ['a Cell with applications', { applications: initialApplicationsState }],
])('%s: a cancellation of a run that continues as another is not lost', async (_, state) => {
  expect(await cancelled({ key: world.key, ...state })).toMatchObject({ isCancelled: true });
});

it('ends the run after it when there is nothing to abort', async () => {
  const { state: _blind, ...next } = await cancelled({ key: world.key });
  // An edit that waits for the end of a Freeze is no rollout.
  world.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
  world.spec = { ...world.spec, deletionPolicy: 'Delete' };
  expect(await cellRollout(next)).toEqual({ outcome: 'Waiting', message: CANCELLED.message });
});
