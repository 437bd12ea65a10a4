import type { Decision } from '../model/decision.ts';
import { parseDuration } from '../duration.ts';
import type { GuardInput } from '../gates/guard.ts';
import type { Rollout, StepSpec } from '../model/state.ts';
import { advance, type StandingKind } from './step.ts';

/** Holds the rollout at its weight, for a time or until someone resumes. */
export const pause: StandingKind<StepSpec<'pause'>> = {
  describe: ({ duration }) =>
    duration === undefined ? 'pause until resumed' : `pause for ${durationText(duration)}`,
  next,
  lasts: ({ duration }) => duration,
  waitsForPerson: ({ duration }) => duration === undefined,
};

function next({ duration }: StepSpec<'pause'>, rollout: Rollout, { now }: GuardInput): Decision {
  const { progress } = rollout;
  const text = duration === undefined ? 'until it is resumed' : `for ${duration}`;
  if (progress.is !== 'Pausing') return { do: 'Pause', message: `Pausing ${text}.` };
  if (duration === undefined) {
    return { do: 'Wait', for: 'Resume', message: 'Waiting for resume or promote.' };
  }
  const until = progress.since + parseDuration(duration) * 1000;
  if (now >= until) return advance(rollout, 'The pause is over.');
  return { do: 'Wait', for: 'Pause', until, message: `Pausing ${text}.` };
}

const durationText = (duration: number | string): string =>
  typeof duration === 'number' || /^\d+$/.test(duration) ? `${duration}s` : duration;
