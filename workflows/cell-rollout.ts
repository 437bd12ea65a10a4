import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
  uuid4,
} from '@temporalio/workflow';
import { applicationsFrom, type ApplicationsState } from '../domain/applications/state.ts';
import type { Decision, Outcome, Performable } from '../domain/model/decision.ts';
import { given } from '../domain/model/fields.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import { CANCELLED } from '../domain/model/requests.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import { initialState, type RolloutState } from '../domain/model/state.ts';
import { rolloutDetailsOf } from '../domain/model/view.ts';
import { recordReportFailure } from '../domain/rollout/record/backoff.ts';
import { applyPerformed, type Performed } from '../domain/rollout/record/performed.ts';
import {
  abortTakesBack,
  recordFailedLook,
  handOver,
  isIdle,
  isStale,
  isReported,
  newRun,
  recordLook,
  withReportedStatus,
  withState,
} from '../domain/rollout/record/run.ts';
import { dueReport, recordReport, takeTurn, type Turn } from '../domain/rollout/turn.ts';
import { objects, inShort, configs, elbv2Reads, measurements, traffic } from './activities.ts';
import { rollOutApplications, type LookPace } from './applications-rollout.ts';
import { type Cancellation, listen, type LiveRun } from './live-run.ts';
import { failureOf, isLost } from './failure.ts';
import { interruptible } from './interruptible.ts';
import { hasLongHistory, goOn, isSuperseded, waitUntil } from './renewal.ts';
import { OKRA_PHASE, OKRA_VERSION } from './messages.ts';
import { isUrgent } from '../domain/model/shift-purpose.ts';
import * as attempt from '../domain/rollout/record/attempt.ts';
import { carryOut, type Situation, type Hands, type Telling } from './carry-out.ts';

const hands: Hands = { objects, measurements, elbv2Reads, traffic, configs, newId: uuid4 };

/** Performs one decision by activities; what refuses is tried again later, and can be seen until then. */
async function perform(decision: Performable, situation: Situation): Promise<Performed> {
  const { observed, run } = situation;
  try {
    const answer = await interruptible(() => carryOut(decision, situation, hands), {
      happened: () => attempt.isInterrupted(decision, run()),
      at: attempt.givenUpAt(decision, run()),
    });
    return attempt.recordAttempt(
      decision,
      answer.is === 'Answered' ? { is: 'CarriedOut', done: answer.value } : answer,
      observed,
    );
  } catch (error) {
    const is = isLost(error) ? 'Lost' : 'Refused';
    return attempt.recordAttempt(decision, { is, refusal: failureOf(error) }, observed);
  }
}

/** Which Cell to roll out, and what an earlier run has handed over. */
export interface CellRolloutInput {
  readonly key: ObjectKey;
  readonly state?: RolloutState;
  /** What it has seen last of a rollout that is under way, so that an abort does not wait until the Cell can be looked at. */
  readonly observed?: ObservedCell;
  readonly applications?: ApplicationsState;
  readonly pace?: LookPace;
  /** Whether it was cancelled while there was nothing to abort, and something else has kept it from its end. */
  readonly isCancelled?: true;
}

/** How a run closed. */
export interface CellRolloutResult {
  readonly outcome: Outcome;
  readonly message: string;
}

/** Rolls out a Cell: look, decide, report, perform, until there is nothing left to do. A cancellation by Temporal is an abort. */
export async function cellRollout(input: CellRolloutInput): Promise<CellRolloutResult> {
  const { cancelRequested: requested } = CancellationScope.current();
  const cancellation = { requested, isDue: input.isCancelled === true };
  return CancellationScope.nonCancellable(() =>
    input.applications === undefined
      ? rollOut(input, cancellation)
      : rollApplications(input.key, input.applications, { cancellation, pace: input.pace }),
  );
}

const rollApplications = (
  key: ObjectKey,
  state: ApplicationsState,
  begun: { readonly cancellation: Cancellation; readonly pace?: LookPace | undefined },
) =>
  rollOutApplications(key, state, {
    ...begun,
    renew: (applications, isCancelled, pace) =>
      goOn<typeof cellRollout>({ key, applications, ...given({ pace }), ...cancelled(isCancelled) }),
  });

const cancelled = (isCancelled: boolean): Pick<CellRolloutInput, 'isCancelled'> =>
  isCancelled ? { isCancelled } : {};

async function rollOut(input: CellRolloutInput, cancellation: Cancellation) {
  const { key } = input;
  const live = listen(key, newRun(input.state ?? initialState, input.observed), cancellation);
  let outrun = 0;
  for (;;) {
    const heard = live.heard();
    live.takeUp();
    const turn = takeTurn(live.run(), Date.now(), { isOutrun: outrun >= MOST_OUTRUN });
    if (turn.is === 'Look') {
      await look(key, live);
      outrun = isStale(live.run()) ? outrun + 1 : 0;
      if (live.run().observed?.hasApplications === true)
        return rollApplications(key, applicationsFrom(live.run().state.requests), {
          cancellation: { ...cancellation, isDue: live.isCancelled() },
        });
      // While message follows message, nothing is decided, and the looks alone would make the history too long.
      const isOutOfDate = isStale(live.run()) && !abortTakesBack(live.run());
      if (isOutOfDate && mayRenew()) await renew(key, live);
      continue;
    }
    outrun = 0;
    live.change(() => turn.run);
    if (turn.is === 'Perform') await act(turn, live);
    else {
      const result = await rest(turn, live, heard);
      if (result === 'Again') continue;
      if (result !== undefined) return result;
    }
    // Another version takes over where nothing is to be done, and never between a decision and what it comes to.
    const rests = turn.is === 'Rest' && live.heard() === heard;
    const isReplaced = rests && isSuperseded();
    // An approval that is being looked at is answered by this run.
    if (mayRenew() || (isReplaced && allHandlersFinished())) await renew(key, live);
    if (isReplaced) await condition(() => allHandlersFinished() || live.heard() !== heard);
  }
}

/** After so many looks in a row that were out of date before they ended, what may take traffic back does not wait for another. */
const MOST_OUTRUN = 3;

const mayRenew = (): boolean => hasLongHistory() && allHandlersFinished();

async function renew(key: ObjectKey, live: LiveRun): Promise<void> {
  setCurrentDetails(`Continuing in a new run of ${workflowInfo().workflowId}.`);
  await goOn<typeof cellRollout>({ key, ...handOver(live.run()), ...cancelled(live.isCancelled()) });
}

/** Looks at the objects; an abort does not wait for that, as it goes by what was seen before. */
async function look(key: ObjectKey, live: LiveRun): Promise<void> {
  const upTo = live.run().changes;
  const happened = (): boolean => abortTakesBack(live.run());
  try {
    const answer = await interruptible(() => objects('Look at the Cell').observeCell(key), { happened });
    if (answer.is === 'Answered')
      live.change((run) => recordLook(run, answer.value, { upTo, now: Date.now() }));
  } catch (error) {
    const failure = failureOf(error);
    live.change((run) => recordFailedLook(run, failure, Date.now()));
  }
}

async function act(turn: Extract<Turn, { is: 'Perform' }>, live: LiveRun): Promise<void> {
  const { decision, observed, run } = turn;
  const situation = { observed, run: live.run };
  const takeUp = (done: Awaited<ReturnType<typeof perform>>): void =>
    live.change((known) => applyPerformed(known, done, { upTo: run.changes, now: Date.now() }));
  // Who writes weights tells so itself, before traffic moves.
  if (decision.do === 'Shift' && !isUrgent(decision))
    return takeUp(await perform(decision, { ...situation, telling: show(live, decision) }));
  if (decision.do !== 'Shift') {
    await report(live, decision, () => abortTakesBack(live.run()));
    return takeUp(await perform(decision, situation));
  }
  // What takes traffic back waits for nothing, not even for being told.
  let isBack = false;
  const takingBack = perform(decision, situation).finally(() => (isBack = true));
  await report(live, decision, () => isBack);
  takeUp(await takingBack);
  // What was seen while the status was written may be older than that.
  if (live.run().state.reported !== run.state.reported) live.change(withReportedStatus);
}

/** Reports how the Cell stands, and waits or closes. `Again`: something has come up meanwhile. */
async function rest(
  { decision, run: { state } }: Extract<Turn, { is: 'Rest' }>,
  live: LiveRun,
  heard: number,
): Promise<CellRolloutResult | 'Again' | undefined> {
  const hasHeard = (): boolean => live.heard() !== heard;
  await report(live, decision, () => abortTakesBack(live.run()));
  if (decision.do === 'Close') {
    const { outcome, message } = decision;
    return hasHeard() || !isReported(live.run()) ? 'Again' : { outcome, message };
  }
  // What was refused just now is tried again after a while, which nothing else may end.
  if (live.run().state.unreported !== state.unreported) return 'Again';
  if (live.isCancelled() && isIdle(live.run())) return { outcome: 'Waiting', message: CANCELLED.message };
  if (isSuperseded()) return undefined;
  const { until, message } = decision;
  const milliseconds = until === undefined ? undefined : Math.max(1, until - Date.now());
  await waitUntil(() => hasHeard() || live.hasUnknown(), milliseconds, inShort(message));
  return undefined;
}

/** Shows where the rollout stands in the Web UI and in the search attributes; answers with what is to be written to the Cell's status, if anything. */
function show(live: LiveRun, decision: Decision): Telling | undefined {
  const sent = live.run();
  const due = dueReport(sent, decision, { workflow: workflowInfo(), now: Date.now() });
  if (due === undefined) return undefined;
  const { status, events, cell, isNewPhase } = due;
  setCurrentDetails(rolloutDetailsOf({ ...sent.state, reported: status }));
  if (due.is === 'Later') return undefined;
  const answered: Telling['answered'] = (answer) => {
    if (answer.is === 'Told') live.change((now) => recordReport(now, sent, status));
    else live.change((now) => withState(now, (state) => recordReportFailure(state, answer, Date.now())));
  };
  if (due.is === 'Same') {
    answered({ is: 'Told' });
    return undefined;
  }
  if (isNewPhase) {
    upsertSearchAttributes([
      { key: OKRA_PHASE, value: status.phase ?? null },
      { key: OKRA_VERSION, value: status.desiredVersion ?? null },
    ]);
  }
  return { report: { ...cell, status, events }, answered };
}

/** Shows where the rollout stands: in the Cell's status when it has changed, in the Web UI, and in the search attributes. */
async function report(live: LiveRun, decision: Decision, happened: () => boolean): Promise<void> {
  const telling = show(live, decision);
  if (telling === undefined) return;
  const send = () => objects(`Report: ${telling.report.status.phase ?? ''}`).reportCell(telling.report);
  try {
    const answer = await interruptible(send, { happened });
    if (answer.is === 'Answered') telling.answered({ is: 'Told' });
  } catch (error) {
    telling.answered({ is: 'Refused', ...failureOf(error) });
  }
}
