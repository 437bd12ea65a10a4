import type { CellStatus } from '../../crds/cell.ts';
import { observedAfter, routeOf, targetGroupsOf, type Forwarding } from '../load-balancers/load-balancer.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';
import type { Performable, Shift } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { RolloutState } from '../model/state.ts';
import { carryOut, type Asked, type Outside } from '../rollout/carry-out.ts';
import type { AnalysisVerdict } from '../rollout/measure/analysis.ts';
import { measurementName } from '../rollout/measure/measurement.ts';
import type { Attempt } from '../rollout/record/attempt.ts';
import type { CarriedOut } from '../rollout/record/performed.ts';
import { shiftDone, shiftRequest } from '../rollout/shift.ts';

/**
 * What is outside of a rollout that is run ahead: the objects as they are now, on which everything succeeds. Load balancers take every
 * write, targets are healthy, and what a step measures is successful at once.
 */
export class Future {
  #seen: ObservedCell;
  readonly #verdicts = new Map<string, AnalysisVerdict>();
  #rollouts = 0;

  constructor(observed: ObservedCell) {
    this.#seen = observed;
  }

  /** What a look at the objects shows. */
  get seen(): ObservedCell {
    return this.#seen;
  }

  /** The status was written. */
  report(status: CellStatus): void {
    const { cell } = this.#seen;
    if (cell !== undefined) this.#seen = { ...this.#seen, cell: { ...cell, status } };
  }

  /** Something else has changed the objects. */
  change(next: (seen: ObservedCell) => ObservedCell): void {
    this.#seen = next(this.#seen);
  }

  /** What comes of an attempt to do what was decided. */
  attempt(decision: Performable, observed: ObservedCell, state: RolloutState): Attempt {
    const { cell } = observed;
    if (cell === undefined || decision.do === 'Remove' || decision.do === 'Release')
      throw new TypeError(`Expected a Cell whose configuration stays, got ${decision.do}.`);
    const done = carryOut(decision, { observed, cell, state }, this.#outside);
    if (done instanceof Promise) throw new TypeError('Expected an answer at once, got a promise.');
    return { is: 'CarriedOut', done };
  }

  readonly #outside: Outside = {
    newRollout: () => {
      this.#rollouts += 1;
      return `ahead${this.#rollouts}`;
    },
    shift: (decision, asked) => this.#shift(decision, asked),
    // Nobody has looked at what the load balancer serves beyond what the objects say; what is to be adopted serves.
    inspect: () =>
      this.#seen.cell?.adopt === true
        ? { is: 'Serving', targetGroups: [{ name: 'what serves now', arn: '', weight: TOTAL_WEIGHT }] }
        : { is: 'Nothing' },
    healthOf: ({ targetGroupARNs }) =>
      targetGroupARNs.map((targetGroupARN) => ({ targetGroupARN, healthy: 1, total: 1, others: '' })),
    prune: () => undefined,
    start: (decision, { state: { rollout } }) => {
      if (rollout === undefined) throw new TypeError('Expected a rollout to measure for, got none.');
      const name = measurementName(decision, this.#seen.key.name, rollout);
      // What is started again is the same one.
      const phase = decision.background === undefined ? 'Successful' : 'Running';
      return this.#verdicts.get(name) ?? this.#keep({ name, phase, message: '' });
    },
    read: ({ name }) => this.#read(name),
    terminate: ({ name }) => {
      const before = this.#read(name);
      this.#keep({ ...before, phase: 'Successful' });
      return before;
    },
    endOfLostRun: () => ({ is: 'Unknown' }),
  };

  #keep(verdict: AnalysisVerdict): AnalysisVerdict {
    this.#verdicts.set(verdict.name, verdict);
    return verdict;
  }

  /** What was started before now goes on, and is good. */
  #read(name: string): AnalysisVerdict {
    return this.#verdicts.get(name) ?? { name, phase: 'Successful', message: '' };
  }

  #shift(shift: Shift, { observed, cell, state }: Asked): CarriedOut {
    const route = routeOf(cell.spec);
    if (route === undefined) throw new TypeError('Expected the Cell to have a load balancer, got none.');
    const request = shiftRequest(shift, { observed, cell, state, route });
    this.#serve(request.forwarding, request.sequence);
    const result = { is: 'Served', observed: this.#seen } as const;
    return shiftDone(shift, request, result, { observed, cell });
  }

  #serve(forwarding: Forwarding, sequence: number): void {
    const weighted = targetGroupsOf(forwarding);
    this.#seen = {
      ...this.#seen,
      weighted,
      desired: weighted,
      observedForwarding: observedAfter(forwarding, this.#seen.observedForwarding),
      isApplied: true,
      sequence,
    };
  }
}
