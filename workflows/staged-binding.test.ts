import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { StagedBindingPolicyStatus } from '../crds/staged-binding-policy.ts';
import type { StageApplied } from '../activities/contract.ts';
import { aSpec, World } from '../domain/staged/testing/world.ts';

interface Handler {
  (request?: undefined): unknown;
}
const handlers = new Map<string, Handler>();
let world: World;
let isGone: boolean;
/** What happens when the workflow waits. */
let idle: () => void;
/** What happens while the workflow looks. */
let meanwhile: () => void;
/** What happens when a stage is placed. */
let placing: () => void;

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  setCurrentDetails: () => undefined,
  setHandler: ({ type, name }: { type: string; name: string }, handler: Handler) =>
    void handlers.set(`${type} ${name}`, handler),
}));

/** By which generations BindingPolicies were written and deleted. */
const generations: (number | undefined)[] = [];
/** The activities that fail from now on. */
const failing = new Set<string>();
const refused = (name: string): ActivityFailure =>
  new ActivityFailure(
    'Activity task failed',
    name,
    'id',
    'MAXIMUM_ATTEMPTS_REACHED',
    'worker',
    ApplicationFailure.nonRetryable('The API server does not answer.', 'Unavailable'),
  );
const act = (name: string, done: () => void = () => undefined): Promise<void> => {
  if (failing.has(name)) return Promise.reject(refused(name));
  done();
  return Promise.resolve();
};

const activities = {
  async observeStaged({ at }: { at?: string }) {
    await act('observe');
    world.lookAt(at);
    const { object: _gone, ...others } = world.observe();
    const found = isGone ? others : world.observe();
    meanwhile();
    return found;
  },
  applyStage: (change: StageApplied) => {
    generations.push(change.generation);
    placing();
    return act('apply', () => world.perform({ do: 'Apply', message: '', ...change }));
  },
  removeStage: ({ policy }: { policy: { name: string; uid: string; generation?: number } }) => {
    generations.push(policy.generation);
    return act('remove', () => world.perform({ do: 'Remove', message: '', ...policy }));
  },
  reportStaged: ({ status }: { status: StagedBindingPolicyStatus }) =>
    act('report', () => void (world.status = status)),
};
vi.mock('./renewal.ts', async (original) => ({
  ...(await original<object>()),
  isDue: () => false,
  waitUntil: (_: () => boolean, milliseconds: number) => {
    world.now += milliseconds;
    idle();
    return Promise.resolve(true);
  },
}));
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  stages: () => activities,
  objects: () => activities,
}));

const { stagedBinding } = await import('./staged-binding.ts');

const send = (name: string): unknown => handlers.get(`signal ${name}`)?.();

/** Runs the workflow, with these things happening one after the other as it waits; then the object is gone. */
async function run(...happen: readonly (() => void)[]): Promise<void> {
  const left = [...happen];
  idle = () => {
    const next = left.shift();
    if (next === undefined) isGone = true;
    else next();
  };
  const now = vi.spyOn(Date, 'now').mockImplementation(() => world.now);
  try {
    await stagedBinding({ key: { namespace: '', name: 'web' } });
  } finally {
    now.mockRestore();
  }
}

beforeEach(() => {
  world = new World(aSpec([{}, {}]));
  world.fulfilled.add('s0');
  isGone = false;
  meanwhile = () => undefined;
  placing = () => undefined;
  failing.clear();
  generations.length = 0;
});

describe('the workflow of a StagedBindingPolicy', () => {
  it('takes it through its stages, and ends with the object', async () => {
    await run(() => undefined);
    expect(world.placed).toEqual(['s0', 's1']);
    expect(world.status).toMatchObject({ activeStage: 's1', reason: 'Waiting' });
  });

  it('says by which spec it has decided what it writes', async () => {
    meanwhile = () => void (world.generation += 1);
    await run(() => undefined);
    expect(generations).toEqual([1, 2]);
  });

  it('says by which spec it has decided what it deletes, but for what is taken back, whatever the spec says', async () => {
    world.spec = aSpec([{}, {}], { stageRetention: 'Remove' });
    await run(
      () => send('abort'),
      () => undefined,
    );
    expect(world.done).toEqual(['apply s0', 'apply s1', 'remove s0', 'apply s0', 'remove s1']);
    expect(generations).toEqual([1, 1, 1, 1, undefined]);
  });

  it('tells which stage begins before it is placed, so that the API server keeps it from edits', async () => {
    const told = new Set<string | undefined>();
    placing = () => void told.add(world.status.activeStage);
    await run(() => undefined);
    expect([...told]).toEqual(['s0', 's1']);
  });

  it('writes three times in a row, and then once in a minute, what someone else undoes', async () => {
    world.isUndone = true;
    const begun = world.now;
    await run(
      () => {
        expect(world.status).toMatchObject({ phase: 'Failed', reason: 'Conflict' });
        // It is created once.
        expect(world.done).toHaveLength(4);
        expect(world.now).toBe(begun + 60_000);
      },
      () => {
        expect(world.done).toHaveLength(5);
        world.isUndone = false;
      },
      () => undefined,
    );
    expect(world.status).toMatchObject({ activeStage: 's1', reason: 'Waiting' });
  });

  it.each(['observe', 'apply', 'report'])('continues after a failure of %s', async (name) => {
    failing.add(name);
    await run(
      () => undefined,
      () => failing.clear(),
    );
    expect(world.placed).toEqual(['s0', 's1']);
  });

  it('says why a write fails however often it does, and not that someone undoes it', async () => {
    failing.add('apply');
    const said = new Set<string | undefined>();
    const says = () => void said.add(world.status.message);
    await run(says, says, says, says, says, says);
    expect([...said]).toEqual([expect.stringContaining('The API server does not answer.')]);
    expect(world.status.reason).toBe('Unavailable');
  });

  it('takes a stage back that is aborted, also while no status can be written', async () => {
    await run(
      () => {
        failing.add('report');
        send('abort');
      },
      () => undefined,
    );
    expect(world.placed).toEqual(['s0']);
  });

  it('begins again with an object that is created in place of a deleted one while it looks', async () => {
    meanwhile = () => {
      if (!isGone) return;
      isGone = false;
      meanwhile = () => undefined;
      world.createAgain();
      send('changed');
    };
    await run(
      () => void (isGone = true),
      () => undefined,
    );
    expect(world.placed).toEqual(['s0', 's1']);
    expect(world.status).toMatchObject({ activeStage: 's1', reason: 'Waiting' });
  });

  it('counts no time for which nobody could look', async () => {
    world.spec = aSpec([{ timeout: '1h', onTimeout: 'Rollback' }]);
    world.fulfilled.clear();
    await run(
      () => void failing.add('observe'),
      () => void (world.now += 5 * 3_600_000),
      () => failing.clear(),
      () => undefined,
    );
    expect(world.placed).toEqual(['s0']);
  });
});
