import type { Cell } from '../../crds/cell.ts';
import { isDegraded } from '../okractl/refusals.ts';
import type { Tone } from './view.ts';

const byPhase: Readonly<Record<string, Tone>> = {
  Pending: 'Idle',
  Waiting: 'Held',
  Progressing: 'Moving',
  Paused: 'Held',
  Completed: 'Good',
  Reverting: 'Bad',
  Reverted: 'Bad',
  Failed: 'Bad',
  FailedReverting: 'Bad',
};

/** How a Cell stands. */
export function toneOf({ status = {} }: Pick<Cell, 'status'>): Tone {
  const { phase = 'Pending' } = status;
  return isDegraded(status) ? 'Bad' : (byPhase[phase] ?? 'Idle');
}

const byVerdict: Readonly<Record<string, Tone>> = {
  Successful: 'Good',
  Complete: 'Good',
  Passed: 'Good',
  Failed: 'Bad',
  Error: 'Bad',
  Inconclusive: 'Held',
  Extended: 'Held',
  Terminated: 'Idle',
};

/** How something that measures stands. */
export const toneOfVerdict = (phase: string): Tone => byVerdict[phase] ?? 'Moving';

const byOutcome: Readonly<Record<string, Tone>> = {
  Installed: 'Good',
  Completed: 'Good',
  RolledBack: 'Held',
  FellBack: 'Held',
  Reverted: 'Bad',
  Withdrawn: 'Idle',
};

/** How a change has ended. */
export const toneOfOutcome = (outcome: string): Tone => byOutcome[outcome] ?? 'Idle';

const byApplication: Readonly<Record<string, Tone>> = {
  Pending: 'Idle',
  Synced: 'Good',
  PrecheckFailed: 'Bad',
  CheckFailed: 'Bad',
  Reverting: 'Bad',
};

/** How an application stands. */
export const toneOfApplication = (phase: string): Tone => byApplication[phase] ?? 'Moving';

const byPolicy: Readonly<Record<string, Tone>> = {
  Pending: 'Idle',
  Completed: 'Good',
  Passed: 'Good',
  Fulfilled: 'Good',
  Paused: 'Held',
  Waiting: 'Held',
  Failed: 'Bad',
  TimedOut: 'Bad',
  RollingBack: 'Bad',
  RolledBack: 'Bad',
};

/** How a StagedBindingPolicy stands, or a stage of it. */
export const toneOfPolicy = (phase: string): Tone => byPolicy[phase] ?? 'Moving';
