import type { PresentCell } from '../../versions/candidate.ts';
import { given } from '../../model/fields.ts';
import type { LostRun, Rollout, RolloutState } from '../../model/state.ts';
import type { TargetGroup } from '../../model/target-group.ts';
import type { VersionSet } from '../../versions/version.ts';
import { leftOf } from '../../versions/stable.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { includes, weightOf } from '../../load-balancers/weights.ts';
import { resumeAt, stepsOf } from '../../steps/plan.ts';
import { blockedBy, newRollout, withoutBackoff, type RolloutSituation } from './record.ts';
import { parseTime } from '../../time.ts';

type RolloutStatus = NonNullable<PresentCell['status']['rollout']>;

type LostSituation = RolloutSituation & Pick<ObservedCell, 'selected'>;

/** Continues the rollout that the status reports, whose run was lost; `ended` is how that run ended. */
export function resumeLost(state: RolloutState, at: LostSituation, ended: LostRun): RolloutState {
  const { cell, weighted, now } = at;
  const { rollout } = cell.status;
  if (rollout === undefined) return state;
  const rebuilt = rebuild(rollout, at);
  // Other groups carry traffic: the status was restored from a backup, and that rollout is over.
  if (weighted.some((group) => group.weight > 0 && !isOf(rebuilt, group)))
    return { ...withoutBackoff(state), hasMeasured: true, serves: rebuilt.stable.version };
  const paused =
    ended.is === 'Terminated'
      ? { by: 'Temporal', reason: terminationText(ended), at: now }
      : rollout.paused && {
          by: rollout.paused.by,
          reason: rollout.paused.reason,
          at: parseTime(rollout.paused.time) ?? now,
        };
  const { unblocked, ...known } = withoutBackoff(state);
  const isFailed = rebuilt.ending?.kind === 'Failed';
  return {
    ...known,
    rollout: rebuilt,
    // What it has left measuring is ended when the Cell is at rest.
    hasMeasured: true,
    requests: { ...given({ paused }), ...known.requests },
    ...given({
      stuckBefore: ended.is === 'Stuck' ? ended.message : undefined,
      // A retry is not for the version that is being taken back.
      unblocked: isFailed ? undefined : unblocked,
      justBlocked: isFailed ? blockedBy(rebuilt.ending, rebuilt.canary.version, cell) : known.justBlocked,
    }),
  };
}

/** The rollout that a status reports, with the same names of measurements, so that they continue; its deadline starts anew. */
function rebuild({ id, startedAt, edition = 0, ending, ...told }: RolloutStatus, at: LostSituation): Rollout {
  const { cell, weighted, now } = at;
  const { currentStepIndex, observedGeneration } = cell.status;
  const [stable, canary] = [sideOf(told.stable), sideOf(told.canary)];
  const steps = stepsOf(cell.spec);
  const begun = parseTime(startedAt) ?? now;
  // The status does not have the steps: an index counts as long as nobody can have edited them.
  const isSame = observedGeneration === cell.generation && currentStepIndex !== undefined;
  const reached = resumeAt(steps, weightOf(canary.groups, weighted));
  // With more weight than its step gives it never goes backwards; but alone it has everything whatever that gives.
  const isAlone = leftOf(stable, at).length === 0;
  const index = isSame ? Math.max(currentStepIndex, isAlone ? 0 : reached) : reached;
  return {
    ...newRollout({ id, stable, canary, index: Math.min(index, steps.length) }, at),
    startedAt: begun,
    ...(isSame ? { stepStartedAt: parseTime(told.stepStartedAt) ?? now } : {}),
    deadlinePausedMs: now - begun,
    edition: isSame ? edition : edition + 1,
    ...given({
      ending: ending && {
        kind: ending.kind,
        reason: ending.reason,
        message: ending.message,
        at: parseTime(ending.time) ?? now,
      },
    }),
  };
}

const isOf = ({ stable, canary }: Pick<Rollout, 'stable' | 'canary'>, group: TargetGroup): boolean =>
  includes([...stable.groups, ...canary.groups], group);

const sideOf = ({ version, targetGroups }: RolloutStatus['stable']): VersionSet => ({
  version,
  groups: targetGroups.map(({ name, arn }) => ({ name, arn })),
});

const terminationText = ({ by, reason }: Extract<LostRun, { is: 'Terminated' }>): string =>
  `the run was terminated${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : ` (${reason})`} at its present weight`;
