import type { CellStatus } from '../crds/cell.ts';
import { isPinned, type PresentCell } from './candidate.ts';
import type { Decision } from './decision.ts';
import { eventOf } from './events.ts';
import { lackOfHealth, type TargetHealth } from './health.ts';
import { isAbout } from './guard.ts';
import type { Found } from './load-balancer.ts';
import type { ObservedCell } from './observation.ts';
import type { ReportedEvent } from './report.ts';
import { clocked } from './deadline.ts';
import { changeOf, outcomeOf } from './history.ts';
import type { Rollout, RolloutState } from './state.ts';
import { isAsPlanned } from './steps.ts';
import { plannedBy } from './strategy.ts';

type Of<Name extends Decision['do']> = Extract<Decision, { do: Name }>;

/** Records that a rollout began; `id` tells it from every other. */
export function began(
  state: RolloutState,
  decision: Of<'Begin'>,
  at: { id: string; cell: PresentCell; now: number },
): RolloutState {
  const { retry: _answered, ...requests } = state.requests;
  const { steps, analysis } = plannedBy(at.cell.spec);
  const rollout: Rollout = {
    id: at.id,
    startedAt: at.now,
    stable: decision.stable,
    canary: decision.canary,
    steps,
    index: decision.index,
    progress: { is: 'Ready' },
    ...(analysis === undefined ? {} : { backgroundAnalysis: analysis }),
  };
  return { ...withoutHold(state), requests, rollout };
}

/** Records that ELBv2 serves what was asked for; what was seen of health and load balancer before counts no more. */
export function shifted(
  state: RolloutState,
  { purpose, version, message }: Of<'Shift'>,
  at: { readonly from: string | undefined; readonly now: number },
): RolloutState {
  const { health: _used, ...rest } = withoutHold(withoutFound(state));
  const outcome = outcomeOf[purpose];
  if (outcome === undefined) return inRollout(rest, (rollout) => ({ ...rollout, shiftedAt: at.now }));
  const justChanged = changeOf(state.asked, {
    version,
    from: at.from,
    outcome,
    message,
    startedAt: at.now,
    endedAt: at.now,
  });
  const { asked: _told, ...untold } = rest;
  return { ...untold, justChanged };
}

/** Records what a look at the load balancer has found. */
export const inspected = (state: RolloutState, found: Found): RolloutState => ({
  ...withoutHold(state),
  found,
});

/** Records that somebody may have written to the load balancer since it was looked at. */
export function withoutFound(state: RolloutState): RolloutState {
  const { found: _old, ...rest } = state;
  return rest;
}

/** Records what a decision means for the time that the rollout may take. */
export const timed = (state: RolloutState, decision: Decision, now: number): RolloutState =>
  inRollout(state, (rollout) => clocked(rollout, decision, now));

/** Records that all steps are done and the canary is watched with the whole weight. */
export const baking = (state: RolloutState, now: number): RolloutState =>
  inRollout(state, (rollout) => ({ ...rollout, progress: { is: 'Baking', since: now } }));

/** Records what a look at the targets has shown. */
export function healthRead(
  state: RolloutState,
  found: readonly TargetHealth[],
  at: { minHealthyTargets: number; now: number },
): RolloutState {
  const targetGroupARNs = found.map((one) => one.targetGroupARN);
  const known = state.health;
  const lack = lackOfHealth(found, at.minHealthyTargets);
  const goesOn = known?.lack !== undefined && isAbout(known, targetGroupARNs);
  return {
    ...(state.hold?.during === 'CheckHealth' ? withoutHold(state) : state),
    health: {
      targetGroupARNs,
      since: goesOn ? known.since : at.now,
      at: at.now,
      checks: goesOn ? known.checks + 1 : 1,
      ...(lack === undefined ? {} : { lack }),
    },
  };
}

/** Records that the current step's pause has begun. */
export function paused(state: RolloutState, now: number): RolloutState {
  return inRollout(state, (rollout) => ({ ...rollout, progress: { is: 'Pausing', since: now } }));
}

/** Records that the current step is done; a request to promote it is answered thereby. */
export function advanced(state: RolloutState): RolloutState {
  const { promote: _answered, ...requests } = state.requests;
  return inRollout({ ...withoutHold(state), requests }, (rollout) => ({
    ...rollout,
    index: rollout.index + 1,
    progress: { is: 'Ready' },
  }));
}

/** Records new steps, where among them the rollout goes on, and what is analysed in their background. */
export function replanned(state: RolloutState, decision: Of<'Replan'>, cell: PresentCell): RolloutState {
  const { steps, analysis } = plannedBy(cell.spec);
  return inRollout(withoutHold(state), (rollout) => {
    const same = isAsPlanned(rollout, { steps, analysis });
    const { backgroundAnalysis: _old, background, ...rest } = rollout;
    return {
      ...rest,
      steps,
      index: decision.index,
      progress: same.steps ? rollout.progress : { is: 'Ready' },
      edition: (rollout.edition ?? 0) + 1,
      ...(analysis === undefined ? {} : { backgroundAnalysis: analysis }),
      ...(same.background && background !== undefined ? { background } : {}),
    };
  });
}

/** Records that the rollout ends before its last step, and why. */
export function ending(state: RolloutState, decision: Of<'End'>): RolloutState {
  return inRollout(withoutHold(state), (rollout) => ({ ...rollout, ending: decision.ending }));
}

/** Records that everything is back at the stable side; a version that failed is blocked from here on. */
export function concluded(state: RolloutState, cell: PresentCell, now: number): RolloutState {
  const { rollout, health: _old, asked: _told, ...rest } = withoutHold(state);
  const failed = rollout?.ending?.kind === 'Failed' ? rollout.ending : undefined;
  if (rollout === undefined) return { ...rest, requests: {} };
  const justChanged = changeOf(state.asked, {
    version: rollout.canary.version,
    from: rollout.stable.version,
    outcome: rollout.ending?.kind ?? 'Withdrawn',
    message: rollout.ending?.message ?? '',
    startedAt: rollout.startedAt,
    endedAt: now,
  });
  const idle = { ...rest, requests: {}, serves: rollout.stable.version, justChanged };
  if (failed === undefined) return idle;
  const justBlocked = {
    version: rollout.canary.version,
    cause: failed.message,
    time: new Date(failed.at).toISOString(),
    observedGeneration: cell.generation,
    ...(isPinned(rollout.canary.version, cell) ? { pinned: true } : {}),
  };
  return { ...idle, justBlocked };
}

/** Records that the canary has become what serves. */
export function finished(state: RolloutState, now: number): RolloutState {
  const { rollout, asked: _told, ...rest } = withoutHold(state);
  if (rollout === undefined) return { ...rest, requests: {} };
  const justChanged = changeOf(state.asked, {
    version: rollout.canary.version,
    from: rollout.stable.version,
    outcome: 'Completed',
    message: `${rollout.canary.version} serves with the whole weight.`,
    startedAt: rollout.startedAt,
    endedAt: now,
  });
  return { ...rest, requests: {}, serves: rollout.canary.version, justChanged };
}

/** Records that something outside refused; it is tried again after a while that doubles, up to `longestMs`. */
export function refused(
  state: RolloutState,
  failure: { readonly during: Decision['do']; readonly reason: string; readonly message: string },
  at: { now: number; longestMs: number },
): RolloutState {
  const attempts = (state.hold?.reason === failure.reason ? state.hold.attempts : 0) + 1;
  const delay = Math.min(at.longestMs, 1000 * 2 ** Math.min(attempts - 1, 20));
  const since = state.hold?.since ?? at.now;
  return { ...withoutFound(state), hold: { ...failure, since, attempts, until: at.now + delay } };
}

/** Records that a status was written, with the events that went with it. */
export function reported(state: RolloutState, status: CellStatus): RolloutState {
  const { justBlocked: _written, serves: _too, justChanged: _both, ...rest } = state;
  return { ...rest, reported: status, events: [], eventCount: state.eventCount + state.events.length };
}

/** Records something that people should find among the Events of the Cell. */
export function noted(state: RolloutState, event: Omit<ReportedEvent, 'id'>): RolloutState {
  return {
    ...state,
    events: [...state.events, { ...event, id: `${state.eventCount + state.events.length}` }],
  };
}

/** Records the Event that tells people what is waited for, or how it ended, unless they have been told so already. */
export function announced(state: RolloutState, decision: Decision, observed: ObservedCell): RolloutState {
  if (decision.do !== 'Wait' && decision.do !== 'Close') return state;
  const event = eventOf(decision);
  const told = state.reported ?? observed.cell?.status;
  const isToldByReason = decision.do === 'Wait' && decision.for === 'Health';
  const isTold = isToldByReason ? told?.reason === 'WaitingForHealth' : told?.message === decision.message;
  return event === undefined || isTold ? state : noted(state, event);
}

/** Records that what held may have changed: it is tried again at once. */
export function hurried(state: RolloutState, now: number): RolloutState {
  return state.hold === undefined ? state : { ...state, hold: { ...state.hold, until: now } };
}

/** Forgets what has held. */
export function withoutHold(state: RolloutState): RolloutState {
  const { hold: _over, ...rest } = state;
  return rest;
}

/** Changes the rollout that is under way, if there is one. */
export function inRollout(state: RolloutState, change: (rollout: Rollout) => Rollout): RolloutState {
  return state.rollout === undefined ? state : { ...state, rollout: change(state.rollout) };
}
