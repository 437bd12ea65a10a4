import { verdictOn } from '../rollout/measure/measurement.ts';
import type { StandingKind } from './step.ts';
import type { StepSpec } from '../model/state.ts';

/** Runs an AnalysisRun of Argo Rollouts, and goes on only when it is successful. */
export const analysis: StandingKind<StepSpec<'analysis'>> = {
  describe: (spec) => `analyse ${namesOf(spec)}`,
  next: (spec, rollout, input) => {
    const { progress } = rollout;
    if (progress.is === 'Measuring') return verdictOn(progress, rollout, input);
    const message = `Starting the analysis ${namesOf(spec)}.`;
    return { do: 'StartMeasurement', kind: 'AnalysisRun', analysis: spec, message };
  },
  measures: true,
};

const namesOf = ({ templates }: StepSpec<'analysis'>): string =>
  templates.map(({ templateName }) => templateName).join(', ');
