import type { PresentCell } from './candidate.ts';
import { withoutHold } from './record.ts';
import type { LostRun, RolloutState } from './state.ts';

/** Records how an earlier run ended that has left this rollout behind, and takes up what it was told. */
export function lostRunRead(
  state: RolloutState,
  cell: PresentCell,
  ended: LostRun,
  now: number,
): RolloutState {
  const known: RolloutState = { ...withoutHold(state), lostRunRead: true };
  const before = cell.status.rollout?.paused;
  const stamp =
    ended.is === 'Terminated'
      ? { by: 'Temporal', reason: terminationText(ended), at: now }
      : before === undefined
        ? undefined
        : { by: before.by, reason: before.reason, at: Date.parse(before.time) };
  return stamp === undefined ? known : { ...known, requests: { paused: stamp, ...known.requests } };
}

const terminationText = ({ by, reason }: Extract<LostRun, { is: 'Terminated' }>): string =>
  `the run was terminated${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : ` (${reason})`} at its present weight`;
