import { verdictOn } from '../rollout/measure/measurement.ts';
import type { StandingKind } from './step.ts';
import type { StepSpec } from '../model/state.ts';

/** Runs an Experiment of Argo Rollouts, and goes on only when it is successful. */
export const experiment: StandingKind<StepSpec<'experiment'>> = {
  describe: (spec) => `experiment with ${namesOf(spec)}`,
  next: (spec, rollout, input) => {
    const { progress } = rollout;
    if (progress.is === 'Measuring') return verdictOn(progress, rollout, input);
    const message = `Starting an experiment with ${namesOf(spec)}.`;
    return { do: 'StartMeasurement', kind: 'Experiment', experiment: spec, message };
  },
  measures: true,
};

const namesOf = ({ templates }: StepSpec<'experiment'>): string =>
  templates.map(({ name }) => name).join(', ');
