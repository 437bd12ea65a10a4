import type { Decision, Wait } from './decision.ts';

/** What a wait means for the Cell. */
interface Waiting {
  /** Whether the Cell is paused: people, a time that someone has set, or something outside let it go on. */
  readonly isPause: boolean;
  /** Whether the wait is the rollout's own slowness, so that it counts towards `spec.progressDeadline`. */
  readonly counts: boolean;
}

const PAUSE: Waiting = { isPause: true, counts: false };
const WORK: Waiting = { isPause: false, counts: true };

/** What each wait means. */
const waits: Readonly<Record<Wait['for'], Waiting>> = {
  Resume: PAUSE,
  Pause: PAUSE,
  Approval: PAUSE,
  Verdict: PAUSE,
  Window: PAUSE,
  Freeze: PAUSE,
  Clusters: PAUSE,
  Application: PAUSE,
  Kind: PAUSE,
  Bake: { isPause: false, counts: false },
  Settle: { isPause: false, counts: false },
  Analysis: WORK,
  Experiment: WORK,
  Check: WORK,
  Job: WORK,
  Health: WORK,
  Backoff: WORK,
  Budget: WORK,
  Detach: WORK,
};

/** A wait that ends at a time at the latest, in milliseconds since the epoch; what is no wait stays as it is, as does one for which there is no such time. */
export const noLaterThan = <Of extends Decision>(time: number | undefined, decision: Of): Of =>
  decision.do === 'Wait' && time !== undefined && Number.isFinite(time)
    ? { ...decision, until: Math.min(decision.until ?? Infinity, time) }
    : decision;

/** Whether nothing is done until people, a time that someone has set, or something outside let it. */
export const isPause = (decision: Decision): boolean => decision.do === 'Wait' && waits[decision.for].isPause;

/** Whether a decision lets the time stand still that `spec.progressDeadline` counts. */
export const standsStill = (decision: Decision): boolean =>
  decision.do === 'Wait' && !waits[decision.for].counts;
