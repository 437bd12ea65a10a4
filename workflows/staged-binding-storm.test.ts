import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { StagedBindingPolicyStatus } from '../crds/staged-binding-policy.ts';
import type { StageChange } from '../domain/staged/state.ts';
import { aSpec, World } from '../domain/staged/testing/world.ts';
import type { StagedBindingInput } from './staged-binding.ts';

const MINUTE = 60_000;
const MOST_LOOKS = 40;
const LOOK_MS = 500;
const [EVENTS_OF_A_LOOK, EVENTS_OF_A_MESSAGE, LONGEST_HISTORY] = [6, 4, 1_000];

const handlers = new Map<string, () => unknown>();
let world: World;
let end: number;
let every: number;
let untold: number;
let events: number;
let looks: number[];
/** Whether the API server refuses what is written. */
let isRefused: boolean;
/** When a BindingPolicy was deleted last. */
let removedAt: number | undefined;

/** Time passes, in which clusters report all the time; each message makes the history longer. */
function pass(milliseconds: number): void {
  world.now += milliseconds;
  for (untold += milliseconds; untold >= every; untold -= every) {
    events += EVENTS_OF_A_MESSAGE;
    handlers.get('signal changed')?.();
  }
}

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  setCurrentDetails: () => undefined,
  setHandler: ({ type, name }: { type: string; name: string }, handler: () => unknown) =>
    void handlers.set(`${type} ${name}`, handler),
}));

const refusal = new ActivityFailure(
  'Activity task failed',
  'applyStage',
  'id',
  'MAXIMUM_ATTEMPTS_REACHED',
  'worker',
  ApplicationFailure.nonRetryable('Expected another namespace.', 'Refused'),
);

const activities = {
  observeStaged({ at }: { at?: string }) {
    looks.push(world.now);
    pass(LOOK_MS);
    events += EVENTS_OF_A_LOOK;
    world.lookAt(at);
    return Promise.resolve(world.observe());
  },
  applyStage: (change: StageChange) =>
    isRefused
      ? Promise.reject(refusal)
      : Promise.resolve(world.perform({ do: 'Apply', message: '', ...change })),
  removeStage({ policy }: { policy: { name: string; uid: string } }) {
    world.perform({ do: 'Remove', message: '', ...policy });
    removedAt = world.now;
    return Promise.resolve();
  },
  reportStaged: ({ status }: { status: StagedBindingPolicyStatus }) =>
    Promise.resolve(void (world.status = status)),
};
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  stages: () => activities,
  objects: () => activities,
}));

/** The run ends, and another is to continue with this. */
class GoesOn extends Error {
  readonly input: StagedBindingInput;
  constructor(input: StagedBindingInput) {
    super('Continues.');
    this.input = input;
  }
}
vi.mock('./renewal.ts', async (original) => ({
  ...(await original<object>()),
  isDue: () => events > LONGEST_HISTORY || world.now >= end,
  goOn: (input: StagedBindingInput) => Promise.reject(new GoesOn(input)),
  waitUntil: (happened: () => boolean, milliseconds: number) => {
    const until = world.now + milliseconds;
    while (world.now < until && !happened()) pass(10);
    return Promise.resolve(true);
  },
}));

const { stagedBinding } = await import('./staged-binding.ts');

/** Runs it for so many minutes, and says how many runs that takes. */
async function run(minutes: number): Promise<number> {
  const now = vi.spyOn(Date, 'now').mockImplementation(() => world.now);
  end = world.now + minutes * MINUTE;
  let input: StagedBindingInput = { key: { namespace: '', name: 'web' } };
  let runs = 0;
  try {
    for (; world.now < end; runs += 1) {
      events = 0;
      const over: unknown = await stagedBinding(input).catch((error: unknown) => error);
      if (!(over instanceof GoesOn)) throw over;
      input = structuredClone(over.input);
    }
  } finally {
    now.mockRestore();
  }
  return runs;
}

beforeEach(() => {
  world = new World(aSpec([{}, {}]));
  [every, untold, looks, removedAt, isRefused] = [40, 0, [], undefined, false];
});

describe('a StagedBindingPolicy whose clusters report all the time', { timeout: 10_000 }, () => {
  it('is looked at no more often because one run follows another', async () => {
    const [minutes, begunAt] = [5, world.now];
    const runs = await run(minutes);
    expect(runs).toBeGreaterThan(10);
    // Each run begins with a look.
    const most = (minutes - 1) * MOST_LOOKS + runs;
    expect(looks.filter((at) => at >= begunAt + MINUTE).length).toBeLessThanOrEqual(most);
  });

  it('is looked at no more often while what is written is refused', async () => {
    isRefused = true;
    const [minutes, begunAt] = [5, world.now];
    const runs = await run(minutes);
    const most = (minutes - 1) * MOST_LOOKS + runs;
    expect(looks.filter((at) => at >= begunAt + MINUTE).length).toBeLessThanOrEqual(most);
  });

  it('never waits long with a look, which may find what has to be taken back', async () => {
    every = 400;
    await run(5);
    const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(LOOK_MS + 1_600);
  });

  it.each([40, 45, 50, 55])('takes a stage back that is late after %i s', async (seconds) => {
    every = 400;
    world.spec = aSpec([{ timeout: `${seconds}s`, onTimeout: 'Rollback' }]);
    const lateAt = world.now + seconds * 1_000;
    await run(2);
    expect(world.placed).toEqual([]);
    expect((removedAt ?? Infinity) - lateAt).toBeLessThanOrEqual(LOOK_MS * 3 + 1_600);
  });
});
