import { ApplicationFailure, CancellationScope, condition, uuid4 } from '@temporalio/workflow';
import type { PresentCell } from '../domain/candidate.ts';
import type { Decision } from '../domain/decision.ts';
import { eventOf, refusalEvent } from '../domain/events.ts';
import { routeOf, type Route } from '../domain/load-balancer.ts';
import type { ObservedCell } from '../domain/observation.ts';
import * as record from '../domain/record.ts';
import { stableSet } from '../domain/stable.ts';
import type { RolloutState } from '../domain/state.ts';
import { elbv2Reads, traffic } from './activities.ts';
import { failureOf, type Failure } from './failure.ts';
import { measure } from './measure.ts';

type Performable = Exclude<Decision, { do: 'Wait' } | { do: 'Close' }>;
type Inspect = Extract<Decision, { do: 'Inspect' }>;
type Shift = Extract<Decision, { do: 'Shift' }>;

/** What a decision is performed with. */
export interface Situation {
  readonly observed: ObservedCell;
  readonly state: () => RolloutState;
  /** Whether something has come up that goes before a shift of weights. */
  readonly interrupted: () => boolean;
}

/** What came of it: a change of the state, and whether the objects have to be looked at again. */
export interface Performed {
  readonly apply: (state: RolloutState) => RolloutState;
  readonly stale: boolean;
}

/** How long a refusal holds at the most before another attempt, in milliseconds: short while traffic waits to go back. */
const LONGEST_HOLD_MS = { usual: 10 * 60_000, urgent: 15_000 } as const;

/** Performs one decision; what refuses becomes a hold, so that it can be seen and tried again. */
export async function perform(decision: Performable, situation: Situation): Promise<Performed> {
  const { cell } = situation.observed;
  if (cell === undefined)
    throw ApplicationFailure.nonRetryable('Expected a Cell, got none.', 'ObjectNotFound');
  try {
    const done = await carryOut(decision, situation, cell);
    const event = eventOf(decision);
    return event === undefined ? done : { ...done, apply: (state) => record.noted(done.apply(state), event) };
  } catch (error) {
    return held(decision, failureOf(error));
  }
}

async function carryOut(decision: Performable, situation: Situation, cell: PresentCell): Promise<Performed> {
  const now = Date.now();
  switch (decision.do) {
    case 'Begin':
      return kept((state) => record.began(state, decision, { id: uuid4().slice(0, 8), cell, now }));
    case 'Shift':
      return shift(decision, situation, cell);
    case 'Inspect':
      return inspect(decision, situation, cell);
    case 'CheckHealth': {
      const found = await elbv2Reads(decision.message).readTargetHealth(decision.targetGroupARNs);
      return kept((state) =>
        record.healthRead(state, found, { minHealthyTargets: cell.spec.minHealthyTargets, now: Date.now() }),
      );
    }
    case 'Pause':
      return kept((state) => record.paused(state, now));
    case 'Advance':
      return kept(record.advanced);
    case 'Replan':
      return kept((state) => record.replanned(state, decision, cell));
    case 'End':
      return kept((state) => record.ending(state, decision));
    case 'Bake':
      return kept((state) => record.baking(state, now));
    case 'Conclude':
      return looking((state) => record.concluded(state, cell, now));
    case 'Finish':
      return looking((state) => record.finished(state, now));
    default:
      return kept(await measure(decision, situation, cell));
  }
}

async function inspect({ message }: Inspect, situation: Situation, cell: PresentCell): Promise<Performed> {
  const { key, selected } = situation.observed;
  const route = requiredRoute(cell);
  const found = await elbv2Reads(message).inspectLoadBalancer({
    key,
    route,
    selected: selected.map(({ name, arn }) => ({ name, arn })),
    adopt: cell.adopt === true,
  });
  return kept((state) => record.inspected(state, found));
}

function requiredRoute({ spec }: PresentCell): Route {
  const route = routeOf(spec);
  if (route !== undefined) return route;
  throw ApplicationFailure.nonRetryable('Expected a load balancer block, got none.', 'InvalidObject');
}

async function shift(decision: Shift, situation: Situation, cell: PresentCell): Promise<Performed> {
  const { key, sequence } = situation.observed;
  const scope = new CancellationScope();
  const request = {
    cell: { key, uid: cell.uid },
    forwarding: { ...requiredRoute(cell), targetGroups: decision.shares },
    deletionPolicy: cell.spec.deletionPolicy ?? 'Retain',
    adopt: cell.adopt === true,
    sequence: sequence + 1,
    urgent: decision.urgent,
  };
  const shifting = scope.run(() => traffic(decision.message).shiftTraffic(request));
  if (decision.urgent) {
    await shifting;
  } else {
    let settled = false;
    const settling = shifting.finally(() => (settled = true));
    // The failure is taken up below; this keeps it from counting as unhandled until then.
    settling.catch(() => undefined);
    await condition(() => settled || situation.interrupted());
    if (!settled) {
      scope.cancel();
      return looking(record.withoutFound);
    }
    await settling;
  }
  const from = stableSet(situation.observed, cell)?.version;
  return looking((state) => record.shifted(state, decision, { from, now: Date.now() }));
}

const kept = (apply: Performed['apply']): Performed => ({ apply, stale: false });
const looking = (apply: Performed['apply']): Performed => ({ apply, stale: true });

function held(decision: Performable, { reason, message }: Failure): Performed {
  const shiftsBack = decision.do === 'Shift' && decision.urgent;
  return looking((state) => {
    const urgent = shiftsBack || state.rollout?.ending !== undefined;
    const longestMs = urgent ? LONGEST_HOLD_MS.urgent : LONGEST_HOLD_MS.usual;
    const next = record.refused(
      state,
      { during: decision.do, reason, message },
      { now: Date.now(), longestMs },
    );
    const isNew = state.hold?.reason !== reason || state.hold.message !== message;
    return isNew ? record.noted(next, refusalEvent(reason, message)) : next;
  });
}
