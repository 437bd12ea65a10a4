import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import { handedOver, type Progressed } from './handed-over.ts';
import type { Play } from './play.ts';

/** Something that a rollout waits for. */
export interface Wait {
  readonly steps?: readonly CanaryStep[];
  readonly spec?: Partial<CellSpec>;
  /** What has to be done for it after the rollout has begun, or before. */
  readonly reach: (play: Play) => Promise<void>;
  /** How the Cell stands while it waits. */
  readonly at: string;
  /** Whether an activity does not answer meanwhile. */
  readonly hangs?: true;
  /** Ends it; without this only what is asked for does. */
  readonly lift?: (play: Play) => Promise<void>;
}

const fifth: CanaryStep = { setWeight: 20 };
const twoFifths: CanaryStep = { setWeight: 40 };
const untilResumed: CanaryStep = { pause: {} };
const analysis: CanaryStep = { analysis: { templates: [{ templateName: 'rate' }] } };
const experiment: CanaryStep = {
  experiment: { duration: '1h', templates: [{ name: 'x', specRef: 'x', replicas: 1 }] },
};

/** The steps of a rollout when a wait has none of its own. */
export const usualSteps: readonly CanaryStep[] = [fifth, untilResumed, twoFifths, untilResumed];

/** Begins a rollout. */
const begin = (play: Play): Promise<void> => {
  play.world.groups = ['a', 'b'];
  return play.wake();
};

/** Takes up a rollout at a step. */
const takeUp =
  (progressed: Progressed = {}) =>
  (play: Play): Promise<void> =>
    play.wake({ state: handedOver(play.world, progressed) });

async function pausedAt20(play: Play): Promise<void> {
  await takeUp()(play);
  await play.until('20 Paused WaitingForResume');
}

/** Takes up a rollout that was resumed, and so continues to 40, once something is arranged. */
function beyondThePause(play: Play, arrange: () => void): Promise<void> {
  arrange();
  return takeUp({ done: 2 })(play);
}

const lifted = (play: Play): Promise<void> => {
  play.world.troubles.lift();
  return Promise.resolve();
};

const refusedOften = {
  during: 'StartMeasurement',
  reason: 'AnalysisTemplateNotFound',
  message: 'There is none.',
  since: 0,
  attempts: 30,
  until: 0,
} as const;

/** A window that opens in three days. */
function shutWindow(): NonNullable<CellSpec['windows']> {
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
  const day = days[(new Date().getUTCDay() + 3) % days.length] ?? 'Sun';
  return [{ timeZone: 'UTC', days: [day], start: '09:00', end: '17:00' }];
}

const freeze = { name: 'year-end', by: 'ops', reason: 'No changes.' };

/** Every thing that a rollout can wait for. */
export const waits = {
  'a pause': { reach: begin, at: '20 Paused WaitingForResume' },
  'a window': {
    reach: (play) =>
      beyondThePause(play, () => play.world.edit((spec) => ({ ...spec, windows: shutWindow() }))),
    at: '20 Paused WaitingForWindow',
    lift: (play) => {
      play.world.edit(({ windows: _shut, ...spec }) => spec);
      return play.wake();
    },
  },
  'a Freeze': {
    reach: (play) =>
      beyondThePause(play, () => {
        play.world.freezes = [freeze];
      }),
    at: '20 Paused WaitingForFreeze',
    lift: (play) => {
      play.world.freezes = play.world.freezes.filter((one) => one !== freeze);
      return play.signal();
    },
  },
  'unhealthy targets': {
    reach: (play) => beyondThePause(play, () => play.world.unhealthy.add('b')),
    at: '20 Progressing WaitingForHealth',
    lift: (play) => {
      play.world.unhealthy.clear();
      return Promise.resolve();
    },
  },
  'a health read that hangs': {
    reach: (play) => beyondThePause(play, () => play.world.troubles.cause('health', { does: 'hang' })),
    at: '20 Progressing ShiftingTraffic',
    hangs: true,
    lift: lifted,
  },
  'a throttled attach': {
    reach: (play) => {
      play.world.troubles.cause('write', { does: 'refuse', type: 'Throttled' });
      return begin(play);
    },
    at: '0 Progressing Throttled',
    lift: lifted,
  },
  'a throttled first increase': {
    reach: (play) => {
      play.world.troubles.cause('write', { does: 'refuse', type: 'Throttled', after: 1 });
      return begin(play);
    },
    at: '0 Progressing Throttled',
    lift: lifted,
  },
  'a throttled increase': {
    reach: (play) =>
      beyondThePause(play, () => play.world.troubles.cause('write', { does: 'refuse', type: 'Throttled' })),
    at: '20 Progressing Throttled',
    lift: lifted,
  },
  'a write that applied and answered 500': {
    reach: (play) =>
      beyondThePause(play, () => {
        play.world.troubles.cause('write', { does: 'applyAndRefuse' });
        // Nobody can find out that it was applied.
        play.world.troubles.cause('read', { does: 'refuse', type: 'Throttled' });
      }),
    at: '40 told 20 Progressing Throttled',
    lift: lifted,
  },
  'a write that is on its way': {
    reach: (play) => beyondThePause(play, () => play.world.troubles.cause('write', { does: 'takeLong' })),
    at: '20 Progressing ShiftingTraffic',
    hangs: true,
    lift: async (play) => {
      await play.untilCancelled();
      play.world.troubles.lift();
      await play.noticeDrift();
    },
  },
  'an analysis': {
    steps: [fifth, analysis, twoFifths, untilResumed],
    reach: takeUp(),
    at: '20 Progressing WaitingForAnalysis',
  },
  'an experiment': {
    steps: [fifth, experiment, twoFifths, untilResumed],
    reach: takeUp(),
    at: '20 Progressing WaitingForExperiment',
  },
  'an inconclusive analysis': {
    steps: [fifth, analysis, twoFifths, untilResumed],
    reach: (play) => {
      play.world.measures = 'Inconclusive';
      return takeUp()(play);
    },
    at: '20 Paused WaitingForVerdict',
  },
  'an inconclusive background': {
    spec: {
      updateStrategy: {
        type: 'Canary',
        canary: {
          steps: [...usualSteps],
          analysis: { templates: [{ templateName: 'rate' }], startingStep: 1 },
        },
      },
    },
    reach: (play) => {
      play.world.measures = 'Inconclusive';
      return takeUp()(play);
    },
    at: '20 Paused WaitingForVerdict',
  },
  'a hold': {
    steps: [fifth, analysis, twoFifths, untilResumed],
    reach: (play) => {
      play.world.troubles.cause('template', { does: 'refuse', type: 'AnalysisTemplateNotFound' });
      // It was refused so often that nobody tries again within this play.
      return takeUp({ remembers: { backoff: refusedOften } })(play);
    },
    at: '20 Progressing AnalysisTemplateNotFound',
    lift: (play) => {
      play.world.troubles.lift();
      return play.signal();
    },
  },
  settle: { spec: { settle: '1h' }, reach: takeUp({ done: 0 }), at: '20 Progressing WaitingForSettle' },
  'a bake': {
    spec: {
      updateStrategy: { type: 'Canary', canary: { steps: [fifth] }, bake: { duration: '1h' } },
    },
    reach: takeUp({ weight: 100 }),
    at: '100 Progressing WaitingForBake',
  },
  'a status that is refused': {
    reach: async (play) => {
      await pausedAt20(play);
      play.world.troubles.cause('report', { does: 'refuse', type: 'AccessDenied' });
      play.world.edit((spec) => ({ ...spec, healthTimeout: '11m' }));
      await play.signal();
    },
    at: '20 Paused WaitingForResume',
    lift: lifted,
  },
  'a status write that hangs': {
    reach: async (play) => {
      await pausedAt20(play);
      play.world.troubles.cause('report', { does: 'hang' });
      play.world.edit((spec) => ({ ...spec, healthTimeout: '11m' }));
      await play.signal();
    },
    at: '20 Paused WaitingForResume',
    hangs: true,
    lift: lifted,
  },
  'a look that is refused': {
    reach: async (play) => {
      await pausedAt20(play);
      play.world.troubles.cause('look', { does: 'refuse', type: 'AccessDenied' });
      await play.signal();
    },
    at: '20 Progressing AccessDenied',
    lift: lifted,
  },
  'a look that hangs': {
    reach: async (play) => {
      await pausedAt20(play);
      play.world.troubles.cause('look', { does: 'hang' });
      await play.signal();
    },
    at: '20 Paused WaitingForResume',
    hangs: true,
    lift: lifted,
  },
} as const satisfies Readonly<Record<string, Wait>>;

/** The name of something that a rollout can wait for. */
export type WaitName = keyof typeof waits;
