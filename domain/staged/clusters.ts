import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { freezeAt, heldByFreeze } from '../gates/freeze.ts';
import { openingAt } from '../gates/windows.ts';
import type { StagedDecision, StagedTurn, StagedWait } from './decision.ts';
import type { ClusterSelection, ObservedStaged, PresentPolicy, Situation, StageView } from './observation.ts';
import { computeProgress, readStrategy, type Progress, type Strategy } from './progressive.ts';
import type { ActiveStage, ActiveState } from './state.ts';
import { explainUnselected } from './workload.ts';

/** Whether a stage is to reach its clusters a few at a time, and is not over. */
export function isProgressive(
  { active }: ActiveState,
  { spec }: Pick<Situation, 'spec'>,
  name: string,
): boolean {
  const isActive = active.name === name && active.completedAt === undefined;
  return isActive && strategyOf(active, spec) !== undefined;
}

function strategyOf({ name }: ActiveStage, spec: StagedBindingPolicySpec): Strategy | undefined {
  const stage = spec.stages.find((one) => one.name === name);
  return stage === undefined ? undefined : readStrategy(spec, stage);
}

/** Reaches the first clusters of a stage; undefined while they are unknown, or there are none. */
export function reachFirstClusters(state: ActiveState, situation: Situation): StagedTurn | undefined {
  const { observed, object, spec, now } = situation;
  const { name } = state.active;
  const all = observed.selection?.clusters ?? [];
  const strategy = strategyOf(state.active, spec);
  const isKnown = explainUnselected(name, observed.selection) === undefined;
  if (strategy === undefined || !isKnown) return undefined;
  const { next } = computeProgress(strategy, { all, reached: [], fulfilled: [] }, [], now);
  const message = `Stage ${name} begins with ${listed(next)}, of ${all.length} clusters.`;
  // What was begun with before is gone, and how long it took says nothing of what comes now.
  const { clusters: _before, ...active } = state.active;
  return {
    state: { ...state, active },
    decision: waitForFreeze(observed, message, now) ??
      // KubeStellar may have taken its time to say which clusters there are.
      waitForWindow(object, message, now) ?? { do: 'Apply', stage: name, clusters: next, message },
  };
}

/** Asks which clusters a stage selects, unless that has been asked. */
export function selectClusters(
  selection: ClusterSelection | undefined,
  stage: string,
): StagedDecision | undefined {
  if (selection?.isDeleting === true) {
    const message = `BindingPolicy ${selection.name} is being deleted; Okra recreates it once it is gone.`;
    return { do: 'Wait', phase: 'Progressing', reason: 'Removing', message };
  }
  // What KubeStellar has answered of another stage is about other clusters.
  if (selection !== undefined && selection.stage !== stage) {
    const message = `Deleting BindingPolicy ${selection.name}: it belongs to stage ${selection.stage}.`;
    return { do: 'Remove', name: selection.name, uid: selection.uid, message };
  }
  if (selection?.isAsAsked === true) return undefined;
  return { do: 'Select', stage, message: `Asking KubeStellar which clusters stage ${stage} selects.` };
}

/** Finds the progress of a progressive stage; undefined for others, or while it is unknown. */
export function findProgress(
  { active }: ActiveState,
  { clusters }: StageView,
  { spec, now }: Pick<Situation, 'spec' | 'now'>,
): Progress | undefined {
  const strategy = strategyOf(active, spec);
  if (strategy === undefined || clusters === undefined) return undefined;
  return computeProgress(strategy, clusters, active.clusters ?? [], now);
}

/** Goes on with the next clusters; undefined when there are none to begin with. */
export function reachNextClusters(
  { active }: ActiveState,
  { next, of, done, failed }: Progress,
  { observed, object, now }: Situation,
): StagedDecision | undefined {
  const own = observed.policies.find(({ stage }) => stage === active.name);
  if (own?.only === undefined || next.length === 0) return undefined;
  const left = failed.length === 0 ? '' : `, ${failed.length} have failed`;
  const message = `Stage ${active.name} continues with ${listed(next)}: ${done.length} of ${of} clusters are done${left}.`;
  return (
    waitForFreeze(observed, message, now) ??
    waitForWindow(object, message, now) ?? {
      do: 'Apply',
      stage: active.name,
      clusters: [...own.only, ...next],
      found: own.uid,
      message,
    }
  );
}

const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** How far a stage is with its clusters, for its status. */
export const summarizeProgress = ({ of, marks, done, failed }: Progress) => ({
  of,
  reached: marks.length,
  done: done.length,
  failed: failed.length,
  failing: failed.slice(0, 20),
});

/** What has gone wrong when too many clusters have failed. */
export const describeFailures = (
  stage: string,
  { failed, of }: Progress,
  observed: ObservedStaged,
): string => {
  const why = observed.view?.first;
  const first = why === undefined ? '' : ` ${why.object}: ${why.reason}`;
  return `Stage ${stage}: ${failed.length} of ${of} clusters did not fulfil it in time: ${listed(failed)}.${first}`;
};

/** What holds whatever goes forward: a Freeze. */
export function waitForFreeze(
  { freezes }: ObservedStaged,
  next: string,
  now: number,
): StagedWait | undefined {
  const freeze = freezeAt(freezes, now);
  if (freeze === undefined) return undefined;
  return {
    do: 'Wait',
    phase: 'Waiting',
    reason: 'WaitingForFreeze',
    until: freeze.until,
    message: `${heldByFreeze(freeze)} Next: ${next}`,
  };
}

/** What holds the beginning of a stage besides: windows. */
export function waitForWindow({ spec }: PresentPolicy, next: string, now: number): StagedWait | undefined {
  const opening = openingAt(spec?.windows, now);
  if (opening.is === 'Open') return undefined;
  const { opensAt } = opening;
  const when =
    opensAt === undefined
      ? 'none of spec.windows opens within 400 days. Correct them.'
      : `the next one opens at ${new Date(opensAt).toISOString()}.`;
  return {
    do: 'Wait',
    phase: 'Waiting',
    reason: 'WaitingForWindow',
    until: opensAt,
    message: `Waiting for a window; ${when} Next: ${next}`,
  };
}
