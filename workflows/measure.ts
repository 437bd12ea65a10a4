import { ApplicationFailure } from '@temporalio/workflow';
import type { AnalysisVerdict } from '../domain/rollout/analysis.ts';
import type { PresentCell } from '../domain/versions/candidate.ts';
import type { Measurement, StartMeasurement } from '../domain/model/decision.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import { measurementName } from '../domain/rollout/measurement.ts';
import { measured, terminated } from '../domain/rollout/record-measurement.ts';
import type { Rollout, RolloutState } from '../domain/model/state.ts';
import { measurements } from './activities.ts';

/** What something that measures is started for. */
interface Cause {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly rollout: Rollout;
}

type Change = (state: RolloutState) => RolloutState;

/** Starts, reads or terminates what a rollout measures; what comes of it is a change of the state. */
export async function measure(
  decision: Measurement,
  situation: { readonly observed: ObservedCell; readonly state: () => RolloutState },
  cell: PresentCell,
): Promise<Change> {
  const { observed } = situation;
  const { rollout } = situation.state();
  if (rollout === undefined)
    throw ApplicationFailure.nonRetryable('Expected a rollout, got none.', 'InvalidObject');
  switch (decision.do) {
    case 'StartMeasurement': {
      const verdict = await start(decision, { observed, cell, rollout });
      return (state) => measured(state, decision, verdict, Date.now());
    }
    case 'ReadMeasurement': {
      const { kind, name, message } = decision;
      const verdict = await argo(message)[kind].read({ namespace: observed.key.namespace, name });
      return (state) => measured(state, decision, verdict, Date.now());
    }
    case 'TerminateMeasurement': {
      const { kind, name, message } = decision;
      const verdict = await argo(message)[kind].terminate({ namespace: observed.key.namespace, name });
      return (state) => terminated(state, decision, verdict ?? undefined, Date.now());
    }
  }
}

/** The activities of Argo Rollouts, by what they are about. */
function argo(summary: string) {
  const to = measurements(summary);
  return {
    AnalysisRun: { read: to.readAnalysis, terminate: to.terminateAnalysis },
    Experiment: { read: to.readExperiment, terminate: to.terminateExperiment },
  };
}

function start(decision: StartMeasurement, { observed, cell, rollout }: Cause): Promise<AnalysisVerdict> {
  const to = measurements(decision.message);
  const request = {
    cell: { key: observed.key, uid: cell.uid },
    rollout: rollout.id,
    desiredVersion: rollout.canary.version,
    name: measurementName(decision, observed.key.name, rollout),
  };
  if (decision.kind === 'Experiment')
    return to.startExperiment({ ...request, step: rollout.index, experiment: decision.experiment });
  const { analysis, background } = decision;
  const mayBeEndless = background !== undefined;
  return to.startAnalysis({ ...request, step: background ?? rollout.index, analysis, mayBeEndless });
}

/** Takes what was just being started for something that waits to be ended, since nobody knows whether it was started. */
export function startedPerhaps(
  decision: StartMeasurement,
  observed: ObservedCell,
  state: RolloutState,
): RolloutState {
  const { rollout } = state;
  if (rollout === undefined) return state;
  const name = measurementName(decision, observed.key.name, rollout);
  return measured(state, decision, { name, phase: 'Pending', message: '' }, Date.now());
}
