import { jobStep, type JobStep } from '../../crds/update-strategy.ts';

/** The job of a step as the API server would have it: what is written, and the defaults. */
export const aJob = (written: object = {}): JobStep =>
  jobStep.parse({ template: { spec: { image: 'busybox' } }, ...written });
