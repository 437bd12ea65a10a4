import type { AnalysisStep, CanaryStep } from '../crds/cell.ts';
import { isFinished, type AnalysisVerdict } from './analysis.ts';
import type { Decision } from './decision.ts';
import { parseDuration } from './duration.ts';
import { guard, type GuardInput } from './guard.ts';
import type { Rollout } from './state.ts';
import { movesTraffic, weightAfter } from './steps.ts';
import { sameShares, shares, TOTAL_WEIGHT } from './weights.ts';

/** Without a word the verdict of an AnalysisRun is read after this time, which grows up to the longest; in milliseconds. */
const UNTOLD_READ_MS = { first: 30_000, growth: 10, longest: 10 * 60_000 } as const;

/** Decides what the current step of a rollout needs next. */
export function takeStep(rollout: Rollout, input: GuardInput): Decision {
  const step = rollout.steps[rollout.index];
  const { requests } = input.state;
  if (rollout.progress.is === 'Baking') return bake(rollout, rollout.progress.since, input);
  if (step === undefined || requests.promoteFull !== undefined) return complete(rollout, input);
  if (movesTraffic(step)) return moveTo(weightAfter(rollout.steps, rollout.index), 'Advance', rollout, input);
  if (requests.promote !== undefined) return advance(rollout, `Promoted by ${requests.promote.by}.`);
  if (step.analysis !== undefined) return analyse(step.analysis, rollout, input);
  return pause(step, rollout, input);
}

function complete(rollout: Rollout, input: GuardInput): Decision {
  const { progress } = rollout;
  if (progress.is === 'Analyzing' && !isFinished(progress.verdict.phase))
    return endAnalysis(progress.verdict);
  return moveTo(TOTAL_WEIGHT, 'Finish', rollout, input);
}

function moveTo(weight: number, then: 'Advance' | 'Finish', rollout: Rollout, input: GuardInput): Decision {
  const wanted = shares(rollout.stable.groups, rollout.canary.groups, weight);
  const { version } = rollout.canary;
  if (sameShares(wanted, input.observed.served)) {
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

/** Waits until the data plane of the load balancer follows the last change of weights. */
function settle(rollout: Rollout, { cell, now }: GuardInput): Decision | undefined {
  const until = (rollout.shiftedAt ?? 0) + parseDuration(cell.spec.settle) * 1000;
  if (now >= until) return undefined;
  const message = `Waiting ${cell.spec.settle} for the load balancer's data plane to follow the weights.`;
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
  if (spec === undefined || promoted !== undefined || now >= until) return finish(rollout);
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
  const { name, phase, message } = progress.verdict;
  const said = message === '' ? '' : ` ${message}`;
  switch (phase) {
    case 'Successful':
      return advance(rollout, `AnalysisRun ${name} was successful.`);
    case 'Failed':
    case 'Error':
      return fail('AnalysisFailed', `AnalysisRun ${name} ended as ${phase}.${said}`, input.now);
    case 'Inconclusive':
      return {
        do: 'Wait',
        for: 'Verdict',
        message: `AnalysisRun ${name} is inconclusive.${said} Send promote to go on, or abort to take everything back.`,
      };
    case 'Pending':
    case 'Running': {
      const until =
        progress.readAt +
        Math.min(
          UNTOLD_READ_MS.longest,
          UNTOLD_READ_MS.first * UNTOLD_READ_MS.growth ** Math.min(progress.reads, 10),
        );
      if (input.now >= until)
        return { do: 'ReadAnalysis', run: name, message: `Reading AnalysisRun ${name}.` };
      return { do: 'Wait', for: 'Analysis', until, message: `Waiting for AnalysisRun ${name}.` };
    }
  }
}

/** Fails a rollout: everything goes back to the stable side and the version is blocked. */
export function fail(reason: string, message: string, at: number): Decision {
  return { do: 'End', ending: { kind: 'Failed', reason, message, at }, message };
}

/** Asks for the end of an analysis that nobody waits for any more. */
export const endAnalysis = (verdict: AnalysisVerdict): Decision => ({
  do: 'EndAnalysis',
  run: verdict.name,
  message: `Ending AnalysisRun ${verdict.name}, because nobody waits for it any more.`,
});

function advance(rollout: Rollout, why: string): Decision {
  return { do: 'Advance', message: `Step ${rollout.index + 1} of ${rollout.steps.length} is done. ${why}` };
}
