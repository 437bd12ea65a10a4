import { observedAfter, routeOf, targetGroupsOf } from '../load-balancers/load-balancer.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';
import type { Performable } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { RolloutState } from '../model/state.ts';
import { carryOut, type Outside } from '../rollout/carry-out.ts';
import type { AnalysisVerdict } from '../rollout/measure/analysis.ts';
import { measurementName } from '../rollout/measure/measurement.ts';
import type { Attempt } from '../rollout/record/attempt.ts';
import { shiftDone, shiftRequest } from '../rollout/shift.ts';

/** What is outside of a rollout that is run ahead. */
export type Future = ReturnType<typeof future>;

/**
 * Makes what is outside of a rollout that is run ahead: the objects as they are now, on which everything succeeds. Load balancers take
 * every write, targets are healthy, and what a step measures is successful at once.
 */
export function future(observed: ObservedCell) {
  let seen = observed;
  let rollouts = 0;
  const verdicts = new Map<string, AnalysisVerdict>();
  const keep = (verdict: AnalysisVerdict): AnalysisVerdict => {
    verdicts.set(verdict.name, verdict);
    return verdict;
  };
  /** What was started before now continues, and is good. */
  const read = (name: string): AnalysisVerdict =>
    verdicts.get(name) ?? { name, phase: 'Successful', message: '' };
  const outside: Outside = {
    newRollout: () => `ahead${(rollouts += 1)}`,
    shift: (shift, { observed: before, cell, state }) => {
      const route = routeOf(cell.spec);
      if (route === undefined) throw new TypeError('Expected the Cell to have a load balancer, got none.');
      const request = shiftRequest(shift, { observed: before, cell, state, route });
      const { forwarding, sequence } = request;
      const weighted = targetGroupsOf(forwarding);
      const observedForwarding = observedAfter(forwarding, seen.observedForwarding);
      seen = { ...seen, weighted, desired: weighted, observedForwarding, isApplied: true, sequence };
      return shiftDone(shift, request, { is: 'Served', observed: seen }, { observed: before, cell });
    },
    // Nobody has looked at what the load balancer serves beyond what the objects say; what is to be adopted serves.
    inspect: () =>
      seen.cell?.adopt === true
        ? { is: 'Serving', targetGroups: [{ name: 'what serves now', arn: '', weight: TOTAL_WEIGHT }] }
        : { is: 'Nothing' },
    healthOf: ({ targetGroupARNs }) =>
      targetGroupARNs.map((targetGroupARN) => ({ targetGroupARN, healthy: 1, total: 1, others: '' })),
    prune: () => undefined,
    start: (decision, { state: { rollout } }) => {
      if (rollout === undefined) throw new TypeError('Expected a rollout to measure for, got none.');
      const name = measurementName(decision, seen.key.name, rollout);
      // What is started again is the same one.
      const phase = decision.background === undefined ? 'Successful' : 'Running';
      return verdicts.get(name) ?? keep({ name, phase, message: '' });
    },
    read: ({ name }) => read(name),
    terminate: ({ name }) => {
      const before = read(name);
      keep({ ...before, phase: 'Successful' });
      return before;
    },
    endOfLostRun: () => ({ is: 'Unknown' }),
  };
  return {
    /** What a look at the objects shows. */
    look: () => seen,
    /** The objects are others. */
    change: (next: (before: ObservedCell) => ObservedCell) => {
      seen = next(seen);
    },
    /** What comes of an attempt to do what was decided. */
    attempt: (decision: Performable, before: ObservedCell, state: RolloutState): Attempt => {
      const { cell } = before;
      if (cell === undefined || decision.do === 'Remove' || decision.do === 'Release')
        throw new TypeError(`Expected a Cell whose configuration stays, got ${decision.do}.`);
      const done = carryOut(decision, { observed: before, cell, state }, outside);
      if (done instanceof Promise) throw new TypeError('Expected an answer at once, got a promise.');
      return { is: 'CarriedOut', done };
    },
  };
}
