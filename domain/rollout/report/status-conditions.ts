import type { CellStatus } from '../../../crds/cell.ts';
import type { Claim } from '../../kubernetes/conditions.ts';
import type { Decision } from '../../model/decision.ts';
import type { RolloutState } from '../../model/state.ts';
import { WORKFLOW_STUCK } from '../../model/stuck-run.ts';
import type { StatusInput } from '../../model/status-input.ts';
import type { RejectedTargetGroup } from '../../versions/version.ts';
import { targetsText } from '../../gates/targets.ts';
import { tellRejected } from './rejected.ts';

/** What the status says besides. */
interface Told {
  readonly phase: CellStatus['phase'];
  readonly reason: string;
  readonly message: string;
  readonly rejected: readonly RejectedTargetGroup[];
}

/** What the conditions of a Cell say: whether it is ready, makes progress, and is what its spec asks for. */
export function claims(input: StatusInput, { phase, reason, message, rejected }: Told): Claim[] {
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
      message: troubled?.message ?? 'Nothing keeps the Cell from what its spec asks for.',
    },
    {
      type: 'TargetGroupsAccepted',
      holds: rejected.length === 0,
      reason: rejected[0]?.reason ?? 'Accepted',
      message:
        rejected.length === 0
          ? 'Every selected AWSTargetGroup has a usable version, and an ARN of its own.'
          : tellRejected(rejected),
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
  if (decision.for === 'Kind') return { reason: 'WaitingForKind', message: decision.message };
  if (decision.for === 'Health') return { reason: 'UnhealthyTargets', message: decision.message };
  return decision.for === 'Verdict' ? { reason: 'Inconclusive', message: decision.message } : stuck;
}
