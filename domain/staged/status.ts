import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { sameValue } from '../kubernetes/canonical.ts';
import { conditionsFrom, type Claim } from '../kubernetes/conditions.ts';
import type { Stamp } from '../model/request.ts';
import type { StagedDecision, StagedState } from './state.ts';
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

interface Told {
  readonly phase: NonNullable<StagedBindingPolicyStatus['phase']>;
  readonly reason: string;
  readonly message: string;
  readonly isTrouble: boolean;
}

/** Says where a StagedBindingPolicy stands. */
export function deriveStagedStatus({
  name,
  object,
  state,
  decision,
  now,
}: StagedStatusInput): StagedBindingPolicyStatus {
  const told = toldBy(decision, state);
  const { active, held, rollingBack, requests, asked } = state;
  const mark = state.stages.find((one) => one.name === active?.name);
  const holding = held ?? (rollingBack === undefined ? undefined : holdOf(rollingBack, active?.name ?? ''));
  const at = { generation: object.generation, time: timeOf(now) };
  return {
    observedGeneration: object.generation,
    ...(active === undefined ? {} : { activeStage: active.name }),
    phase: told.phase,
    reason: told.reason,
    message: told.message,
    ...(mark?.objects === undefined ? {} : { fulfilled: `${mark.fulfilled ?? 0}/${mark.objects}` }),
    stages: [...stagesOf(name, state)],
    ...(requests.paused === undefined ? {} : { paused: stampOf(requests.paused) }),
    ...(holding === undefined ? {} : { held: holding }),
    ...(asked.length === 0
      ? {}
      : { requests: asked.map((one) => ({ action: one.action, ...stampOf(one) })) }),
    conditions: conditionsFrom(claimsOf(object, told), object.status.conditions ?? [], at),
  };
}

/** Whether two statuses say the same, whenever and by whom they were written. */
export const isSameStagedStatus = (a: StagedBindingPolicyStatus, b: StagedBindingPolicyStatus): boolean =>
  sameValue(newsIn(a), newsIn(b));

const newsIn = (status: StagedBindingPolicyStatus): object => ({
  ...status,
  writer: undefined,
  lastSyncTime: undefined,
});

function toldBy(decision: StagedDecision, { rollingBack }: StagedState): Told {
  if (decision.do === 'Wait') {
    const { phase, reason, message, isTrouble = false } = decision;
    // What is being taken back is, whatever keeps it from that.
    if (rollingBack === undefined || phase !== 'Failed') return { phase, reason, message, isTrouble };
    return { phase: 'RollingBack', reason, message: `${rollingBack.message} ${message}`, isTrouble };
  }
  const { message } = decision;
  return rollingBack === undefined
    ? { phase: 'Progressing', reason: 'Progressing', message, isTrouble: false }
    : {
        phase: 'RollingBack',
        reason: rollingBack.reason,
        message,
        isTrouble: rollingBack.reason !== 'Aborted',
      };
}

const holdOf = ({ reason, by, message, to }: NonNullable<StagedState['rollingBack']>, stage: string) => ({
  reason,
  stage,
  message,
  ...(by === undefined ? {} : { by }),
  ...(to === undefined ? {} : { to }),
});

const stagesOf = (name: string, { stages }: StagedState): StagedState['stages'] =>
  stages.map((mark) =>
    mark.phase === 'Pending' || mark.phase === 'RolledBack'
      ? mark
      : { ...mark, bindingPolicy: namePolicy(name, mark.name) },
  );

function claimsOf(
  { problems }: PresentPolicy,
  { phase, reason, message, isTrouble }: Told,
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

const stampOf = ({ by, reason, at }: Stamp) => ({ by, reason, time: timeOf(at) });
