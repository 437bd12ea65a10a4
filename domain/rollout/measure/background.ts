import type { AnalysisStep } from '../../../crds/cell.ts';
import { isFinished, judge, type Judgement } from './analysis.ts';
import { type Decision, fail, noLaterThan } from '../../model/decision.ts';
import type { GuardInput } from '../../gates/guard.ts';
import type { BackgroundPrefix } from '../../model/ids.ts';
import { isBackgroundRepeatable, stepsGoOn } from '../../model/measure-again.ts';
import { holdForVerdict, holdUntilBegun, holdsOnFailure, describeChoices } from './measurement.ts';
import type { Requests } from '../../model/request.ts';
import type { Background, Rollout, RolloutState, Progress } from '../../model/state.ts';
import { parseDuration } from '../../duration.ts';

export type BakeProgress = Extract<Progress, { is: 'Baking' }>;

/** When a bake is over; its analysis watches for the whole duration, however late it could be started. */
export const bakeEndsAt = (
  { since, watchedSince = since }: BakeProgress,
  duration: number | string,
): number => watchedSince + parseDuration(duration) * 1000;

/** Whether someone has ended a bake before its time, by a request or by removing it from the spec. */
export function isBakeEnded(
  { progress }: Rollout,
  { cell, state }: Pick<GuardInput, 'cell' | 'state'>,
): boolean {
  if (progress.is !== 'Baking') return false;
  const { promote, promoteFull } = state.requests;
  // A promoteFull of before was about the steps; one that begins the bake at once has come in the same millisecond.
  const isAsked = promote !== undefined || (promoteFull !== undefined && promoteFull.at > progress.since);
  return isAsked || cell.spec.updateStrategy?.bake === undefined;
}

function bakeAnalysisOf(rollout: Rollout, input: GuardInput): AnalysisStep | undefined {
  const { progress, background } = rollout;
  const bake = input.cell.spec.updateStrategy?.bake;
  if (progress.is !== 'Baking' || bake === undefined || isBakeEnded(rollout, input)) return undefined;
  const isTimeOver = progress.watchedSince !== undefined && input.now >= bakeEndsAt(progress, bake.duration);
  // One that has watched for the whole time was ended.
  return isTimeOver && background === undefined ? undefined : bake.analysis;
}

interface DueBackground {
  readonly prefix: BackgroundPrefix;
  readonly analysis: AnalysisStep;
}

// Every reading is some ten events of the history, and a background may last a day; usually the watchers tell.
const LONGEST_READ_MS = 30 * 60_000;

const judgeBackground = (background: Background): Judgement =>
  judge('AnalysisRun', background, LONGEST_READ_MS);

/** The analysis that should run in the background of the current step; undefined when none should be started. */
export function findDueBackground(rollout: Rollout, input: GuardInput): DueBackground | undefined {
  const { backgroundAnalysis, index, progress } = rollout;
  if (progress.is === 'Baking') {
    const analysis = bakeAnalysisOf(rollout, input);
    return analysis === undefined ? undefined : { prefix: 'bake', analysis };
  }
  const goesOn = stepsGoOn(rollout, input.state.requests);
  if (backgroundAnalysis === undefined || !goesOn || index < backgroundAnalysis.startingStep)
    return undefined;
  return { prefix: 'bg', analysis: backgroundAnalysis };
}

/** Ends the rollout when its background has failed, before anything else; undefined if it has not, only holds, or someone continues. */
export function failureInBackground({ background }: Rollout, input: GuardInput): Decision | undefined {
  if (background === undefined || background.waived === true) return undefined;
  const judgement = judgeBackground(background);
  // What bakes belongs to no canary.
  const isHeld = background.prefix === 'bg' && holdsOnFailure(input);
  if (judgement.is !== 'Failed' || isHeld) return undefined;
  return fail('AnalysisFailed', `Background analysis: ${judgement.message}`, input.now);
}

/** Reads the background when something has ended, or when nothing was heard for long. */
export function readBackground({ background }: Rollout, input: GuardInput): Decision | undefined {
  const { state, now } = input;
  if (background === undefined || isReadingHeld(state, now)) return undefined;
  const judgement = judgeBackground(background);
  if (judgement.is !== 'Measuring' || now < judgement.readAgainAt) return undefined;
  return {
    do: 'ReadMeasurement',
    ...following(background),
    message: `Reading AnalysisRun ${background.verdict.name}.`,
  };
}

/** Holds the rollout while the background is undecided, and starts the one that is wanted; undefined when it may continue. */
export function attendBackground(
  wanted: DueBackground | undefined,
  rollout: Rollout,
  { requests }: Pick<RolloutState, 'requests'>,
): Decision | undefined {
  const { background } = rollout;
  // What was watched in a bake that someone has ended holds nothing any more.
  const isOver = background?.prefix === 'bake' && wanted === undefined;
  const held = background === undefined || isOver ? undefined : holdFor(background, rollout, requests);
  if (held !== undefined || wanted === undefined || background?.prefix === wanted.prefix) return held;
  const names = wanted.analysis.templates.map((template) => template.templateName).join(', ');
  return (
    endBackground(rollout) ?? {
      do: 'StartMeasurement',
      kind: 'AnalysisRun',
      background: wanted.prefix,
      analysis: wanted.analysis,
      message: `Starting the analysis ${names} in the background.`,
    }
  );
}

/** Waits for a person to decide about a background that is undecided, or has failed and does not end the rollout. */
function holdFor(background: Background, rollout: Rollout, requests: Requests): Decision | undefined {
  const judgement = judgeBackground(background);
  const notBegun = judgement.is === 'Measuring' ? judgement.notBegun : undefined;
  const isHeld = judgement.is === 'Undecided' || judgement.is === 'Failed' || notBegun !== undefined;
  if (background.waived === true || !isHeld) return undefined;
  if (background.decidedBy !== undefined) {
    const message = `Promoted by ${background.decidedBy} without the background analysis.`;
    return { do: 'WaiveBackground', message };
  }
  if (judgement.is === 'Measuring')
    return holdUntilBegun('Analysis', `Background analysis: ${notBegun}`, judgement.readAgainAt);
  const mayRetry = isBackgroundRepeatable(rollout, requests);
  if (judgement.is === 'Failed')
    return holdForVerdict('AnalysisFailed', `Background analysis: ${judgement.message}`, mayRetry);
  const ways = describeChoices(
    mayRetry,
    background.prefix === 'bake' ? 'promote to end the bake' : 'promote to continue without it',
  );
  return { do: 'Wait', for: 'Verdict', message: `Background analysis: ${judgement.message} ${ways}` };
}

/** Waits for a measurement in the background before the canary gets everything; undefined when there is one, or someone continues without. */
export function awaitMeasurement(
  { background }: Rollout,
  { state: { requests } }: Pick<GuardInput, 'state'>,
): Decision | undefined {
  if (background === undefined || background.waived === true) return undefined;
  const { prefix, verdict } = background;
  // Of a bake the end is asked for by other means.
  const isSkipped = prefix === 'bg' && requests.promoteFull !== undefined;
  if (isSkipped || (verdict.phase !== 'Pending' && verdict.unmeasured !== true)) return undefined;
  const message = `Waiting for background AnalysisRun ${verdict.name}, which has no successful measurement yet.`;
  return { do: 'Wait', for: 'Analysis', message };
}

/** Asks for the end of the analysis in the background; undefined when it has ended. */
export function endBackground({ background }: Rollout): Decision | undefined {
  if (background === undefined || isFinished(background.verdict.phase)) return undefined;
  return {
    do: 'TerminateMeasurement',
    ...following(background),
    message: `Terminating AnalysisRun ${background.verdict.name}: no step remains for it to watch.`,
  };
}

const following = ({ prefix, verdict }: Background) =>
  ({ kind: 'AnalysisRun', background: prefix, name: verdict.name }) as const;

/** Lets no wait last longer than the background may go unread. */
export function untilBackgroundRead(decision: Decision, rollout: Rollout, input: GuardInput): Decision {
  const { background } = rollout;
  if (decision.do !== 'Wait' || background === undefined || isReadingHeld(input.state, input.now))
    return decision;
  const judgement = judgeBackground(background);
  return judgement.is === 'Measuring' ? noLaterThan(judgement.readAgainAt, decision) : decision;
}

/** Whether the reading itself was refused, and waits to be tried again. */
export const isReadingRefused = ({ backoff }: RolloutState): boolean =>
  backoff?.background === true && backoff.during === 'ReadMeasurement';

const isReadingHeld = (state: RolloutState, now: number): boolean =>
  isReadingRefused(state) && now < (state.backoff?.until ?? 0);
