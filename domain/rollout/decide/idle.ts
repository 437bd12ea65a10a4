import type { PresentCell } from '../../versions/candidate.ts';
import { type Close, type Decision, type Shift, type Wait, noLaterThan } from '../../model/decision.ts';
import { parseDuration } from '../../duration.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { evacuatedUntil } from '../../gates/targets.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { WeightedTargetGroup } from '../../model/target-group.ts';
import { includes } from '../../load-balancers/weights.ts';
import { namesOf } from '../../text.ts';
import { parseTime } from '../../time.ts';

/** How long groups at weight 0 stay in the rule after the end of a rollout when nobody says otherwise. */
const DEFAULT_DETACH_AFTER = '10m';

/** How often groups at weight 0 are looked at, in milliseconds. */
const IDLE_CHECK_MS = 120_000;

/** How a Cell stands, while what is left to do changes nothing about it: at rest, or held before something newer. */
type Standing = Close | Wait;

/** Decides when groups at weight 0 leave a settled Cell's rule: after a while, for a quick way back, but at once when gone or without a healthy target (Route 53, EvaluateTargetHealth). */
export function closeIdle(close: Close, input: GuardInput): Decision {
  const { state, now } = input;
  const isQuiet = state.backoff?.quiet === true && now < state.backoff.until;
  if (state.hasMeasured === true && !isQuiet) {
    return {
      do: 'Prune',
      message: 'Deleting the oldest AnalysisRuns, Experiments, Checks and Jobs beyond those that are kept.',
    };
  }
  return detachIdle(close, input) ?? close;
}

/** What becomes of groups at weight 0 in a Cell that stands as it does for now; undefined where there are none. */
export function detachIdle(stands: Standing, input: GuardInput, version = ''): Decision | undefined {
  const { observed, cell, state, now } = input;
  const waiting = observed.weighted.filter(({ weight }) => weight === 0);
  if (waiting.length === 0) return undefined;
  const first = awaitRetry(stands, input) ?? detachGone(stands, input, version);
  if (first !== undefined) return first;
  const lost = waiting.filter((group) => (evacuatedUntil(group, input) ?? Infinity) <= now);
  if (lost.length > 0) {
    const out = detach(lost, 'because it had no healthy target for spec.healthTimeout', {
      observed,
      version,
    });
    return standingAs(stands, { ...out, sittingOut: lost.map(({ arn }) => arn) });
  }
  const idle = waiting.filter((group) => evacuatedUntil(group, input) === undefined);
  if (idle.length === 0) return undefined;
  const check = state.idle;
  const dueAt = dueAfter(cell, cell.status.history?.[0]?.endedAt, check?.since);
  const out = (leaving: readonly WeightedTargetGroup[], why: string): Shift =>
    standingAs(stands, detach(leaving, why, { observed, version }));
  if (dueAt !== undefined && now >= dueAt)
    return out(idle, 'because spec.updateStrategy.detachAfter has passed');
  const isAboutAll = check !== undefined && idle.every(({ arn }) => check.targetGroupARNs.includes(arn));
  if (dueAt === undefined || !isAboutAll || now >= check.at + IDLE_CHECK_MS)
    return checkIdle(idle, observed, stands);
  const unhealthy = idle.filter(({ arn }) => check.unhealthyARNs.includes(arn));
  if (unhealthy.length > 0) return out(unhealthy, 'because it has no healthy target');
  const message = `Keeping ${namesOf(idle)} at weight 0 until ${new Date(dueAt).toISOString()}.`;
  return waitAs(stands, { for: 'Detach', until: Math.min(dueAt, check.at + IDLE_CHECK_MS), message });
}

/** Takes groups at weight 0 out whose AWSTargetGroups are gone; undefined when there is none. */
function detachGone(stands: Standing, input: GuardInput, version: string): Decision | undefined {
  const { observed } = input;
  const gone = observed.weighted.filter((one) => one.weight === 0 && !includes(observed.selected, one));
  if (gone.length === 0) return undefined;
  const why = 'because its AWSTargetGroup is gone';
  return awaitRetry(stands, input) ?? standingAs(stands, detach(gone, why, { observed, version }));
}

/** What was refused for that waits, and holds nothing else. */
function awaitRetry(stands: Standing, { state: { backoff }, now }: GuardInput): Wait | undefined {
  if (backoff?.quiet !== true || now >= backoff.until) return undefined;
  const { until, message } = backoff;
  return waitAs(stands, { for: 'Backoff', until, message });
}

const waitAs = (stands: Standing, wait: Pick<Wait, 'for' | 'message'> & { readonly until: number }): Wait =>
  stands.do === 'Wait' ? noLaterThan(wait.until, stands) : { do: 'Wait', ...wait, settled: stands };

const standingAs = (stands: Standing, shift: Shift): Shift =>
  stands.do === 'Close' ? { ...shift, settled: stands } : shift;

/** When groups at weight 0 leave, counted from the end of the last rollout, or from when they were seen first. */
function dueAfter(
  { spec }: PresentCell,
  endedAt: string | undefined,
  since: number | undefined,
): number | undefined {
  const from = parseTime(endedAt) ?? since;
  const after = spec.updateStrategy?.detachAfter ?? DEFAULT_DETACH_AFTER;
  return from === undefined ? undefined : from + parseDuration(after) * 1000;
}

const checkIdle = (
  idle: readonly WeightedTargetGroup[],
  { weighted }: Pick<ObservedCell, 'weighted'>,
  settled: Standing,
): Decision => ({
  do: 'CheckHealth',
  settled,
  targetGroupARNs: weighted.map(({ arn }) => arn),
  message: `Checking the targets of ${namesOf(idle)} at weight 0.`,
});

const detach = (
  leaving: readonly WeightedTargetGroup[],
  why: string,
  { observed, version }: Pick<GuardInput, 'observed'> & Pick<Shift, 'version'>,
): Shift => ({
  do: 'Shift',
  purpose: 'DetachingTargetGroups',
  version,
  shares: observed.weighted.filter((group) => !includes(leaving, group)),
  message: `Removing ${namesOf(leaving)} at weight 0 from the rule, ${why}.`,
});
