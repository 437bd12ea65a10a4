import { verdictOn } from '../rollout/measure/measurement.ts';
import type { StandingKind } from './step.ts';
import type { StepSpec } from '../model/state.ts';

/** Has Okra measure a metric by Checks, and goes on only when they are successful. */
export const check: StandingKind<StepSpec<'check'>> = {
  describe: ({ name }) => `check ${name}`,
  next: (spec, rollout, input) => {
    const { progress } = rollout;
    if (progress.is === 'Measuring') return verdictOn(progress, rollout, input);
    return {
      do: 'StartMeasurement',
      kind: 'Check',
      check: spec,
      message: `Starting the check ${spec.name}.`,
    };
  },
  measures: true,
};
