import { unreachable } from '../unreachable.ts';
import type { TargetHealth } from '../gates/health.ts';
import type { InspectedForwarding } from '../load-balancers/load-balancer.ts';
import type { Performable, Shift, StartMeasurement } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { LostRun, RolloutState } from '../model/state.ts';
import type { AnalysisVerdict } from '../rollout/measure/analysis.ts';
import type { Attempt } from '../rollout/record/attempt.ts';
import { countVerdict, type ReadVerdict } from '../rollout/measure/measurement.ts';
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
