import { backoffMs } from '../domain/applications/state.ts';
import { addLook, pauseBeforeLook, type Looks } from '../domain/model/pace.ts';
import { isDue, waitUntil } from './renewal.ts';

/** How fast a run looks where nothing comes of it; it is handed to the next run, so that going on does not begin anew. */
export interface LookPace {
  readonly looks: Looks;
  /** Until when only what someone asks for leads to another look, in milliseconds since the epoch. */
  readonly heldUntil: number;
  /** How many looks have failed in a row. */
  readonly failures: number;
}

const unpaced: LookPace = { looks: [], heldUntil: 0, failures: 0 };

// A change may have put right what has failed, and is not left waiting longer than this.
const LONGEST_HOLD_MS = 10_000;

/** Holds looks back where one would follow the other; `asked` says how often someone has asked for something, which waits for none of that. */
export function paceLooks(asked: () => number, begun: LookPace = unpaced) {
  let pace = begun;
  // A run hears what was asked before it began as soon as it listens: no look has come after that yet.
  let seen = 0;
  const isHeld = (): boolean => pace.heldUntil > Date.now() && asked() === seen;
  const idle = (now: number): LookPace => {
    const looks = addLook(pace.looks, now);
    return { ...pace, looks, heldUntil: now + pauseBeforeLook(looks, now) };
  };
  const failed = (now: number): LookPace => {
    const failures = pace.failures + 1;
    const heldUntil = now + Math.min(backoffMs(failures), LONGEST_HOLD_MS);
    return { looks: addLook(pace.looks, now), heldUntil, failures };
  };
  return {
    /** What is asked from now on comes after the look that begins. */
    begin: (): void => void (seen = asked()),
    answered: (): void => void (pace = { ...pace, failures: 0 }),
    wasIdle: (): void => void (pace = idle(Date.now())),
    /** Says how long to wait at most until the next look, in milliseconds. */
    hasFailed: (): number => {
      pace = failed(Date.now());
      return backoffMs(pace.failures);
    },
    /** Whether the next look is to wait, however much changes. */
    isHeld,
    /** Waits until it need not any more, or the next run is due. */
    rest: async (): Promise<void> => {
      const isOver = (): boolean => asked() !== seen || isDue();
      await waitUntil(isOver, pace.heldUntil - Date.now(), 'What it depends on changes all the time');
    },
    /** What the next run begins with; undefined: it looks at once. */
    handedOver: (): LookPace | undefined => {
      if (pace.looks.length === 0) return undefined;
      return isHeld() ? pace : { ...pace, heldUntil: 0 };
    },
  };
}
