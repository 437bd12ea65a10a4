import type { CellStatus } from '../../../crds/cell.ts';
import { approvalIn } from '../record/approval.ts';
import { conditionsFrom, type Claim } from '../../kubernetes/conditions.ts';
import { connectionsText } from '../../load-balancers/connections.ts';
import { given } from '../../model/fields.ts';
import { displayedDecision, type Decision, isPause } from '../../model/decision.ts';
import { withChange } from './history.ts';
import { requestsInStatus } from '../../model/requests.ts';
import { stableSet, UNKNOWN_VERSION } from '../../versions/stable.ts';
import { listRejected, describeRejected } from './fit.ts';
import {
  blockedVersions,
  LONGEST_MESSAGE,
  rolloutOf,
  visibleBackoff,
  type StatusInput,
} from './status-rollout.ts';
import { stepOf } from '../../steps/step.ts';
import { stepsOf } from '../../steps/plan.ts';
import { cut } from '../../text.ts';
import { groupByVersion, type RejectedTargetGroup } from '../../versions/version.ts';
import { includes, TOTAL_WEIGHT, weightOf } from '../../load-balancers/weights.ts';
import type { RolloutState } from '../../model/state.ts';
import { WORKFLOW_STUCK } from '../../model/stuck-run.ts';
import { targetsText } from '../../gates/targets.ts';

interface Told {
  readonly phase: CellStatus['phase'];
  readonly reason: string;
  readonly message: string;
  readonly rejected: readonly RejectedTargetGroup[];
}

/** What the conditions of a Cell say: whether it is ready, makes progress, and is what its spec asks for. */
function claims(input: StatusInput, { phase, reason, message, rejected }: Told): Claim[] {
  const { state, decision } = input;
  const serves = input.observed.weighted.length > 0;
  const isDegraded = decision.do === 'Close' && decision.degraded === true;
  const settled = phase === 'Completed' || (phase === 'Waiting' && serves && !isDegraded);
  const targets = targetsText(input.observed.weighted, state);
  const sick =
    targets === undefined || targets.isHealthy
      ? undefined
      : { reason: 'UnhealthyTargets', message: targets.message };
  const troubled = troubleOf(state, decision) ?? sick;
  return [
    { type: 'Ready', holds: settled && targets?.isServing !== false, reason, message },
    { type: 'Progressing', holds: decision.do !== 'Close', reason, message },
    {
      type: 'Degraded',
      holds: troubled !== undefined,
      reason: troubled?.reason ?? 'AsExpected',
      message: troubled?.message ?? 'The Cell matches its spec.',
    },
    {
      type: 'TargetGroupsAccepted',
      holds: rejected.length === 0,
      reason: rejected[0]?.reason ?? 'Accepted',
      message:
        rejected.length === 0
          ? 'Every selected AWSTargetGroup has a usable version, and an ARN of its own.'
          : describeRejected(rejected),
    },
    ...(targets === undefined
      ? keptTargets(input)
      : [
          {
            type: 'TargetsHealthy',
            holds: targets.isHealthy,
            reason: targets.isHealthy ? 'Healthy' : 'UnhealthyTargets',
            message: targets.message,
          },
        ]),
  ];
}

/** What an earlier run has seen of the targets; whoever looks for changes wakes a Cell of which that is not true any more. */
const keptTargets = ({ cell }: StatusInput): Claim[] =>
  (cell.status.conditions ?? []).flatMap(({ type, status, reason, message }) =>
    type === 'TargetsHealthy' ? [{ type, holds: status === 'True', reason, message }] : [],
  );

function troubleOf(state: RolloutState, decision: Decision): { reason: string; message: string } | undefined {
  if (decision.do === 'Close') {
    const { outcome, degraded } = decision;
    return outcome === 'Failed' || outcome === 'Reverted' || degraded === true ? decision : state.backoff;
  }
  if (state.backoff !== undefined) return state.backoff;
  if (state.blind !== undefined) return state.blind;
  if (state.rollout?.ending?.kind === 'Failed') return state.rollout.ending;
  const { stuckBefore: message } = state;
  const stuck = message === undefined ? undefined : { reason: WORKFLOW_STUCK, message };
  if (decision.do !== 'Wait') return stuck;
  if (decision.reason !== undefined) return { reason: decision.reason, message: decision.message };
  if (decision.for === 'Health') return { reason: 'UnhealthyTargets', message: decision.message };
  return decision.for === 'Verdict' ? { reason: 'Inconclusive', message: decision.message } : stuck;
}

type Phase = NonNullable<CellStatus['phase']>;

/** Derives a Cell's whole status from what was seen, remembered and decided; it claims no weight that is not served. */
export function statusOf(asked: StatusInput): CellStatus {
  // What was refused is not over because it is tried again: the Cell does not stand as it should until that is done.
  const isRefused = asked.state.backoff !== undefined && asked.state.backoff.quiet !== true;
  const input = isRefused ? asked : { ...asked, decision: displayedDecision(asked.decision) };
  const { observed, cell, state, decision } = input;
  const { rejected } = groupByVersion(observed.selected);
  const phase = phaseOf(input);
  const stable = state.rollout?.stable ?? stableSet(observed, cell);
  const reason = reasonOf(input);
  const message = messageOf(input);
  return {
    observedGeneration: cell.generation,
    observedHash: observed.digest,
    phase,
    reason,
    message,
    ...given({
      desiredVersion: desiredVersion(input) ?? stable?.version,
      stableVersion: stable?.version ?? (isUnseen(input) ? cell.status.stableVersion : undefined),
    }),
    ...progressOf(input, phase),
    targetGroups: isUnseen(input) ? cell.status.targetGroups : targetGroupsOf(input),
    rejectedTargetGroups: listRejected(rejected),
    blockedVersions: blockedVersions(input),
    ...(decision.do === 'Close' && decision.missing !== undefined
      ? { availableTargetGroups: decision.missing.available, desiredTargetGroups: decision.missing.desired }
      : {}),
    ...rolloutOf(input),
    ...approvalIn(input),
    ...toldOf(input),
    conditions: conditionsFrom(
      claims(input, { phase, reason, message, rejected }),
      cell.status.conditions ?? [],
      { generation: cell.generation, time: new Date(input.now).toISOString() },
    ),
  };
}

function phaseOf(input: StatusInput): Phase {
  const { state, decision } = input;
  if (decision.do === 'Close') return decision.outcome === 'Deleted' ? 'Completed' : decision.outcome;
  const { rollout } = state;
  const hold = visibleBackoff(input);
  const paused = isPause(decision);
  if (rollout === undefined) return hold !== undefined ? 'Failed' : paused ? 'Waiting' : 'Progressing';
  if (rollout.ending !== undefined) return hold === undefined ? 'Reverting' : 'RevertBlocked';
  return paused ? 'Paused' : 'Progressing';
}

function reasonOf(input: StatusInput): string {
  const { state, decision } = input;
  if (decision.do === 'Close') return decision.reason;
  const cause = visibleBackoff(input) ?? state.blind;
  if (cause !== undefined) return cause.reason;
  if (state.rollout?.ending !== undefined) return state.rollout.ending.reason;
  if (decision.do === 'Wait') return decision.reason ?? `WaitingFor${decision.for}`;
  return decision.do === 'Shift' ? decision.purpose : decision.do;
}

function messageOf(input: StatusInput): string {
  const { state, decision } = input;
  const { rollout } = state;
  const cause = visibleBackoff(input) ?? state.blind;
  const why = rollout?.ending === undefined ? '' : `${rollout.ending.message} `;
  const what = cause === undefined || decision.do === 'Close' ? input.decision.message : cause.message;
  return cut(`${why}${what}`, LONGEST_MESSAGE);
}

function desiredVersion({ state, decision }: StatusInput): string | undefined {
  if (state.rollout !== undefined) return state.rollout.canary.version;
  return decision.do === 'Shift' ? decision.version : undefined;
}

function progressOf({ observed, cell, state }: StatusInput, phase: Phase): Partial<CellStatus> {
  const { rollout } = state;
  if (rollout !== undefined) {
    return {
      canaryWeight: weightOf(rollout.canary.groups, observed.weighted),
      currentStepIndex: rollout.index,
      step: stepOf(rollout),
    };
  }
  if (phase === 'Completed')
    return { canaryWeight: TOTAL_WEIGHT, currentStepIndex: stepsOf(cell.spec).length };
  return phase === 'Reverted' ? { canaryWeight: 0 } : {};
}

/** Whether no object says what is served, and nobody has looked: then what was read back last is not forgotten. */
const isUnseen = ({ observed, cell, state }: StatusInput): boolean =>
  observed.weighted.length === 0 &&
  state.inspected?.is !== 'Nothing' &&
  (cell.status.targetGroups ?? []).length > 0;

function targetGroupsOf({ observed, cell, state, now }: StatusInput): CellStatus['targetGroups'] {
  const { sets } = groupByVersion(observed.selected);
  const stable = state.rollout?.stable ?? stableSet(observed, cell);
  // A Cell that was deleted and created again has forgotten them.
  const sides = state.rollout === undefined ? [] : [state.rollout.canary, state.rollout.stable];
  const known = sides.filter((set) => set.version !== UNKNOWN_VERSION);
  return observed.weighted.map((group) => {
    const version =
      sets.find((set) => includes(set.groups, group))?.version ??
      cell.status.targetGroups?.find((one) => one.arn === group.arn)?.version ??
      known.find((set) => includes(set.groups, group))?.version;
    const isCanary = state.rollout !== undefined && includes(state.rollout.canary.groups, group);
    const role = isCanary
      ? 'Canary'
      : stable !== undefined && includes(stable.groups, group)
        ? 'Stable'
        : 'Previous';
    const connections = connectionsText(state, group.arn, { weight: group.weight, now });
    const seen = state.targets?.groups.find(({ arn }) => arn === group.arn);
    const before = cell.status.targetGroups?.find(({ arn }) => arn === group.arn);
    return {
      ...group,
      role,
      ...given({
        version,
        healthyTargets: seen?.healthy ?? before?.healthyTargets,
        targets: seen?.total ?? before?.targets,
        connections,
      }),
    };
  });
}

/** What operators asked for, and how what serves came to change. */
function toldOf({ cell, state }: StatusInput): Pick<CellStatus, 'requests' | 'history' | 'unplannedShifts'> {
  const requests = requestsInStatus(state.requested ?? []);
  const history = withChange((state.reported ?? cell.status).history, state.justChanged);
  return {
    ...(requests.length === 0 ? {} : { requests }),
    ...(history.length === 0 ? {} : { history }),
    ...given({ unplannedShifts: state.unplannedShifts ?? cell.status.unplannedShifts }),
  };
}
