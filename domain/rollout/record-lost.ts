import type { PresentCell } from '../versions/candidate.ts';
import { measurementKinds } from './measurement-kinds.ts';
import { withoutBackoff } from './record.ts';
import type { LostRun, RolloutState } from '../model/state.ts';
import { measures } from '../steps/index.ts';
import { plannedBy } from './strategy.ts';

/** Records how an earlier run ended that has left this rollout behind, and takes up what it was told. */
export function lostRunRead(
  state: RolloutState,
  cell: PresentCell,
  ended: LostRun,
  now: number,
): RolloutState {
  const known: RolloutState = {
    ...withoutBackoff(state),
    lostRunRead: true,
    ...(ended.is === 'Stuck' ? { stuckBefore: ended.message } : {}),
    // What it, or one that was lost before it, has left measuring is ended when the Cell is at rest.
    ...(mayHaveMeasured(cell) ? { hasMeasured: true } : {}),
  };
  const before = cell.status.rollout?.paused;
  const stamp =
    ended.is === 'Terminated'
      ? { by: 'Temporal', reason: terminationText(ended), at: now }
      : before === undefined
        ? undefined
        : { by: before.by, reason: before.reason, at: Date.parse(before.time) };
  return stamp === undefined ? known : { ...known, requests: { paused: stamp, ...known.requests } };
}

/** The status names what was under way in the run that was lost, and the spec what may have been in others before it. */
function mayHaveMeasured({ spec, status }: PresentCell): boolean {
  const { steps, analysis } = plannedBy(spec);
  const ofSteps = Object.values(measurementKinds).map(({ field }) => status[field]);
  const known = [analysis, status.backgroundAnalysisRun, ...ofSteps];
  return steps.some(measures) || known.some((one) => one !== undefined);
}

const terminationText = ({ by, reason }: Extract<LostRun, { is: 'Terminated' }>): string =>
  `the run was terminated${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : ` (${reason})`} at its present weight`;
