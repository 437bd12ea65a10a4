import { ApplicationFailure } from '@temporalio/workflow';
import type { AnalysisVerdict } from '../domain/rollout/analysis.ts';
import type { PresentCell } from '../domain/versions/candidate.ts';
import type { Measurement } from '../domain/model/decision.ts';
import { analysisRunName, experimentName } from '../domain/model/ids.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import * as record from '../domain/rollout/record-measurement.ts';
import type { Rollout, RolloutState } from '../domain/model/state.ts';
import { unreachable } from '../domain/unreachable.ts';
import { measurements } from './activities.ts';

type Of<Name extends Measurement['do']> = Extract<Measurement, { do: Name }>;

/** What something that measures is started for. */
interface Cause {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly rollout: Rollout;
}

type Change = (state: RolloutState) => RolloutState;

/** Starts, reads or ends what a rollout measures; what comes of it is a change of the state. */
export async function measure(
  decision: Measurement,
  situation: { readonly observed: ObservedCell; readonly state: () => RolloutState },
  cell: PresentCell,
): Promise<Change> {
  const { observed } = situation;
  const { namespace } = observed.key;
  const { rollout } = situation.state();
  if (rollout === undefined)
    throw ApplicationFailure.nonRetryable('Expected a rollout, got none.', 'InvalidObject');
  const cause = { observed, cell, rollout };
  const argo = measurements(decision.message);
  switch (decision.do) {
    case 'StartAnalysis':
      return analysed(await startAnalysis(decision, cause));
    case 'ReadAnalysis':
      return analysed(await argo.readAnalysis({ namespace, name: decision.run }));
    case 'EndAnalysis':
      await argo.terminateAnalysis({ namespace, name: decision.run });
      return record.measurementEnded;
    case 'StartExperiment':
      return experimented(await startExperiment(decision, cause));
    case 'ReadExperiment':
      return experimented(await argo.readExperiment({ namespace, name: decision.experiment }));
    case 'EndExperiment':
      await argo.terminateExperiment({ namespace, name: decision.experiment });
      return record.measurementEnded;
    default:
      return measureInBackground(decision, cause);
  }
}

type InBackground =
  Of<'StartBackground'> | Of<'ReadBackground'> | Of<'EndBackground'> | Of<'WaiveBackground'>;

async function measureInBackground(decision: InBackground, cause: Cause): Promise<Change> {
  const { namespace } = cause.observed.key;
  const argo = measurements(decision.message);
  switch (decision.do) {
    case 'StartBackground': {
      const { prefix } = decision;
      const verdict = await startAnalysis(decision, cause);
      return (state) => record.backgroundStarted(state, { prefix, verdict }, Date.now());
    }
    case 'ReadBackground': {
      const verdict = await argo.readAnalysis({ namespace, name: decision.run });
      return (state) => record.backgroundRead(state, verdict, Date.now());
    }
    case 'EndBackground': {
      const verdict = await argo.terminateAnalysis({ namespace, name: decision.run });
      return (state) => record.backgroundEnded(state, verdict, Date.now());
    }
    case 'WaiveBackground':
      return record.backgroundWaived;
    default:
      return unreachable(decision);
  }
}

const analysed =
  (verdict: AnalysisVerdict): Change =>
  (state) =>
    record.analysed(state, verdict, Date.now());

const experimented =
  (verdict: AnalysisVerdict): Change =>
  (state) =>
    record.experimented(state, verdict, Date.now());

function startAnalysis(
  decision: Of<'StartAnalysis'> | Of<'StartBackground'>,
  cause: Cause,
): Promise<AnalysisVerdict> {
  const inBackground = decision.do === 'StartBackground';
  const step = inBackground ? decision.prefix : cause.rollout.index;
  return measurements(decision.message).startAnalysis({
    ...startedFor(cause),
    name: nameOf(decision, cause),
    step,
    analysis: decision.analysis,
    mayBeEndless: inBackground,
  });
}

function startExperiment(decision: Of<'StartExperiment'>, cause: Cause): Promise<AnalysisVerdict> {
  const { experiment, message } = decision;
  return measurements(message).startExperiment({
    ...startedFor(cause),
    name: nameOf(decision, cause),
    step: cause.rollout.index,
    experiment,
  });
}

/** Takes what was just being started for something that waits to be ended, since nobody knows whether it was started. */
export function startedPerhaps(
  decision: Of<'StartAnalysis'> | Of<'StartExperiment'> | Of<'StartBackground'>,
  observed: ObservedCell,
  state: RolloutState,
): RolloutState {
  const { rollout } = state;
  if (rollout === undefined) return state;
  const name = nameOf(decision, { observed, rollout });
  const verdict: AnalysisVerdict = { name, phase: 'Pending', message: '' };
  switch (decision.do) {
    case 'StartAnalysis':
      return record.analysed(state, verdict, Date.now());
    case 'StartExperiment':
      return record.experimented(state, verdict, Date.now());
    case 'StartBackground':
      return record.backgroundStarted(state, { prefix: decision.prefix, verdict }, Date.now());
    default:
      return unreachable(decision);
  }
}

function nameOf(
  decision: Of<'StartAnalysis'> | Of<'StartExperiment'> | Of<'StartBackground'>,
  cause: Pick<Cause, 'observed' | 'rollout'>,
): string {
  const step = decision.do === 'StartBackground' ? decision.prefix : cause.rollout.index;
  if (decision.do === 'StartExperiment')
    return experimentName({ ...measured(cause), step: cause.rollout.index });
  const template = decision.analysis.templates[0]?.templateName ?? '';
  return analysisRunName({ ...measured(cause), step, template });
}

const startedFor = ({ observed, cell, rollout }: Cause) => ({
  cell: { key: observed.key, uid: cell.uid },
  rollout: rollout.id,
  desiredVersion: rollout.canary.version,
});

const measured = ({ observed, rollout }: Pick<Cause, 'observed' | 'rollout'>) => ({
  cell: observed.key.name,
  rollout: rollout.id,
  edition: rollout.edition ?? 0,
});
