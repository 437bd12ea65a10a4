import type { ApplicationCheck } from '../../crds/application.ts';
import {
  BEGINS_WITHIN_MS,
  isFinished,
  isOverdue,
  NOT_MEASURED,
  notBegun,
  type AnalysisVerdict,
} from '../rollout/measure/analysis.ts';
import { cut } from '../text.ts';
import { parseTime } from '../time.ts';
import { measuredRevision, measurementName } from './names.ts';
import type { ObservedMeasurement, ObservedRevision } from './observation.ts';
import {
  back,
  fail,
  forward,
  isPassed,
  wait,
  type CheckStage,
  type Judgement,
  type Mark,
  type Outcome,
  type Situation,
  type Turn,
} from './situation.ts';

// As long as the schema takes (crds/cell-status.ts).
const LONGEST_MESSAGE = 1024;

type Record = NonNullable<Mark['prechecks']>[number];

/** Which checks, of which revision, for which forward config, and the phase when one fails. */
interface Measure {
  readonly stage: CheckStage;
  readonly revision: ObservedRevision;
  readonly hash: string;
  readonly failure: 'PrecheckFailed' | 'CheckFailed';
}

/** Goes through the checks of a stage, one after the other; one that was successful for the same config is not run again. */
export function measure(turn: Turn, before: Mark, of: Measure): Outcome {
  let outcome: Outcome = { mark: before };
  for (const check of turn.application[of.stage] ?? []) {
    outcome = measureOne({ ...of, situation: turn, check }, outcome.mark);
    if (!isPassed(outcome)) break;
  }
  return outcome;
}

interface One extends Measure {
  readonly situation: Situation;
  readonly check: ApplicationCheck;
}

function measureOne(one: One, before: Mark): Outcome {
  const { situation, stage, check, hash, revision, failure } = one;
  const run = runOf(one);
  const known = before[stage]?.find((record) => record.name === check.name && record.run === run);
  if (known?.phase === 'Successful') return { mark: before };
  const found = situation.seen.measurements.find(({ name }) => name === run);
  if (known === undefined || (known.phase === 'Pending' && isUnstarted(found))) return start(one, before);
  const verdict = found ?? { name: run, phase: 'Error', message: `${run} is gone.` };
  const { message } = verdict;
  const phase = verdict.phase === 'Pending' ? 'Running' : verdict.phase;
  const mark = recorded(before, stage, { ...known, phase, message: cut(message, LONGEST_MESSAGE), hash });
  if (!isFinished(phase)) return awaited(one, mark, { verdict, time: known.time });
  if (phase === 'Successful') return { mark };
  const why = { revision, phase: failure, reason: failure, message: `${check.name} failed.` };
  return fail(mark, why, situation.now);
}

/** Waits for what measures; the Cell is Degraded by one that has not begun in time. */
function awaited(
  { situation: { now }, check }: One,
  mark: Mark,
  { verdict, time }: { readonly verdict: AnalysisVerdict; readonly time: string },
): Judgement {
  const startedAt = parseTime(time) ?? 0;
  if (!isOverdue({ verdict, startedAt, readAt: now, reads: 0 })) {
    const isSilent = verdict.phase === 'Pending' && verdict.message === '';
    const until = isSilent ? startedAt + BEGINS_WITHIN_MS : undefined;
    return wait(mark, 'Checking', `Waiting for ${check.name}: ${verdict.message}`, until);
  }
  const kind = check.job !== undefined ? 'Job' : check.templates !== undefined ? 'AnalysisRun' : 'Check';
  return wait(mark, NOT_MEASURED, `${check.name}: ${notBegun(kind, verdict.name)}`, now + BEGINS_WITHIN_MS);
}

/** Whether not all was made that is to measure; what has failed by then has failed all the same. */
const isUnstarted = (found: ObservedMeasurement | undefined): boolean =>
  found === undefined || (found.isPartial === true && found.phase !== 'Failed');

/** The name of what measures a check. */
const runOf = ({ situation: { cell, application }, stage, check, revision, hash }: One): string => {
  const { number } = revision;
  return measurementName({ cell, application: application.name, stage, check: check.name, number, hash });
};

function start(one: One, before: Mark): Judgement {
  const { situation, stage, check, revision, hash } = one;
  const name = runOf(one);
  const time = new Date(situation.now).toISOString();
  const message = 'It is being started.';
  const pending: Record = { name: check.name, run: name, phase: 'Pending', message, hash, time };
  const known = before[stage]?.find((record) => record.run === name);
  const mark = known === undefined ? recorded(ofSpec(situation, before, stage), stage, pending) : before;
  const action = { do: 'StartCheck', stage, check: check.name, number: revision.number, name } as const;
  return forward(situation, [before, mark], action, `Starting ${check.name} of the ${stage}.`);
}

/** Forgets the checks of a stage that the application no longer has: what they measured has ended. */
function ofSpec({ application }: Situation, mark: Mark, stage: CheckStage): Mark {
  const checks = application[stage] ?? [];
  return {
    ...mark,
    [stage]: (mark[stage] ?? []).filter(({ name }) => checks.some((one) => one.name === name)),
  };
}

/** Keeps how far a check has come. */
function recorded(mark: Mark, stage: CheckStage, record: Record): Mark {
  const others = (mark[stage] ?? []).filter(({ name }) => name !== record.name);
  return { ...mark, [stage]: [...others, record] };
}

const stages = ['prechecks', 'checks', 'postchecks'] as const;

/** Ends what still measures for something else than a revision, or all; nothing holds that. */
export function endChecks({ seen }: Situation, mark: Mark, keep?: number): Judgement | undefined {
  for (const stage of stages) {
    for (const { name: check, run } of mark[stage] ?? []) {
      const found = seen.measurements.find(({ name }) => name === run);
      const isOpen = found !== undefined && !isFinished(found.phase) && found.isEnding !== true;
      if (!isOpen || (keep !== undefined && measuredRevision(run) === keep)) continue;
      const action = { do: 'TerminateCheck', stage, check, name: run } as const;
      return back(mark, action, `Ending ${check} of the ${stage}.`);
    }
  }
  return undefined;
}
