import { type Decision, fail } from '../model/decision.ts';
import type { Rollout, StepKindName, StepSpec } from '../model/state.ts';
import { parseDuration } from '../duration.ts';
import type { GuardInput } from '../gates/guard.ts';
import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';
import { holdsOnFailure, verdictOn } from '../rollout/measure/measurement.ts';
import { advance, type StandingKind, type StepKind } from './step.ts';

/** The kinds of steps; one that the schema has and this table has not does not compile. */
export const stepKinds: { readonly [Kind in StepKindName]: StepKind<StepSpec<Kind>> } = {
  setWeight: {
    describe: (weight) => `set the canary's weight to ${weight}`,
    weightAfter: (weight) => weight,
  },
  stepWeight: {
    describe: (added) => `add ${added} to the canary's weight`,
    weightAfter: (added, before) => Math.min(TOTAL_WEIGHT, before + added),
  },
  pause: {
    describe: ({ duration }) =>
      duration === undefined ? 'pause until resumed' : `pause for ${durationText(duration)}`,
    next: pause,
    lasts: ({ duration }) => duration,
    waitsForPerson: ({ duration }) => duration === undefined,
  },
  analysis: measuring({
    describe: ({ templates }) => `analyse ${templateNames(templates)}`,
    start: (analysis) => ({
      kind: 'AnalysisRun',
      analysis,
      message: `Starting the analysis ${templateNames(analysis.templates)}.`,
    }),
  }),
  experiment: measuring({
    describe: ({ templates }) => `experiment with ${namesOf(templates)}`,
    start: (experiment) => ({
      kind: 'Experiment',
      experiment,
      message: `Starting an experiment with ${namesOf(experiment.templates)}.`,
    }),
  }),
  check: measuring({
    describe: ({ name }) => `check ${name}`,
    start: (check) => ({ kind: 'Check', check, message: `Starting the check ${check.name}.` }),
  }),
  job: measuring({
    describe: ({ name }) => `run job ${name}`,
    start: (job) => ({ kind: 'Job', job, message: `Starting the job ${job.name}.` }),
  }),
  approval: {
    describe: ({ count, groups }) => `approval by ${count} of ${groups.join(', ')}`,
    next: approve,
    lasts: ({ timeout }) => timeout,
    approvals: (spec) => spec,
  },
};

const templateNames = (templates: readonly { readonly templateName: string }[]): string =>
  templates.map(({ templateName }) => templateName).join(', ');
const namesOf = (templates: readonly { readonly name: string }[]): string =>
  templates.map(({ name }) => name).join(', ');

type Start = Extract<Decision, { readonly do: 'StartMeasurement' }>;
type Started<Each> = Each extends Start ? Omit<Each, 'do'> : never;

function measuring<Spec>({
  describe,
  start,
}: {
  readonly describe: (spec: Spec) => string;
  readonly start: (spec: Spec) => Started<Start>;
}): StandingKind<Spec> {
  return {
    describe,
    next: (spec, rollout, input) =>
      rollout.progress.is === 'Measuring'
        ? verdictOn(rollout.progress, rollout, input)
        : { do: 'StartMeasurement', ...start(spec) },
    measures: true,
  };
}

function pause({ duration }: StepSpec<'pause'>, rollout: Rollout, { now }: GuardInput): Decision {
  const { progress } = rollout;
  const text = duration === undefined ? 'until it is resumed' : `for ${duration}`;
  if (progress.is !== 'Pausing') return { do: 'Pause', message: `Pausing ${text}.` };
  if (duration === undefined) {
    return { do: 'Wait', for: 'Resume', message: 'Waiting for resume or promote.' };
  }
  const until = progress.since + parseDuration(duration) * 1000;
  if (now >= until) return advance(rollout, 'The pause is over.');
  return { do: 'Wait', for: 'Pause', until, message: `Pausing ${text}.` };
}

const durationText = (duration: number | string): string =>
  typeof duration === 'number' || /^\d+$/.test(duration) ? `${duration}s` : duration;

function approve(spec: StepSpec<'approval'>, rollout: Rollout, input: GuardInput): Decision {
  const { progress } = rollout;
  if (progress.is !== 'Pausing') return { do: 'Pause', message: 'Waiting for approval.' };
  const { approvals = [], since } = progress;
  const by = approvals.map((one) => one.by).join(' and ');
  if (approvals.length >= spec.count) return advance(rollout, `Approved by ${by}.`);
  const until = spec.timeout === undefined ? undefined : since + parseDuration(spec.timeout) * 1000;
  if (until !== undefined && input.now >= until) return late(spec, approvals.length, input);
  const message = `Waiting for ${spec.count - approvals.length} of ${spec.count} approvals from ${spec.groups.join(', ')}.${by === '' ? '' : ` Approved by ${by}.`}${spec.message === undefined ? '' : ` ${spec.message}`}`;
  return { do: 'Wait', for: 'Approval', ...(until === undefined ? {} : { until }), message };
}

/** Fails the step; where failures are held it waits on, since an approval that comes late is one all the same. */
function late({ count, timeout, groups }: StepSpec<'approval'>, got: number, input: GuardInput): Decision {
  const message = `Only ${got} of ${count} approvals by people in ${groups.join(', ')} came within ${timeout}.`;
  if (!holdsOnFailure(input)) return fail('ApprovalTimedOut', message, input.now);
  return {
    do: 'Wait',
    for: 'Verdict',
    reason: 'ApprovalTimedOut',
    message: `${message} On hold, because onFailure is Hold. Continues when it is approved; send abort to revert.`,
  };
}
