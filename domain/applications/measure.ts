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
import type { ObservedRevision } from './observation.ts';
import {
  act,
  back,
  fail,
  isPassed,
  wait,
  type CheckStage,
  type Judgement,
  type Mark,
  type Outcome,
  type Turn,
} from './situation.ts';

// As long as the schema takes (crds/cell-status.ts).
const LONGEST_MESSAGE = 1024;

type Record = NonNullable<Mark['prechecks']>[number];

interface Measure {
  readonly stage: CheckStage;
  readonly revision: ObservedRevision;
  readonly hash: string;
}

/** Goes through the checks of a stage, one after the other; one that was successful for the same config is not run again. */
export function measure(turn: Turn, of: Measure): Outcome {
  let outcome: Outcome = { mark: turn.mark };
  for (const check of turn.application[of.stage] ?? []) {
    outcome = measureOne({ ...turn, mark: outcome.mark }, check, of);
    if (!isPassed(outcome)) break;
  }
  return outcome;
}

function measureOne(turn: Turn, check: ApplicationCheck, { stage, revision, hash }: Measure): Outcome {
  const { application, cell, mark: before, now, seen } = turn;
  const { number } = revision;
  const { name } = check;
  const records = before[stage] ?? [];
  const others = records.filter((record) => record.name !== name);
  const run = measurementName({ cell, application: application.name, stage, check: name, number, hash });
  const known = records.find((record) => record.name === name && record.run === run);
  if (known?.phase === 'Successful') return { mark: before };
  const found = seen.measurements.find((one) => one.name === run);
  // What has failed before all was made has failed all the same.
  const isUnstarted = found === undefined || (found.isPartial === true && found.phase !== 'Failed');
  if (known === undefined || (known.phase === 'Pending' && isUnstarted)) {
    const time = new Date(now).toISOString();
    const pending: Record = { name, run, phase: 'Pending', message: 'It is being started.', hash, time };
    // Those that the application no longer has are forgotten: what they measured has ended.
    const asked = others.filter((record) => application[stage]?.some((one) => one.name === record.name));
    const mark = known === undefined ? { ...before, [stage]: [...asked, pending] } : before;
    const action = { do: 'StartCheck', stage, check: name, number, name: run } as const;
    return act(turn, action, `Starting ${name} of the ${stage}.`, mark);
  }
  const verdict = found ?? { name: run, phase: 'Error', message: `${run} is gone.` };
  const phase = verdict.phase === 'Pending' ? 'Running' : verdict.phase;
  const record: Record = { ...known, phase, message: cut(verdict.message, LONGEST_MESSAGE), hash };
  const mark: Mark = { ...before, [stage]: [...others, record] };
  if (phase === 'Successful') return { mark };
  if (!isFinished(phase)) return awaitVerdict({ ...turn, mark }, check, { verdict, time: known.time });
  const failure = stage === 'prechecks' ? 'PrecheckFailed' : 'CheckFailed';
  return fail(mark, revision, { phase: failure, reason: failure, message: `${name} failed.` }, now);
}

/** Waits for what measures; the Cell is Degraded by one that has not begun in time. */
function awaitVerdict(
  { mark, now }: Turn,
  check: ApplicationCheck,
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

const stages = ['prechecks', 'checks', 'postchecks'] as const;

/** Ends what still measures for something else than a revision, or all; nothing holds that. */
export function endChecks({ mark, seen }: Turn, keep?: number): Judgement | undefined {
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
