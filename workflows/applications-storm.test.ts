import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { clusters, web } from '../domain/applications/testing/applications.ts';
import { ApplicationsWorld } from '../domain/applications/testing/world.ts';
import type { CellReport } from '../domain/rollout/report/events.ts';
import { handlers, info, lone, LoneScope, Renewed, turn, until } from '../test/support/lone-workflow.ts';

const MINUTE = 60_000;
const LOOK_MS = 300;
const EVENTS_PER_LOOK = 6;

let world: ApplicationsWorld;
let begunAt = 0;
/** Until when things happen, in milliseconds; then the Cell is gone. */
let end = 0;
/** How often something is told, in milliseconds. */
let every = Infinity;
let sinceTold = 0;
/** Of signals that come while the one before is taken up, each is one event, and they share the others. */
let eventsPerSignal = 4;
/** How many signals each run has had. */
let signals: number[] = [];
let isFailing = false;
let isHanging = false;
/** When it has looked. */
let looks: number[] = [];
/** When its status has said first that something was asked. */
let heardAt = Infinity;
/** What is asked between two runs, of which the next hears as soon as it listens. */
let asksBetween: string | undefined;
/** When that was, in milliseconds. */
let askedBetweenAt = Infinity;
/** What happens at a time. */
let happens: { readonly at: number; readonly happen: () => void }[] = [];

const signal = (name: string): void => void handlers.get(`signal ${name}`)?.();
const clock = (): number => world.now - begunAt;

function pass(milliseconds: number): void {
  for (let left = milliseconds; left > 0; left -= 10) {
    world.now += 10;
    sinceTold += 10;
    if (sinceTold >= every) {
      sinceTold = 0;
      info.historyLength += eventsPerSignal;
      signals.push((signals.pop() ?? 0) + 1);
      signal('changed');
    }
    const due = happens.filter(({ at }) => at <= clock());
    happens = happens.filter(({ at }) => at > clock());
    for (const { happen } of due) happen();
  }
}

/** A scope that is given up when it is cancelled. */
class Scope {
  static readonly current = LoneScope.current;
  static readonly nonCancellable = LoneScope.nonCancellable;
  consideredCancelled = false;
  readonly cancelled = Promise.withResolvers<never>();
  readonly cancel = (): void => {
    this.consideredCancelled = true;
    this.cancelled.reject(new CancelledFailure('It is given up.'));
  };
  readonly run = (run: () => unknown): unknown => Promise.race([run(), this.cancelled.promise]);
}

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  ...lone,
  setHandler: (...[message, handle]: Parameters<typeof lone.setHandler>) => {
    lone.setHandler(message, handle);
    if (input.pace === undefined || `${message.type} ${message.name}` !== `signal ${asksBetween}`) return;
    [asksBetween, askedBetweenAt] = [undefined, clock()];
    handle();
  },
  CancellationScope: Scope,
  condition: async (happened: () => boolean, milliseconds = Infinity) => {
    for (let left = milliseconds; left > 0; left -= 10) {
      if (happened()) return true;
      await turn();
      if (happened()) return true;
      if (milliseconds < Infinity || isHanging) pass(10);
      if (clock() > end) isHanging = false;
    }
    return false;
  },
}));

const throttled = (): ActivityFailure =>
  new ActivityFailure(
    'Activity task failed',
    'observeApplications',
    'id',
    'MAXIMUM_ATTEMPTS_REACHED',
    'worker',
    ApplicationFailure.nonRetryable('Rate exceeded.', 'Throttled'),
  );

const activities = {
  async observeApplications(_key: object, how?: { readonly withoutClusters: true }) {
    looks.push(clock());
    info.historyLength += EVENTS_PER_LOOK;
    if (how !== undefined) return world.observeWithoutClusters();
    await until(() => !isHanging);
    pass(LOOK_MS);
    if (clock() > end) return { ...world.observe(), cell: undefined };
    if (isFailing) throw throttled();
    return world.observe();
  },
  performApplication: ({ application, action }: { application: string; action: never }) =>
    Promise.resolve(world.perform(application, action)),
  reportCell: ({ status }: CellReport) => {
    if (status.requests !== undefined) heardAt = Math.min(heardAt, clock());
    return Promise.resolve(void (world.status = status));
  },
};
vi.mock('./activities.ts', async (original) => ({
  ...(await original<object>()),
  applicationLooks: () => activities,
  applicationActs: () => activities,
  urgentApplications: () => activities,
  objects: () => activities,
}));

const { cellRollout } = await import('./cell-rollout.ts');
const { initialApplicationsState } = await import('../domain/applications/state.ts');

const first: Parameters<typeof cellRollout>[0] = {
  key: { namespace: 'default', name: 'mysystem' },
  applications: initialApplicationsState,
};

/** What the run that is under way began with. */
let input = first;

/** Runs the workflow, one run after the other, up to this time. */
async function rollOut(to: number): Promise<void> {
  [end, input] = [to, first];
  const now = vi.spyOn(Date, 'now').mockImplementation(() => world.now);
  try {
    for (;;) {
      const closed = await cellRollout(input).catch((error: unknown) => error);
      if (!(closed instanceof Renewed)) return;
      ({ input } = closed);
      info.historyLength = 3;
      signals.push(0);
    }
  } finally {
    now.mockRestore();
  }
}

beforeEach(() => {
  world = new ApplicationsWorld({ clusters: clusters('web-v1'), applications: [web()] });
  begunAt = world.now;
  every = Infinity;
  sinceTold = 0;
  eventsPerSignal = 4;
  signals = [0];
  isFailing = false;
  isHanging = false;
  looks = [];
  heardAt = Infinity;
  happens = [];
  [asksBetween, askedBetweenAt] = [undefined, Infinity];
  info.historyLength = 3;
});

const between = (from: number, to: number): number => looks.filter((at) => at >= from && at < to).length;
const lookFrom = (from: number): number => looks.find((at) => at >= from) ?? Infinity;

describe('a Cell with applications that is told of changes all the time', { timeout: 30_000 }, () => {
  it.each([
    ['thirty times a second', 30],
    ['a hundred times a second', 10],
  ])('does not look more and more: %s', async (_, milliseconds) => {
    every = milliseconds;
    await rollOut(10 * MINUTE);
    expect(signals.length).toBeGreaterThan(10);
    expect(between(MINUTE, 10 * MINUTE)).toBeLessThanOrEqual(9 * 42);
  });

  it('never waits long with a look that may find what has to be taken back', async () => {
    every = 30;
    await rollOut(3 * MINUTE);
    const waits = looks.slice(1).map((at, index) => at - (looks[index] ?? 0));
    expect(Math.max(...waits)).toBeLessThanOrEqual(LOOK_MS + 1_600);
  });

  // While it looks, while a look waits for its turn, and where a run continues as another.
  const times = [0, 500, 1_000, 1_500, 8_200];
  it.each(
    times.flatMap((time) => [
      ['abort', time, 0] as const,
      ['pause', time, 0] as const,
      ['pause', time, 1_000] as const,
    ]),
  )(
    'does not keep %s waiting, which comes at %i ms, with %i events before it',
    async (request, time, events) => {
      every = 30;
      const at = MINUTE + time;
      happens.push({ at, happen: () => ((info.historyLength += events), signal(request)) });
      await rollOut(at + 10_000);
      expect(heardAt - at).toBeLessThanOrEqual(LOOK_MS + 20);
    },
  );

  it('looks without delay again when the changes are over', async () => {
    every = 30;
    happens.push({ at: 2 * MINUTE, happen: () => (every = Infinity) });
    happens.push({ at: 4 * MINUTE, happen: () => signal('changed') });
    await rollOut(5 * MINUTE);
    expect(lookFrom(4 * MINUTE) - 4 * MINUTE).toBeLessThanOrEqual(20);
  });
});

describe('a look of a Cell with applications that fails', { timeout: 30_000 }, () => {
  it('is not made again by each change', async () => {
    [isFailing, every] = [true, 30];
    await rollOut(10 * MINUTE);
    expect(signals.length).toBeGreaterThan(10);
    expect(between(MINUTE, 10 * MINUTE)).toBeLessThanOrEqual(9 * 7);
  });

  it('is made again soon after a change, which may have put it right', async () => {
    isFailing = true;
    const at = 4.6 * MINUTE;
    happens.push({ at, happen: () => ((isFailing = false), signal('changed')) });
    await rollOut(5 * MINUTE);
    expect(lookFrom(at) - at).toBeLessThanOrEqual(10_000);
  });

  it('is made again at once when someone asks for something', async () => {
    isFailing = true;
    const at = 4.05 * MINUTE;
    happens.push({ at, happen: () => signal('retry') });
    await rollOut(5 * MINUTE);
    expect(lookFrom(at) - at).toBeLessThanOrEqual(20);
  });

  it.each(['abort', 'pause', 'retry'])(
    'is made again at once when someone sends %s while a run continues as another',
    async (request) => {
      [isFailing, every] = [true, 30];
      happens.push({ at: 3 * MINUTE, happen: () => (asksBetween = request) });
      await rollOut(5 * MINUTE);
      expect(askedBetweenAt).toBeLessThan(5 * MINUTE);
      expect(lookFrom(askedBetweenAt) - askedBetweenAt).toBeLessThanOrEqual(20);
    },
  );
});

it.each([4, 1])(
  'a Cell whose looks do not answer continues as a new run before Temporal takes no more signals, of %i events each, and then hears an abort',
  { timeout: 30_000 },
  async (events) => {
    [every, eventsPerSignal] = [10, events];
    happens.push({ at: 2_000, happen: () => (isHanging = true) });
    happens.push({ at: 3 * MINUTE, happen: () => signal('abort') });
    await rollOut(4 * MINUTE);
    expect(signals.length).toBeGreaterThan(2);
    expect(Math.max(...signals)).toBeLessThan(10_000);
    expect(heardAt - 3 * MINUTE).toBeLessThanOrEqual(20);
  },
);
