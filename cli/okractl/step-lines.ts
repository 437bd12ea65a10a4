import type { CellStatus } from '../../crds/cell.ts';
import { describeSteps } from '../../domain/steps/strategy.ts';
import type { CellView } from './cell-view.ts';
import { formatTime } from './time.ts';

const marks = { done: '✓', current: '▶', ahead: ' ' } as const;

/** The steps of the strategy, with where a rollout stands, since when and until when. */
export function stepLines({ cell }: Pick<CellView, 'cell'>, now: number): readonly string[] {
  const { spec, status = {} } = cell;
  const steps = describeSteps(spec);
  const index = status.rollout === undefined ? undefined : (status.currentStepIndex ?? 0);
  const times = stepTimesText(status, now);
  const lines = steps.map((step, at) => {
    const stands = index === undefined || at > index ? 'ahead' : at < index ? 'done' : 'current';
    return `${marks[stands]} ${at + 1}. ${step}${stands === 'current' ? times : ''}`;
  });
  const all = index === undefined || index < steps.length ? 'ahead' : 'current';
  const last = `${marks[all]} the whole weight${all === 'current' ? times : ''}`;
  return steps.length === 0 ? [] : [...lines, last];
}

/** Since when the current step is under way, and when it is over where that is known. */
function stepTimesText({ rollout }: CellStatus, now: number): string {
  const since = formatTime(rollout?.stepStartedAt, now);
  const end = formatTime(rollout?.stepEndsAt, now);
  return `${since === undefined ? '' : `, since ${since}`}${end === undefined ? '' : `, ends at ${end}`}`;
}
