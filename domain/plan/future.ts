import type { CellStatus } from '../../crds/cell.ts';
import {
  observedAfter,
  routeOf,
  targetGroupsOf,
  type Forwarding,
  type InspectedForwarding,
} from '../load-balancers/load-balancer.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';
import type { Performable, Shift, StartMeasurement } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { RolloutState, LostRun } from '../model/state.ts';
import type { AnalysisVerdict } from '../rollout/measure/analysis.ts';
import type { Attempt } from '../rollout/record/attempt.ts';
import { measurementName, countVerdict, type ReadVerdict } from '../rollout/measure/measurement.ts';
import { shiftDone, shiftRequest } from '../rollout/shift.ts';
import { unreachable } from '../unreachable.ts';
import type { TargetHealth } from '../gates/health.ts';
import {
  carryOutRecorded,
  isRecorded,
  doneUnchanged,
  doneStale,
  type CarriedOut,
  type Change,
} from '../rollout/record/performed.ts';
import * as holds from '../rollout/record/backoff.ts';
import { resumeLost } from '../rollout/record/lost-run.ts';
import * as measured from '../rollout/record/measurement.ts';
import * as record from '../rollout/record/record.ts';
import type { PresentCell } from '../versions/candidate.ts';

/** By what something outside is asked. */
export interface Asked {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
}

/** What is outside of a rollout, in memory: it answers at once. */
export interface Outside {
  /** The id of a rollout that begins. */
  newRollout(): string;
  shift(decision: Shift, asked: Asked): Attempt;
  inspect(): InspectedForwarding | Extract<Attempt, { is: 'Refused' }>;
  healthOf(targetGroupARNs: readonly string[]): readonly TargetHealth[];
  /** Starts what measures, or refuses to. */
  start(decision: StartMeasurement, state: RolloutState): ReadVerdict | Extract<Attempt, { is: 'Refused' }>;
  read(name: string): ReadVerdict;
  /** Ends what measures; answers how far it had come. */
  terminate(name: string): AnalysisVerdict;
  endOfLostRun(): LostRun;
}

/** What comes of an attempt to do what was decided, as the workflow would take it up. */
export function attemptWith(outside: Outside, decision: Performable, asked: Asked): Attempt {
  const { cell, observed } = asked;
  if (isRecorded(decision)) return carriedOut(carryOutRecorded(decision, cell));
  switch (decision.do) {
    case 'Begin': {
      const id = outside.newRollout();
      return done((before, at) => record.recordBegin(before, decision, { id, observed, cell, now: at }));
    }
    case 'Shift':
      return outside.shift(decision, asked);
    case 'Inspect': {
      const found = outside.inspect();
      if (found.is === 'Refused') return found;
      return done((before) => record.recordInspection(before, found));
    }
    case 'CheckHealth': {
      const health = outside.healthOf(decision.targetGroupARNs);
      return done((before, at) =>
        holds.recordHealthCheck(before, health, decision, { observed, cell, now: at }),
      );
    }
    case 'Prune':
      return done(measured.recordPruned);
    case 'ReadLostRun': {
      const ended = outside.endOfLostRun();
      const { weighted, selected } = observed;
      const apply: Change = (before, now) => resumeLost(before, { cell, weighted, selected, now }, ended);
      return carriedOut(doneStale(apply));
    }
    case 'StartMeasurement': {
      const started = outside.start(decision, asked.state);
      if ('is' in started) return started;
      return done((before, at) =>
        measured.recordVerdict(before, decision, countVerdict(started, decision, before), at),
      );
    }
    case 'ReadMeasurement': {
      const verdict = outside.read(decision.name);
      return done((before, at) =>
        measured.recordVerdict(before, decision, countVerdict(verdict, decision, before), at),
      );
    }
    case 'TerminateMeasurement': {
      const verdict = outside.terminate(decision.name);
      return done((before, at) => measured.recordTermination(before, decision, verdict, at));
    }
    case 'Remove':
    case 'Release':
      throw new TypeError(`Expected a Cell whose configuration stays, got ${decision.do}.`);
    default:
      return unreachable(decision);
  }
}

/** It was done, or postponed, as it says. */
export const carriedOut = (what: CarriedOut): Attempt => ({ is: 'CarriedOut', done: what });

const done = (apply: Change): Attempt => carriedOut(doneUnchanged(apply));

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

  /** Every Freeze was lifted. */
  lift(): void {
    this.#seen = { ...this.#seen, freezes: [] };
  }

  /** Every cluster became ready. */
  makeReady(): void {
    const { waitsFor: _over, ...seen } = this.#seen;
    this.#seen = seen;
  }

  /** Every earlier application is in place. */
  putInPlace(): void {
    const { behind: _over, ...seen } = this.#seen;
    this.#seen = seen;
  }

  /** What comes of an attempt to do what was decided. */
  attempt(decision: Performable, observed: ObservedCell, state: RolloutState): Attempt {
    const { cell } = observed;
    if (cell === undefined) throw new TypeError('Expected a Cell, got none.');
    return attemptWith(this.#outside, decision, { observed, cell, state });
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
    healthOf: (arns) => arns.map((targetGroupARN) => ({ targetGroupARN, healthy: 1, total: 1, others: '' })),
    start: (decision, { rollout }) => {
      if (rollout === undefined) throw new TypeError('Expected a rollout to measure for, got none.');
      const name = measurementName(decision, this.#seen.key.name, rollout);
      // What is started again is the same one.
      const phase = decision.background === undefined ? 'Successful' : 'Running';
      return this.#verdicts.get(name) ?? this.#keep({ name, phase, message: '' });
    },
    read: (name) => this.#read(name),
    terminate: (name) => {
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

  #shift(shift: Shift, { observed, cell, state }: Asked): Attempt {
    const route = routeOf(cell.spec);
    if (route === undefined) throw new TypeError('Expected the Cell to have a load balancer, got none.');
    const request = shiftRequest(shift, { observed, cell, state, route });
    this.#serve(request.forwarding, request.sequence);
    const result = { is: 'Served', observed: this.#seen } as const;
    return carriedOut(shiftDone(shift, request, result, { observed, cell }));
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
