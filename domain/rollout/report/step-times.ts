import type { CellStatus } from '../../../crds/cell.ts';
import { bakeEndsAt } from '../measure/bake.ts';
import { parseDuration } from '../../duration.ts';
import { lastsAtMost } from '../../steps/index.ts';
import type { Rollout } from '../../model/state.ts';
import type { PresentCell } from '../../versions/candidate.ts';

type Times = Pick<NonNullable<CellStatus['rollout']>, 'stepStartedAt' | 'stepEndsAt'>;

/** Since when the current step is under way, and when it is over where that is a matter of time alone. */
export function stepTimes(rollout: Rollout, cell: PresentCell): Times {
  const endsAt = rollout.ending === undefined ? endOf(rollout, cell) : undefined;
  return {
    stepStartedAt: isoOf(rollout.stepStartedAt),
    ...(endsAt === undefined ? {} : { stepEndsAt: isoOf(endsAt) }),
  };
}

function endOf({ progress, steps, index }: Rollout, { spec }: PresentCell): number | undefined {
  switch (progress.is) {
    case 'Pausing': {
      const step = steps[index];
      return step === undefined ? undefined : after(progress.since, lastsAtMost(step));
    }
    case 'Baking': {
      const duration = spec.updateStrategy?.bake?.duration;
      return duration === undefined ? undefined : bakeEndsAt(progress, duration);
    }
    case 'Ready':
    case 'Measuring':
      return undefined;
  }
}

const after = (since: number, duration: number | string | undefined): number | undefined =>
  duration === undefined ? undefined : since + parseDuration(duration) * 1000;

const isoOf = (at: number): string => new Date(at).toISOString();
