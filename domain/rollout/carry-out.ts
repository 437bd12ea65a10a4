import type { TargetHealth } from '../gates/health.ts';
import type { InspectedForwarding } from '../load-balancers/load-balancer.ts';
import type { Measurement, Performable, Shift, StartMeasurement } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { LostRun, RolloutState } from '../model/state.ts';
import { unreachable } from '../unreachable.ts';
import type { PresentCell } from '../versions/candidate.ts';
import type { AnalysisVerdict } from './measure/analysis.ts';
import { countVerdict, type ReadVerdict } from './measure/measurement.ts';
import { recordHealthCheck } from './record/backoff.ts';
import { resumeLost } from './record/lost-run.ts';
import { recordPruned, recordTermination, recordVerdict } from './record/measurement.ts';
import {
  carryOutRecorded,
  doneStale,
  doneUnchanged,
  isRecorded,
  type CarriedOut,
} from './record/performed.ts';
import { recordBegin, recordInspection } from './record/record.ts';

/** By what something outside is asked. */
export interface Asked {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
}

type Later<T> = T | Promise<T>;

type Following = Exclude<Measurement, StartMeasurement>;

type Decided<Do extends Performable['do']> = Extract<Performable, { do: Do }>;

/** What decisions are carried out with: activities, or what is in memory and answers at once. */
export interface Outside {
  newRollout(): string;
  shift(decision: Shift, asked: Asked): Later<CarriedOut>;
  inspect(decision: Decided<'Inspect'>, asked: Asked): Later<InspectedForwarding>;
  healthOf(decision: Decided<'CheckHealth'>): Later<readonly TargetHealth[]>;
  prune(decision: Decided<'Prune'>, asked: Asked): Later<void>;
  endOfLostRun(decision: Decided<'ReadLostRun'>, asked: Asked): Later<LostRun>;
  start(decision: StartMeasurement, asked: Asked): Later<ReadVerdict>;
  read(decision: Following, asked: Asked): Later<ReadVerdict>;
  /** Ends what measures; answers how far it had come, if that is known. */
  terminate(decision: Following, asked: Asked): Later<AnalysisVerdict | void>;
}

const take = <T>(answer: Later<T>, carriedOut: (answer: T) => CarriedOut): Later<CarriedOut> =>
  answer instanceof Promise ? answer.then(carriedOut) : carriedOut(answer);

/** Carries out one decision for a Cell that is there, with whatever answers. */
export function carryOut(
  decision: Exclude<Performable, { do: 'Remove' | 'Release' }>,
  asked: Asked,
  outside: Outside,
): Later<CarriedOut> {
  const { observed, cell } = asked;
  if (isRecorded(decision)) return carryOutRecorded(decision, cell);
  switch (decision.do) {
    case 'Begin': {
      const id = outside.newRollout();
      return doneUnchanged((before, now) => recordBegin(before, decision, { id, observed, cell, now }));
    }
    case 'Shift':
      return outside.shift(decision, asked);
    case 'Inspect':
      return take(outside.inspect(decision, asked), (found) =>
        doneUnchanged((before) => recordInspection(before, found)),
      );
    case 'CheckHealth':
      return take(outside.healthOf(decision), (health) =>
        doneUnchanged((before, now) => recordHealthCheck(before, health, decision, { observed, cell, now })),
      );
    case 'Prune':
      return take(outside.prune(decision, asked), () => doneUnchanged(recordPruned));
    case 'ReadLostRun':
      return take(outside.endOfLostRun(decision, asked), (ended) => {
        const { weighted, selected } = observed;
        return doneStale((before, now) => resumeLost(before, { cell, weighted, selected, now }, ended));
      });
    case 'StartMeasurement':
      return take(outside.start(decision, asked), verdictOn(decision));
    case 'ReadMeasurement':
      return take(outside.read(decision, asked), verdictOn(decision));
    case 'TerminateMeasurement':
      return take(outside.terminate(decision, asked), (verdict) =>
        doneUnchanged((before, now) => recordTermination(before, decision, verdict ?? undefined, now)),
      );
    default:
      return unreachable(decision);
  }
}

const verdictOn =
  (decision: Measurement) =>
  (read: ReadVerdict): CarriedOut =>
    doneUnchanged((before, now) =>
      recordVerdict(before, decision, countVerdict(read, decision, before), now),
    );
