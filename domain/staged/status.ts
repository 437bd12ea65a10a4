import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { conditionsFrom, type Claim } from '../kubernetes/conditions.ts';
import { given, omit } from '../model/fields.ts';
import { stampOf } from '../model/requests.ts';
import type { StagedDecision, StagedState, StagedWait } from './state.ts';
import type { PresentPolicy } from './observation.ts';
import { namePolicy } from './policy.ts';

/** What a status is made of. */
export interface StagedStatusInput {
  readonly name: string;
  readonly object: PresentPolicy;
  readonly state: StagedState;
  readonly decision: StagedDecision;
  readonly now: number;
}

type Summary = Required<Pick<StagedWait, 'phase' | 'reason' | 'message' | 'isTrouble'>>;

/** Says where a StagedBindingPolicy stands. */
export function deriveStagedStatus({
  name,
  object,
  state,
  decision,
  now,
}: StagedStatusInput): StagedBindingPolicyStatus {
  const summary = summarize(decision, state);
  const { active, held, rollingBack, requests, asked } = state;
  const mark = state.stages.find((one) => one.name === active?.name);
  const holding = held ?? (rollingBack && { ...rollingBack, stage: active?.name ?? '' });
  const at = { generation: object.generation, time: timeOf(now) };
  return {
    observedGeneration: object.generation,
    ...omit(summary, 'isTrouble'),
    ...given({
      activeStage: active?.name,
      fulfilled: mark?.objects === undefined ? undefined : `${mark.fulfilled ?? 0}/${mark.objects}`,
      paused: requests.paused && stampOf(requests.paused),
      held: holding,
    }),
    stages: [...stagesOf(name, state)],
    ...(asked.length === 0
      ? {}
      : { requests: asked.map((one) => ({ action: one.action, ...stampOf(one) })) }),
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

const stagesOf = (name: string, { stages }: StagedState): StagedState['stages'] =>
  stages.map((mark) =>
    mark.phase === 'Pending' || mark.phase === 'RolledBack'
      ? mark
      : { ...mark, bindingPolicy: namePolicy(name, mark.name) },
  );

function claimsOf(
  { problems }: PresentPolicy,
  { phase, reason, message, isTrouble }: Summary,
): readonly Claim[] {
  const problem = reason === 'StageChanged' ? { reason, message } : problems[0];
  return [
    { type: 'Ready', holds: phase === 'Completed', reason, message },
    { type: 'Progressing', holds: phase === 'Progressing' || phase === 'RollingBack', reason, message },
    {
      type: 'Degraded',
      holds: isTrouble,
      reason: isTrouble ? reason : 'AsExpected',
      message: isTrouble ? message : 'The workload is on all requested clusters, or on its way.',
    },
    {
      type: 'SpecAccepted',
      holds: problem === undefined,
      reason: problem?.reason ?? 'Accepted',
      message: problem?.message ?? 'The spec is valid.',
    },
  ];
}

const timeOf = (at: number): string => new Date(at).toISOString();
