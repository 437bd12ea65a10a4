import { type Decision, fail } from '../model/decision.ts';
import type { StepSpec, Rollout } from '../model/state.ts';
import { parseDuration } from '../duration.ts';
import { holdsOnFailure } from '../rollout/measure/on-failure.ts';
import type { GuardInput } from '../gates/guard.ts';
import { advance, type StandingKind } from './step.ts';

type Spec = StepSpec<'approval'>;

/** Holds the rollout at its weight until enough people have approved. */
export const approval: StandingKind<Spec> = {
  describe: ({ count, groups }) => `approval by ${count} of ${groups.join(', ')}`,
  next,
  lasts: ({ timeout }) => timeout,
  approvals: (spec) => spec,
};

function next(spec: Spec, rollout: Rollout, input: GuardInput): Decision {
  const { progress } = rollout;
  if (progress.is !== 'Pausing') return { do: 'Pause', message: 'Waiting for approval.' };
  const { approvals = [], since } = progress;
  const by = approvals.map((one) => one.by).join(' and ');
  if (approvals.length >= spec.count) return advance(rollout, `Approved by ${by}.`);
  const until = spec.timeout === undefined ? undefined : since + parseDuration(spec.timeout) * 1000;
  if (until !== undefined && input.now >= until) return late(spec, approvals.length, input);
  const message = `Waiting for ${spec.count - approvals.length} of ${spec.count} approvals from ${spec.groups.join(', ')}.${by === '' ? '' : ` Approved by ${by}.`}${spec.message === undefined ? '' : ` ${spec.message}`}`;
  return { do: 'Wait', for: 'Approval', ...(until === undefined ? {} : { until }), message };
}

/** Fails the step; where failures are held it waits on, since an approval that comes late is one all the same. */
function late({ count, timeout, groups }: Spec, got: number, input: GuardInput): Decision {
  const message = `Only ${got} of ${count} approvals by people in ${groups.join(', ')} came within ${timeout}.`;
  if (!holdsOnFailure(input)) return fail('ApprovalTimedOut', message, input.now);
  return {
    do: 'Wait',
    for: 'Verdict',
    reason: 'ApprovalTimedOut',
    message: `${message} On hold, because onFailure is Hold. Continues when it is approved; send abort to revert.`,
  };
}
