import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { conditionsFrom, type Claim } from '../kubernetes/conditions.ts';
import { given, omit } from '../model/fields.ts';
import { requestsInStatus, stampOf } from '../model/requests.ts';
import type { StagedDecision, StagedState, StagedWait } from './state.ts';
import type { PresentPolicy } from './observation.ts';
import { namePolicy } from './policy.ts';

type Summary = Required<Pick<StagedWait, 'phase' | 'reason' | 'message' | 'isTrouble'>>;

/** Says where a StagedBindingPolicy stands. */
export function deriveStagedStatus(of: {
  readonly name: string;
  readonly object: PresentPolicy;
  readonly state: StagedState;
  readonly decision: StagedDecision;
  readonly now: number;
}): StagedBindingPolicyStatus {
  const { name, object, state, decision, now } = of;
  const summary = summarize(decision, state);
  const { active, held, rollingBack, requests, asked, stages } = state;
  const mark = stages.find((one) => one.name === active?.name);
  const at = { generation: object.generation, time: new Date(now).toISOString() };
  return {
    observedGeneration: object.generation,
    ...omit(summary, 'isTrouble'),
    ...given({
      activeStage: active?.name,
      fulfilled: mark?.objects === undefined ? undefined : `${mark.fulfilled ?? 0}/${mark.objects}`,
      paused: requests.paused && stampOf(requests.paused),
      held: held ?? (rollingBack && { ...rollingBack, stage: active?.name ?? '' }),
      requests: asked.length === 0 ? undefined : requestsInStatus(asked),
    }),
    stages: stages.map((one) =>
      one.phase === 'Pending' || one.phase === 'RolledBack'
        ? one
        : { ...one, bindingPolicy: namePolicy(name, one.name) },
    ),
    conditions: conditionsFrom(claimsOf(object, summary), object.status.conditions ?? [], at),
  };
}

function summarize(decision: StagedDecision, { rollingBack }: StagedState): Summary {
  if (decision.do === 'Wait') {
    const { phase, reason, message, isTrouble = false } = decision;
    // What is being taken back is, whatever keeps it from that.
    if (rollingBack === undefined || phase !== 'Failed') return { phase, reason, message, isTrouble };
    return { phase: 'RollingBack', reason, message: `${rollingBack.message} ${message}`, isTrouble };
  }
  const { message } = decision;
  if (rollingBack === undefined)
    return { phase: 'Progressing', reason: 'Progressing', message, isTrouble: false };
  const { reason } = rollingBack;
  return { phase: 'RollingBack', reason, message, isTrouble: reason !== 'Aborted' };
}

function claimsOf(
  { problems }: PresentPolicy,
  { phase, reason, message, isTrouble }: Summary,
): readonly Claim[] {
  const problem = reason === 'StageChanged' ? { reason, message } : problems[0];
  return [
    { type: 'Ready', holds: phase === 'Completed', reason, message },
    { type: 'Progressing', holds: phase === 'Progressing' || phase === 'RollingBack', reason, message },
    isTrouble
      ? { type: 'Degraded', holds: true, reason, message }
      : {
          type: 'Degraded',
          holds: false,
          reason: 'AsExpected',
          message: 'The workload is on all requested clusters, or on its way.',
        },
    problem === undefined
      ? { type: 'SpecAccepted', holds: true, reason: 'Accepted', message: 'The spec is valid.' }
      : { type: 'SpecAccepted', holds: false, ...problem },
  ];
}
