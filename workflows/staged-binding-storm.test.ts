import { expect, it, vi } from 'vitest';
import type { StagedBindingPolicyStatus } from '../crds/staged-binding-policy.ts';
import type { StageChange } from '../domain/staged/decision.ts';
import { aSpec, World } from '../domain/staged/testing/world.ts';
import type { StagedBindingInput } from './staged-binding.ts';

const MINUTE = 60_000;
const MOST_LOOKS = 40;
const MESSAGE_EVERY_MS = 40;
const [EVENTS_OF_A_LOOK, EVENTS_OF_A_MESSAGE, LONGEST_HISTORY] = [6, 4, 1_000];

const handlers = new Map<string, () => unknown>();
const world = new World(aSpec([{}, {}]));
const MINUTES = 5;
const end = world.now + MINUTES * MINUTE;
let untold = 0;
let events = 0;
const looks: number[] = [];

/** Time passes, in which clusters report all the time; each message makes the history longer. */
function pass(milliseconds: number): void {
  world.now += milliseconds;
  for (untold += milliseconds; untold >= MESSAGE_EVERY_MS; untold -= MESSAGE_EVERY_MS) {
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

const activities = {
  observeStaged({ at }: { at?: string }) {
    looks.push(world.now);
    pass(500);
    events += EVENTS_OF_A_LOOK;
    world.lookAt(at);
    return Promise.resolve(world.observe());
  },
  applyStage: (change: StageChange) =>
    Promise.resolve(world.perform({ do: 'Apply', message: '', ...change })),
  reportStaged: ({ status }: { status: StagedBindingPolicyStatus }) =>
    Promise.resolve(void (world.status = status)),
};
vi.mock('./activities.ts', () => ({ stages: () => activities, stagedReports: () => activities }));

/** The run ends, and another is to go on with this. */
class GoesOn extends Error {
  readonly input: StagedBindingInput;
  constructor(input: StagedBindingInput) {
    super('Goes on.');
    this.input = input;
  }
}
vi.mock('./renewal.ts', () => ({
  isDue: () => events > LONGEST_HISTORY || world.now >= end,
  goOn: (input: StagedBindingInput) => Promise.reject(new GoesOn(input)),
  waitUntil: (happened: () => boolean, milliseconds: number) => {
    const until = world.now + milliseconds;
    while (world.now < until && !happened()) pass(10);
    return Promise.resolve(true);
  },
}));

const { stagedBinding } = await import('./staged-binding.ts');

it(
  'a storm of reports brings no more looks in a minute because one run follows another',
  { timeout: 10_000 },
  async () => {
    const now = vi.spyOn(Date, 'now').mockImplementation(() => world.now);
    let input: StagedBindingInput = { key: { namespace: '', name: 'web' } };
    let runs = 0;
    for (; world.now < end; runs += 1) {
      events = 0;
      const over: unknown = await stagedBinding(input).catch((error: unknown) => error);
      if (!(over instanceof GoesOn)) throw over;
      input = structuredClone(over.input);
    }
    now.mockRestore();
    expect(runs).toBeGreaterThan(10);
    const withinMinute = looks.map((at) => looks.filter((one) => one >= at && one < at + MINUTE).length);
    // Each run begins with a look.
    expect(Math.max(...withinMinute)).toBeLessThanOrEqual(MOST_LOOKS + Math.ceil(runs / MINUTES));
  },
);
