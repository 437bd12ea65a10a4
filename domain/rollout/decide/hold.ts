import type { GuardInput } from '../../gates/guard.ts';
import { type Decision, noLaterThan } from '../../model/decision.ts';
import type { Rollout, RolloutState } from '../../model/state.ts';
import { takeStep } from './canary.ts';
import { verdictSoFar } from '../measure/measurement.ts';

/** Holds what a person has paused. */
export function holdPaused({ state: { requests } }: Pick<GuardInput, 'state'>): Decision | undefined {
  if (requests.paused === undefined) return undefined;
  const { by, reason } = requests.paused;
  const message = `Paused by ${by}${reason === '' ? '' : `: ${reason}`}. Send resume to continue.`;
  return { do: 'Wait', for: 'Resume', message };
}

/** What the step comes to that may take everything back does not wait for anything else that holds the rollout. */
export function applyVerdictFirst(next: Decision, rollout: Rollout, input: GuardInput): Decision {
  if (next.do !== 'Wait') return next;
  const { backoff, requests } = input.state;
  // In an operator's pause nothing but what measures takes back (an approval that comes too late does not).
  const step = requests.paused === undefined ? takeStep(rollout, input) : verdictSoFar(rollout, input);
  if (step === undefined || step.do === 'End') return step ?? next;
  const isRefused = backoff?.during === 'ReadMeasurement' && backoff.background !== true;
  if (step.do === 'ReadMeasurement') return isRefused && input.now < backoff.until ? next : step;
  const lastsNoLonger = rollout.progress.is === 'Measuring' || rollout.progress.is === 'Pausing';
  return step.do === 'Wait' && lastsNoLonger ? noLaterThan(step.until, next) : next;
}

/** Waits until what was refused is tried again; undefined when nothing was, or when what was moves no traffic. */
export function awaitBackoff(state: RolloutState, now: number): Decision | undefined {
  const { backoff } = state;
  if (backoff === undefined || backoff.quiet === true || now >= backoff.until) return undefined;
  return { do: 'Wait', for: 'Backoff', until: backoff.until, message: backoff.message };
}
