import type { AnalysisStep, CanaryStep, ExperimentStep } from '../crds/cell.ts';
import { isFinished, judge } from './analysis.ts';
import { endBackground } from './background.ts';
import { settleOf } from './data-plane.ts';
import type { Decision } from './decision.ts';
import { parseDuration } from './duration.ts';
import { fail } from './ending.ts';
import { guard, type GuardInput } from './guard.ts';
import type { ObservedCell, ServedTargetGroup } from './observation.ts';
import type { Progress, Rollout } from './state.ts';
import { movesTraffic, weightAfter } from './steps.ts';
import { presentOf } from './stable.ts';
import { everythingTo, sameShares, shares, TOTAL_WEIGHT } from './weights.ts';

/** The longest time for which a verdict is not read when nothing is heard of it, in milliseconds. */
const LONGEST_READ_MS = 10 * 60_000;

/** Decides what the current step of a rollout needs next. */
export function takeStep(rollout: Rollout, input: GuardInput): Decision {
  const step = rollout.steps[rollout.index];
  const { requests } = input.state;
  if (rollout.progress.is === 'Baking') return bake(rollout, rollout.progress.since, input);
  if (step === undefined || requests.promoteFull !== undefined) return complete(rollout, input);
  if (movesTraffic(step)) return moveTo(weightAfter(rollout.steps, rollout.index), 'Advance', rollout, input);
  if (requests.promote !== undefined)
    return endMeasurement(rollout.progress) ?? advance(rollout, `Promoted by ${requests.promote.by}.`);
  if (step.analysis !== undefined) return analyse(step.analysis, rollout, input);
  if (step.experiment !== undefined) return experiment(step.experiment, rollout, input);
  return pause(step, rollout, input);
}

function complete(rollout: Rollout, input: GuardInput): Decision {
  const end = endMeasurement(rollout.progress);
  if (end !== undefined) return end;
  const next = moveTo(TOTAL_WEIGHT, 'Finish', rollout, input);
  return next.do === 'Finish' ? (endBackground(rollout) ?? next) : next;
}

function moveTo(weight: number, then: 'Advance' | 'Finish', rollout: Rollout, input: GuardInput): Decision {
  const wanted = sharesAt(weight, rollout, input.observed);
  const { version } = rollout.canary;
  if (sameShares(wanted, input.observed.served) && input.observed.isApplied) {
    const settled = settle(rollout, input);
    if (settled !== undefined) return settled;
    if (then === 'Advance') return advance(rollout, `The canary's weight is ${weight}.`);
    return input.cell.spec.updateStrategy?.bake === undefined ? finish(rollout) : startBaking(rollout, input);
  }
  const message = `Setting the weight of ${version} to ${weight}.`;
  return guard(
    { do: 'Shift', purpose: 'Step', version, shares: wanted, urgent: false, message },
    input,
    (lack) =>
      fail(
        'HealthTimeout',
        `The target groups of ${version} did not become healthy in time. ${lack}`,
        input.now,
      ),
  );
}

/** What is to be served when the canary has a weight; a stable side of which nothing is left has none. */
export function sharesAt(
  weight: number,
  { stable, canary }: Rollout,
  { selected }: ObservedCell,
): readonly ServedTargetGroup[] {
  const left = presentOf(stable, selected);
  return left.length === 0 ? everythingTo(canary.groups, []) : shares(left, canary.groups, weight);
}

/** Waits until the data plane of the load balancer follows the last change of weights. */
function settle(rollout: Rollout, { cell, now }: GuardInput): Decision | undefined {
  const wait = settleOf(cell.spec);
  const until = (rollout.shiftedAt ?? 0) + parseDuration(wait) * 1000;
  if (now >= until) return undefined;
  const message = `Waiting ${wait} for the load balancer's data plane to follow the weights.`;
  return { do: 'Wait', for: 'Settle', until, message };
}

const finish = ({ canary }: Rollout): Decision => ({
  do: 'Finish',
  message: `${canary.version} serves with the whole weight.`,
});

function startBaking({ canary, stable }: Rollout, { cell }: GuardInput): Decision {
  const duration = cell.spec.updateStrategy?.bake?.duration ?? '0s';
  const message = `${canary.version} has the whole weight; watching it for ${duration}, with ${stable.version} kept at 0.`;
  return { do: 'Bake', message };
}

/** Watches the canary with the whole weight; a promote ends it, and what fails takes everything back. */
function bake(rollout: Rollout, since: number, { cell, state, now }: GuardInput): Decision {
  const spec = cell.spec.updateStrategy?.bake;
  const { promote, promoteFull } = state.requests;
  const promoted =
    promote ?? (promoteFull !== undefined && promoteFull.at >= since ? promoteFull : undefined);
  const until = since + parseDuration(spec?.duration ?? 0) * 1000;
  if (spec === undefined || promoted !== undefined || now >= until)
    return endBackground(rollout) ?? finish(rollout);
  const message = `Watching ${rollout.canary.version} with the whole weight for ${spec.duration}. Send promote to end it, or abort to take everything back.`;
  return { do: 'Wait', for: 'Bake', until, message };
}

function pause(step: CanaryStep, rollout: Rollout, input: GuardInput): Decision {
  const { progress } = rollout;
  const duration = step.pause?.duration;
  const text = duration === undefined ? 'until somebody resumes' : `for ${duration}`;
  if (progress.is !== 'Pausing') return { do: 'Pause', message: `Pausing ${text}.` };
  if (duration === undefined) {
    return { do: 'Wait', for: 'Resume', message: 'Pausing until somebody sends resume or promote.' };
  }
  const until = progress.since + parseDuration(duration) * 1000;
  if (input.now >= until) return advance(rollout, 'The pause is over.');
  return { do: 'Wait', for: 'Pause', until, message: `Pausing ${text}.` };
}

function analyse(analysis: AnalysisStep, rollout: Rollout, input: GuardInput): Decision {
  const { progress } = rollout;
  const names = analysis.templates.map((template) => template.templateName).join(', ');
  if (progress.is !== 'Analyzing') {
    return { do: 'StartAnalysis', analysis, message: `Starting the analysis ${names}.` };
  }
  return verdictOn(progress, rollout, input);
}

function experiment(step: ExperimentStep, rollout: Rollout, input: GuardInput): Decision {
  const { progress } = rollout;
  if (progress.is !== 'Experimenting') {
    const names = step.templates.map((template) => template.name).join(', ');
    return { do: 'StartExperiment', experiment: step, message: `Starting an experiment with ${names}.` };
  }
  return verdictOn(progress, rollout, input);
}

/** What comes of how far the analysis or experiment of the step has come; undefined when nothing measures. */
export const verdictSoFar = (rollout: Rollout, input: GuardInput): Decision | undefined =>
  rollout.progress.is === 'Analyzing' || rollout.progress.is === 'Experimenting'
    ? verdictOn(rollout.progress, rollout, input)
    : undefined;

type MeasuringProgress = Extract<Progress, { is: 'Analyzing' | 'Experimenting' }>;

/** Goes on, fails or waits by how far the analysis or experiment of the step has come. */
function verdictOn(progress: MeasuringProgress, rollout: Rollout, input: GuardInput): Decision {
  const isAnalysis = progress.is === 'Analyzing';
  const kind = isAnalysis ? 'AnalysisRun' : 'Experiment';
  const judgement = judge(kind, progress, LONGEST_READ_MS);
  const { name } = progress.verdict;
  switch (judgement.is) {
    case 'Passed':
      return advance(rollout, judgement.message);
    case 'Failed':
      return fail(isAnalysis ? 'AnalysisFailed' : 'ExperimentFailed', judgement.message, input.now);
    case 'Undecided':
      return {
        do: 'Wait',
        for: 'Verdict',
        message: `${judgement.message} Send promote to go on, or abort to take everything back.`,
      };
    case 'Measuring': {
      const { readAgainAt: until } = judgement;
      if (input.now < until) {
        const message = `Waiting for ${kind} ${name}.`;
        return { do: 'Wait', for: isAnalysis ? 'Analysis' : 'Experiment', until, message };
      }
      const message = `Reading ${kind} ${name}.`;
      return isAnalysis
        ? { do: 'ReadAnalysis', run: name, message }
        : { do: 'ReadExperiment', experiment: name, message };
    }
  }
}

/** Asks for the end of an analysis or experiment that nobody waits for any more; undefined when there is none. */
export function endMeasurement(progress: Progress): Decision | undefined {
  if (progress.is !== 'Analyzing' && progress.is !== 'Experimenting') return undefined;
  const { name, phase } = progress.verdict;
  if (isFinished(phase)) return undefined;
  return progress.is === 'Analyzing'
    ? { do: 'EndAnalysis', run: name, message: `Ending AnalysisRun ${name}, ${UNWANTED}.` }
    : { do: 'EndExperiment', experiment: name, message: `Ending Experiment ${name}, ${UNWANTED}.` };
}

const UNWANTED = 'because nobody waits for it any more';

function advance(rollout: Rollout, why: string): Decision {
  return { do: 'Advance', message: `Step ${rollout.index + 1} of ${rollout.steps.length} is done. ${why}` };
}
