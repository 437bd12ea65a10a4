import { verdictOn } from '../rollout/measure/measurement.ts';
import type { StandingKind } from './step.ts';
import type { StepSpec } from '../model/state.ts';

/** Runs a Job, and goes on only when it is successful. */
export const job: StandingKind<StepSpec<'job'>> = {
  describe: ({ name }) => `run job ${name}`,
  next: (spec, rollout, input) => {
    const { progress } = rollout;
    if (progress.is === 'Measuring') return verdictOn(progress, rollout, input);
    return { do: 'StartMeasurement', kind: 'Job', job: spec, message: `Starting the job ${spec.name}.` };
  },
  measures: true,
};
