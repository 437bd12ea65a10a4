import type { CellStatus } from '../../../crds/cell.ts';
import { approvalIn } from '../record/approval.ts';
import { conditionsFrom } from '../../kubernetes/conditions.ts';
import { connectionsText } from '../../load-balancers/connections.ts';
import { standing } from '../../model/decision.ts';
import { withChange } from './history.ts';
import { requestsFrom } from '../../model/requests.ts';
import { stableSet, UNKNOWN_VERSION } from '../../versions/stable.ts';
import { claims } from './status-conditions.ts';
import { told } from './rejected.ts';
import { LONGEST_MESSAGE, loudHold, optional, type StatusInput } from '../../model/status-input.ts';
import { isPause } from '../../model/waits.ts';
import { blockedVersions, rolloutOf } from './status-rollout.ts';
import { stepOf } from '../../steps/step.ts';
import { stepsOf } from '../../steps/strategy.ts';
import { waitingForTurn } from './turn-in-budget.ts';
import { cut } from '../../text.ts';
import { groupByVersion } from '../../versions/version.ts';
import { includes, TOTAL_WEIGHT, weightOf } from '../../load-balancers/weights.ts';

type Phase = NonNullable<CellStatus['phase']>;

/** Derives a Cell's whole status from what was seen, remembered and decided; it claims no weight that is not served. */
export function statusOf(given: StatusInput): CellStatus {
  // What was refused is not over because it is tried again: the Cell does not stand as it should until that is done.
  const isRefused = given.state.backoff !== undefined && given.state.backoff.quiet !== true;
  const input = isRefused ? given : { ...given, decision: standing(given.decision) };
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
    ...optional('desiredVersion', desiredVersion(input) ?? stable?.version),
    ...optional(
      'stableVersion',
      stable?.version ?? (isUnseen(input) ? cell.status.stableVersion : undefined),
    ),
    ...progressOf(input, phase),
    targetGroups: isUnseen(input) ? cell.status.targetGroups : targetGroupsOf(input),
    rejectedTargetGroups: told(rejected),
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
      {
        generation: cell.generation,
        time: new Date(input.now).toISOString(),
      },
    ),
  };
}

function phaseOf(input: StatusInput): Phase {
  const { state, decision } = input;
  if (decision.do === 'Close') return decision.outcome === 'Deleted' ? 'Completed' : decision.outcome;
  const { rollout } = state;
  const hold = loudHold(input);
  const paused = isPause(decision);
  if (rollout === undefined) return hold !== undefined ? 'Failed' : paused ? 'Waiting' : 'Progressing';
  if (rollout.ending !== undefined) return hold === undefined ? 'Reverting' : 'FailedReverting';
  return paused ? 'Paused' : 'Progressing';
}

function reasonOf(input: StatusInput): string {
  const { state, decision } = input;
  if (decision.do === 'Close') return decision.reason;
  const cause = loudHold(input) ?? state.blind;
  if (cause !== undefined) return cause.reason;
  if (state.rollout?.ending !== undefined) return state.rollout.ending.reason;
  if (decision.do === 'Wait') return decision.reason ?? `WaitingFor${decision.for}`;
  return decision.do === 'Shift' ? decision.purpose : decision.do;
}

/** What takes traffic back tells that it waits for its turn until it has had it, and nothing else with each attempt: that would hold up all others. */
function messageOfDecision({ decision, state: { budget } }: StatusInput): string {
  const waits = decision.do === 'Shift' && decision.urgent && budget?.urgent === true;
  return waits ? waitingForTurn(decision.message) : decision.message;
}

function messageOf(input: StatusInput): string {
  const { state, decision } = input;
  const { rollout } = state;
  const cause = loudHold(input) ?? state.blind;
  const why = rollout?.ending === undefined ? '' : `${rollout.ending.message} `;
  const what = cause === undefined || decision.do === 'Close' ? messageOfDecision(input) : cause.message;
  return cut(`${why}${what}`, LONGEST_MESSAGE);
}

/** The version that is on its way, or that serves. */
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
      ...optional('version', version),
      role,
      ...optional('healthyTargets', seen?.healthy ?? before?.healthyTargets),
      ...optional('targets', seen?.total ?? before?.targets),
      ...optional('connections', connections),
    };
  });
}

/** What operators asked for, and how what serves came to change. */
function toldOf({ cell, state }: StatusInput): Pick<CellStatus, 'requests' | 'history' | 'unplannedShifts'> {
  const requests = requestsFrom(state.requested ?? []);
  const history = withChange((state.reported ?? cell.status).history, state.justChanged);
  return {
    ...(requests.length === 0 ? {} : { requests }),
    ...(history.length === 0 ? {} : { history }),
    ...optional('unplannedShifts', state.unplannedShifts ?? cell.status.unplannedShifts),
  };
}
