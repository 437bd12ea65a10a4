import type { CellStatus } from '../crds/cell.ts';
import { isLifted, isPinned, type PresentCell } from './candidate.ts';
import { conditionsFrom, type Claim } from './conditions.ts';
import type { Decision } from './decision.ts';
import type { ObservedCell } from './observation.ts';
import { withChange } from './history.ts';
import { stableSet } from './stable.ts';
import type { BlockedVersion, Rollout, RolloutState } from './state.ts';
import { groupByVersion, type RejectedTargetGroup } from './version.ts';
import { requestsFrom } from './requests.ts';
import { stepsOf } from './strategy.ts';
import { includes, TOTAL_WEIGHT, weightOf } from './weights.ts';

type Phase = NonNullable<CellStatus['phase']>;

/** What a status is derived from. */
export interface StatusInput {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly decision: Decision;
  /** The workflow that does the rollout, for people who look for it. */
  readonly workflow: { readonly workflowId: string; readonly runId: string };
  readonly now: number;
}

/** Derives a Cell's whole status from what was seen, remembered and decided; it claims no weight that is not served. */
export function statusOf(input: StatusInput): CellStatus {
  const { observed, cell, state, decision } = input;
  const { rejected } = groupByVersion(observed.selected);
  const phase = phaseOf(input);
  const stable = state.rollout?.stable ?? stableSet(observed, cell);
  const reason = reasonOf(input);
  return {
    observedGeneration: cell.generation,
    observedHash: observed.digest,
    phase,
    reason,
    message: messageOf(input),
    ...optional('desiredVersion', desiredVersion(input) ?? stable?.version),
    ...optional('stableVersion', stable?.version),
    ...progressOf(input, phase),
    targetGroups: targetGroupsOf(input),
    rejectedTargetGroups: [...rejected],
    blockedVersions: blockedVersions(input),
    ...(decision.do === 'Close' && decision.missing !== undefined
      ? { found: decision.missing.found, wanted: decision.missing.wanted }
      : {}),
    ...rolloutOf(input),
    ...toldOf(input),
    conditions: conditionsFrom(claims(input, phase, reason, rejected), cell.status.conditions ?? [], {
      generation: cell.generation,
      time: new Date(input.now).toISOString(),
    }),
  };
}

function phaseOf({ state, decision }: StatusInput): Phase {
  if (decision.do === 'Close') return decision.outcome === 'Deleted' ? 'Completed' : decision.outcome;
  const { rollout, hold } = state;
  const paused = decision.do === 'Wait' && pauses.has(decision.for);
  if (rollout === undefined) return hold !== undefined ? 'Failed' : paused ? 'Waiting' : 'Progressing';
  if (rollout.ending !== undefined) return hold === undefined ? 'Reverting' : 'FailedReverting';
  return paused ? 'Paused' : 'Progressing';
}

/** What a rollout waits for while nothing is done and nothing is wrong. */
const pauses = new Set(['Resume', 'Pause', 'Window', 'Freeze']);

function reasonOf({ state, decision }: StatusInput): string {
  if (decision.do === 'Close') return decision.reason;
  if (state.hold !== undefined) return state.hold.reason;
  if (state.rollout?.ending !== undefined) return state.rollout.ending.reason;
  if (decision.do === 'Wait') return `WaitingFor${decision.for}`;
  return decision.do === 'Shift' ? decision.purpose : decision.do;
}

function messageOf({ state, decision }: StatusInput): string {
  const { hold, rollout } = state;
  const why = rollout?.ending === undefined ? '' : `${rollout.ending.message} `;
  return hold === undefined || decision.do === 'Close'
    ? `${why}${decision.message}`
    : `${why}${hold.message}`;
}

/** The version that is on its way, or that serves. */
function desiredVersion({ state, decision }: StatusInput): string | undefined {
  if (state.rollout !== undefined) return state.rollout.canary.version;
  return decision.do === 'Shift' ? decision.version : undefined;
}

function progressOf({ observed, cell, state }: StatusInput, phase: Phase): Partial<CellStatus> {
  const { rollout } = state;
  const steps = rollout?.steps ?? stepsOf(cell.spec);
  if (rollout !== undefined) {
    return {
      canaryWeight: weightOf(rollout.canary.groups, observed.served),
      currentStepIndex: rollout.index,
      step: `${rollout.index}/${steps.length}`,
    };
  }
  if (phase === 'Completed') {
    return {
      canaryWeight: TOTAL_WEIGHT,
      currentStepIndex: steps.length,
      step: `${steps.length}/${steps.length}`,
    };
  }
  return phase === 'Reverted' ? { canaryWeight: 0 } : {};
}

function targetGroupsOf({ observed, cell, state }: StatusInput): CellStatus['targetGroups'] {
  const { sets } = groupByVersion(observed.selected);
  const stable = state.rollout?.stable ?? stableSet(observed, cell);
  return observed.served.map((group) => {
    const version =
      sets.find((set) => includes(set.groups, group))?.version ??
      cell.status.targetGroups?.find((one) => one.arn === group.arn)?.version;
    const isCanary = state.rollout !== undefined && includes(state.rollout.canary.groups, group);
    const role = isCanary
      ? 'Canary'
      : stable !== undefined && includes(stable.groups, group)
        ? 'Stable'
        : 'Previous';
    return { ...group, ...optional('version', version), role };
  });
}

function blockedVersions({ cell, state }: StatusInput): BlockedVersion[] {
  const { rollout, justBlocked } = state;
  const kept = (cell.status.blockedVersions ?? [])
    .filter(
      (one) =>
        one.version !== rollout?.canary.version &&
        one.version !== justBlocked?.version &&
        !isLifted(one, cell),
    )
    .map(({ pinned, ...one }) => (pinned === true && isPinned(one.version, cell) ? { ...one, pinned } : one));
  return justBlocked === undefined ? kept : [...kept, justBlocked];
}

function rolloutOf({ state, workflow }: StatusInput): Partial<CellStatus> {
  const { rollout } = state;
  if (rollout === undefined) return {};
  return {
    rollout: { id: rollout.id, startedAt: new Date(rollout.startedAt).toISOString(), ...workflow },
    ...measuredBy(rollout),
  };
}

function measuredBy({ progress, background }: Rollout): Partial<CellStatus> {
  return {
    ...(progress.is === 'Analyzing' ? { analysisRun: progress.verdict } : {}),
    ...(progress.is === 'Experimenting' ? { experiment: progress.verdict } : {}),
    ...optional('backgroundAnalysisRun', background?.verdict),
  };
}

/** What operators asked for, and how what serves came to change. */
function toldOf({ cell, state }: StatusInput): Pick<CellStatus, 'requests' | 'history'> {
  const requests = requestsFrom(state.asked ?? []);
  const history = withChange((state.reported ?? cell.status).history, state.justChanged);
  return {
    ...(requests.length === 0 ? {} : { requests }),
    ...(history.length === 0 ? {} : { history }),
  };
}

function claims(
  input: StatusInput,
  phase: Phase,
  reason: string,
  rejected: readonly RejectedTargetGroup[],
): Claim[] {
  const { state, decision } = input;
  const message = messageOf(input);
  const serves = input.observed.served.length > 0;
  const settled = phase === 'Completed' || (phase === 'Waiting' && serves);
  const troubled = troubleOf(state, decision);
  return [
    { type: 'Ready', holds: settled, reason, message },
    { type: 'Progressing', holds: decision.do !== 'Close', reason, message },
    {
      type: 'Degraded',
      holds: troubled !== undefined,
      reason: troubled?.reason ?? 'AsExpected',
      message: troubled?.message ?? 'Nothing keeps the Cell from what its spec asks for.',
    },
    {
      type: 'TargetGroupsAccepted',
      holds: rejected.length === 0,
      reason: rejected[0]?.reason ?? 'Accepted',
      message:
        rejected.length === 0
          ? 'Every selected AWSTargetGroup has a usable version.'
          : rejected.map((one) => one.message).join(' '),
    },
  ];
}

function troubleOf(state: RolloutState, decision: Decision): { reason: string; message: string } | undefined {
  if (decision.do === 'Close') {
    return decision.outcome === 'Failed' || decision.outcome === 'Reverted' ? decision : undefined;
  }
  if (state.hold !== undefined) return state.hold;
  if (state.rollout?.ending?.kind === 'Failed') return state.rollout.ending;
  if (decision.do !== 'Wait') return undefined;
  if (decision.for === 'Health') return { reason: 'UnhealthyTargets', message: decision.message };
  return decision.for === 'Verdict' ? { reason: 'Inconclusive', message: decision.message } : undefined;
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);
}
