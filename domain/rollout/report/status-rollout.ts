import type { CellSpec, CellStatus } from '../../../crds/cell.ts';
import { listenerARNOf, routeOf } from '../../load-balancers/load-balancer.ts';
import { loadBalancerFullName, targetGroupFullName } from '../../model/target-group.ts';
import type { VersionSet } from '../../versions/version.ts';
import { isLifted, isPinned, type PresentCell } from '../../versions/candidate.ts';
import { given } from '../../model/fields.ts';
import { isPause, type Decision, type Ending } from '../../model/decision.ts';
import { stampOf } from '../../model/requests.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { BlockedVersion, Rollout, RolloutState } from '../../model/state.ts';
import { type Measuring, measurementKinds } from '../measure/analysis.ts';
import { cut } from '../../text.ts';
import { bakeEndsAt } from '../measure/background.ts';
import { parseDuration } from '../../duration.ts';
import { lastsAtMost } from '../../steps/index.ts';

/** The longest message in the status (crds/cell-status.ts). */
export const LONGEST_MESSAGE = 32_768;

/** What a status is derived from. */
export interface StatusInput {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly decision: Decision;
  readonly workflow: { readonly workflowId: string; readonly runId: string };
  readonly now: number;
}

/** What keeps the Cell from what it does; that something which moves no traffic was refused does not, nor what was refused before a pause. */
export const visibleBackoff = ({
  state: { backoff: hold },
  decision,
}: Pick<StatusInput, 'state' | 'decision'>): RolloutState['backoff'] =>
  hold?.quiet === true || isPause(decision) ? undefined : hold;

type Times = Pick<NonNullable<CellStatus['rollout']>, 'stepStartedAt' | 'stepEndsAt'>;

/** Since when the current step is under way, and when it is over where that is a matter of time alone. */
function stepTimes(rollout: Rollout, cell: PresentCell): Times {
  const endsAt = rollout.ending === undefined ? endOf(rollout, cell) : undefined;
  return {
    stepStartedAt: isoOf(rollout.stepStartedAt),
    ...(endsAt === undefined ? {} : { stepEndsAt: isoOf(endsAt) }),
  };
}

function endOf({ progress, steps, index }: Rollout, { spec }: PresentCell): number | undefined {
  switch (progress.is) {
    case 'Pausing': {
      const step = steps[index];
      return step === undefined ? undefined : after(progress.since, lastsAtMost(step));
    }
    case 'Baking': {
      const duration = spec.updateStrategy?.bake?.duration;
      return duration === undefined ? undefined : bakeEndsAt(progress, duration);
    }
    case 'Ready':
    case 'Measuring':
      return undefined;
  }
}

const after = (since: number, duration: number | string | undefined): number | undefined =>
  duration === undefined ? undefined : since + parseDuration(duration) * 1000;

const isoOf = (at: number): string => new Date(at).toISOString();

/** The versions that are not tried again before someone says so. */
export function blockedVersions({ cell, state }: StatusInput): BlockedVersion[] {
  const { rollout, justBlocked, unblocked } = state;
  // A version on its way is not blocked until its rollout is taken back.
  const onItsWay = rollout?.ending === undefined ? rollout?.canary.version : undefined;
  const before = unblocked === true ? [] : (cell.status.blockedVersions ?? []);
  const kept = before
    .filter((one) => one.version !== onItsWay && one.version !== justBlocked?.version && !isLifted(one, cell))
    .map(({ pinned, ...one }) => (pinned === true && isPinned(one.version, cell) ? { ...one, pinned } : one));
  return justBlocked === undefined ? kept : [...kept, justBlocked];
}

/** Keeps reporting the rollout of a lost run until this run continues it. */
function leftOver({ cell, state }: StatusInput): Pick<CellStatus, 'rollout' | 'desiredVersion'> {
  const { rollout, desiredVersion } = state.reported ?? cell.status;
  const isOver = state.serves !== undefined || rollout === undefined;
  return isOver ? {} : { rollout, ...given({ desiredVersion }) };
}

/** The rollout that is under way, with all that the next run needs to know of it when this one is lost. */
export function rolloutOf(input: StatusInput): Partial<CellStatus> {
  const { cell, state, workflow } = input;
  const { rollout } = state;
  if (rollout === undefined) return leftOver(input);
  const { id, startedAt, edition, ending } = rollout;
  const { paused } = state.requests;
  return {
    rollout: {
      id,
      startedAt: new Date(startedAt).toISOString(),
      ...stepTimes(rollout, cell),
      ...given({ edition }),
      stable: sideOf(rollout.stable),
      canary: sideOf(rollout.canary),
      ...given({ loadBalancer: loadBalancerOf(cell.spec) }),
      ...workflow,
      ...(ending === undefined ? {} : { ending: endingOf(ending) }),
      ...(paused === undefined ? {} : { paused: stampOf(paused) }),
    },
    ...measuredBy(rollout),
  };
}

const sideOf = ({ version, groups }: VersionSet) => ({
  version,
  targetGroups: groups.map(({ name, arn }) => ({ name, arn, fullName: targetGroupFullName(arn) })),
});

function loadBalancerOf(spec: CellSpec): { readonly fullName: string } | undefined {
  const route = routeOf(spec);
  const listenerARN = route === undefined ? undefined : listenerARNOf(route);
  return listenerARN === undefined ? undefined : { fullName: loadBalancerFullName(listenerARN) };
}

const endingOf = ({ kind, reason, message, at }: Ending) => ({
  kind,
  reason,
  message: cut(message, LONGEST_MESSAGE),
  time: new Date(at).toISOString(),
});

const shown = ({ verdict: { name, phase, message } }: Measuring) => ({ name, phase, message });

function measuredBy({ progress, background }: Rollout): Partial<CellStatus> {
  return {
    ...(progress.is === 'Measuring' ? { [measurementKinds[progress.kind].field]: shown(progress) } : {}),
    ...given({ backgroundAnalysisRun: background && shown(background) }),
  };
}
