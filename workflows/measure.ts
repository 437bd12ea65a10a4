import { ApplicationFailure } from '@temporalio/common';
import { countVerdict, type ReadVerdict, measurementName } from '../domain/rollout/measure/measurement.ts';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { listenerARNOf, routeOf } from '../domain/load-balancers/load-balancer.ts';
import type { Measurement, StartMeasurement } from '../domain/model/decision.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import type { Change } from '../domain/rollout/record/performed.ts';
import { recordVerdict, recordTermination } from '../domain/rollout/record/measurement.ts';
import type { Rollout } from '../domain/model/state.ts';
import type { Hands } from './hands.ts';

/** What is measured for. */
interface Cause {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly rollout: Rollout | undefined;
}

/** Starts, reads or terminates what a rollout measures; what comes of it is a change of the state. */
export async function measure(
  decision: Measurement,
  { rollout, ...cause }: Cause,
  hands: Hands,
): Promise<Change> {
  if (rollout === undefined)
    throw ApplicationFailure.nonRetryable('Expected a rollout, got none.', 'InvalidObject');
  const { namespace } = cause.observed.key;
  switch (decision.do) {
    case 'StartMeasurement': {
      const verdict = await start(decision, { ...cause, rollout }, hands);
      return (state, now) => recordVerdict(state, decision, countVerdict(verdict, decision, state), now);
    }
    case 'ReadMeasurement': {
      const { kind, name, message } = decision;
      const verdict = await instruments(hands, message)[kind].read({ namespace, name });
      return (state, now) => recordVerdict(state, decision, countVerdict(verdict, decision, state), now);
    }
    case 'TerminateMeasurement': {
      const { kind, name, message } = decision;
      const verdict = await instruments(hands, message)[kind].terminate({ namespace, name });
      return (state, now) => recordTermination(state, decision, verdict ?? undefined, now);
    }
  }
}

/** The activities that follow what measures, by what it is. */
function instruments(hands: Hands, summary: string) {
  const to = hands.measurements(summary);
  return {
    AnalysisRun: {
      read: (key: ObjectKey) => to.readAnalysis(key),
      terminate: (key: ObjectKey) => to.terminateAnalysis(key),
    },
    Experiment: {
      read: (key: ObjectKey) => to.readExperiment(key),
      terminate: (key: ObjectKey) => to.terminateExperiment(key),
    },
    Check: {
      read: (key: ObjectKey) => to.readCheck(key),
      terminate: (key: ObjectKey) => to.terminateCheck(key),
    },
    Job: { read: (key: ObjectKey) => to.readJob(key), terminate: (key: ObjectKey) => to.terminateJob(key) },
  };
}

function start(
  decision: StartMeasurement,
  { observed, cell, rollout }: Cause & { readonly rollout: Rollout },
  hands: Hands,
): Promise<ReadVerdict> {
  const to = hands.measurements(decision.message);
  const request = {
    cell: { key: observed.key, uid: cell.uid },
    rollout: rollout.id,
    desiredVersion: rollout.canary.version,
    name: measurementName(decision, observed.key.name, rollout),
  };
  if (decision.kind === 'Experiment')
    return to.startExperiment({ ...request, step: rollout.index, experiment: decision.experiment });
  if (decision.kind === 'Job') return to.startJob({ ...request, step: rollout.index, job: decision.job });
  if (decision.kind === 'Check') {
    const { canary, stable, index: step } = rollout;
    const route = routeOf(cell.spec);
    const listenerARN = (route && listenerARNOf(route)) ?? '';
    return to.startCheck({ ...request, step, check: decision.check, listenerARN, canary, stable });
  }
  const { analysis, background } = decision;
  const mayBeEndless = background !== undefined;
  return to.startAnalysis({ ...request, step: background ?? rollout.index, analysis, mayBeEndless });
}
