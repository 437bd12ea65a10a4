import { setCurrentDetails, setHandler, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { Paced } from '../activities/contract.ts';
import { isAtHand, type ApplicationsDecision } from '../domain/applications/situation.ts';
import type { ObservedApplications } from '../domain/applications/observation.ts';
import {
  applicationsAnswer,
  applicationsRefusal,
  askApplications,
  isAnyInWork,
  isUrgentlyAsked,
} from '../domain/applications/requests.ts';
import { performed, troubled, type ApplicationsState } from '../domain/applications/state.ts';
import { takeApplicationsTurn, type ApplicationsTurn } from '../domain/applications/turn.ts';
import { applicationsDetails, applicationsPlan } from '../domain/applications/status.ts';
import type { Outcome } from '../domain/model/decision.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import { requestKinds } from '../domain/model/request-kinds.ts';
import { requestNames, type RequestName, type TakenRequest } from '../domain/model/request.ts';
import { CANCELLED } from '../domain/model/requests.ts';
import { sameStatus } from '../domain/rollout/report/events.ts';
import { applicationActs, applicationLooks, objects, urgentApplications, inShort } from './activities.ts';
import type { Cancellation } from './live-run.ts';
import { failureOf, type Failure } from './failure.ts';
import { interruptible } from './interruptible.ts';
import { hasFullHistory, isDue, waitUntil } from './renewal.ts';
import {
  analysisFinished,
  changed,
  drifted,
  experimentFinished,
  OKRA_PHASE,
  planQuery,
  stateQuery,
} from './messages.ts';
import { refuseApprovals } from './handle-approvals.ts';
import { listenTo, stampOf } from './listen-to-request.ts';
import { addLook, backoffMs, pauseBeforeLook, type Looks } from '../domain/model/pace.ts';
import { viewOf } from '../domain/model/view.ts';

/** How fast a run looks where nothing comes of it; it is handed to the next run, so that continuing does not begin anew. */
export interface LookPace {
  readonly looks: Looks;
  /** Until when only what someone asks for leads to another look, in milliseconds since the epoch. */
  readonly heldUntil: number;
  readonly failures: number;
}

// A change may have put right what has failed, and is not left waiting longer than this.
const LONGEST_HOLD_MS = 10_000;

/** How a run begins and ends. */
interface ApplicationsRun {
  readonly cancellation: Cancellation;
  readonly pace?: LookPace | undefined;
  readonly renew: (state: ApplicationsState, isCancelled: boolean, pace?: LookPace) => Promise<never>;
}

interface Ended {
  readonly outcome: Outcome;
  readonly message: string;
}

const FIRST_INTERVAL_SECONDS = 60;

// What is waited for in these phases may be told by nobody.
const IN_WORK: ReadonlySet<string> = new Set(['Progressing', 'Reverting', 'RevertBlocked']);
const INTERVAL_SECONDS_IN_WORK = 10;

/** Rolls out the applications of a Cell, for as long as it exists: look, decide, report, perform. */
export async function rollOutApplications(
  key: ObjectKey,
  handedOver: ApplicationsState,
  { cancellation, renew, pace: begun = { looks: [], heldUntil: 0, failures: 0 } }: ApplicationsRun,
): Promise<Ended> {
  const live = listenForApplications(handedOver, cancellation);
  let intervalSeconds = FIRST_INTERVAL_SECONDS;
  let timesReleased = 0;
  let goesOn = false;
  let pace = begun;
  // What someone asks for waits for nothing that holds looks back; what was asked before a run began no look has answered yet.
  let askedBefore = 0;
  const isHeld = (): boolean => pace.heldUntil > Date.now() && live.asked() === askedBefore;
  const rest = async (): Promise<void> => {
    const isOver = (): boolean => live.asked() !== askedBefore || isDue();
    await waitUntil(isOver, pace.heldUntil - Date.now(), 'What it depends on changes all the time');
  };
  const until = async (heard: number, milliseconds: number, summary: string): Promise<void> =>
    void (await waitUntil(
      () => live.heard() !== heard || isDue(),
      Math.max(1, milliseconds),
      inShort(summary),
    ));
  const idle = async (heard: number, at: number, message: string): Promise<void> => {
    await until(heard, at - Date.now(), message);
    const now = Date.now();
    const looks = addLook(pace.looks, now);
    pace = { ...pace, looks, heldUntil: now + pauseBeforeLook(looks, now) };
    if (isHeld()) await rest();
  };
  const backOff = async (heard: number, { message }: Failure): Promise<void> => {
    setCurrentDetails(`**Trying again** ${message}`);
    const now = Date.now();
    const failures = pace.failures + 1;
    const wait = backoffMs(failures);
    pace = { looks: addLook(pace.looks, now), heldUntil: now + Math.min(wait, LONGEST_HOLD_MS), failures };
    const at = now + wait;
    if (isHeld()) await rest();
    if (at > Date.now()) await until(heard, at - Date.now(), `Trying again: ${message}`);
  };
  const goOn = async (): Promise<never> => {
    setCurrentDetails(`Continuing in a new run of ${workflowInfo().workflowId}.`);
    const handed = isHeld() ? pace : { ...pace, heldUntil: 0 };
    return renew(live.state(), live.isCancelled(), pace.looks.length === 0 ? undefined : handed);
  };

  const turn = async (heard: number): Promise<Ended | undefined> => {
    // What takes traffic back or holds it is done without EKS and the clusters, which may not answer; then all is looked at.
    const isUrgent: boolean = goesOn || isHurried(live);
    goesOn = false;
    const found = await look(key, live, isUrgent);
    if (found === undefined) {
      goesOn = isHurried(live);
      return undefined;
    }
    ({ intervalSeconds = intervalSeconds } = found);
    const decision = await step(found, live);
    pace = { ...pace, failures: 0 };
    goesOn = isUrgent && decision.do === 'Act';
    // What the Cell has made may have finalizers that do not go; a word comes when it goes.
    timesReleased = decision.do === 'Release' ? timesReleased + 1 : 0;
    if (decision.do === 'Close') return { outcome: 'Deleted', message: decision.message };
    if (decision.do === 'Wait' && live.isCancelled() && !isUrgent)
      return { outcome: 'Waiting', message: CANCELLED.message };
    const at = isUrgent ? undefined : nextLook(decision, { intervalSeconds, timesReleased });
    if (at !== undefined) await idle(heard, at, decision.message);
    return undefined;
  };

  if (isHeld()) await rest();
  if (isHeld()) await goOn();
  for (;;) {
    const heard = live.heard();
    askedBefore = live.asked();
    try {
      const ended = await turn(heard);
      if (ended !== undefined) return ended;
    } catch (error) {
      await backOff(heard, failureOf(error));
    }
    // What is urgent is done first, because the next run begins with a full look.
    if (isDue() && !goesOn) await goOn();
  }
}

const isHurried = (live: LiveApplications): boolean => isUrgentlyAsked(live.state());

/** Whether so much was told while something did not answer that Temporal would soon take no more, not even an abort. */
const mustGoOn = (live: LiveApplications): boolean => hasFullHistory(live.heard());

/** Looks at the Cell; undefined when it does not answer, and something does not wait for that. */
async function look(
  key: ObjectKey,
  live: LiveApplications,
  isUrgent: boolean,
): Promise<(ObservedApplications & Paced) | undefined> {
  if (isUrgent)
    return urgentApplications('Look without clusters').observeApplications(key, { withoutClusters: true });
  const answer = await interruptible(
    () => applicationLooks('Look at the applications').observeApplications(key),
    { happened: () => isHurried(live) || mustGoOn(live) },
  );
  return answer.is === 'Answered' ? answer.value : undefined;
}

function nextLook(
  decision: ApplicationsDecision,
  { intervalSeconds, timesReleased }: { readonly intervalSeconds: number; readonly timesReleased: number },
): number | undefined {
  if (decision.do === 'Release') return Date.now() + backoffMs(timesReleased);
  if (decision.do !== 'Wait') return undefined;
  const pace = IN_WORK.has(decision.phase) ? INTERVAL_SECONDS_IN_WORK : intervalSeconds;
  const next = Date.now() + Math.min(pace, intervalSeconds) * 1000;
  return Math.min(decision.until ?? next, next);
}

async function step(observed: ObservedApplications, live: LiveApplications): Promise<ApplicationsDecision> {
  const asked = live.state();
  const turn = takeApplicationsTurn(observed, asked, Date.now());
  const refused = await report(observed, turn, live);
  // What takes traffic back does not wait until someone can be told.
  const isUrgent = turn.decision.do === 'Act' && turn.decision.isBack === true;
  if (refused !== undefined && !isUrgent) throw refused.error;
  if (refused === undefined) {
    const answered = new Set(asked.asked);
    live.change(({ asked: all }) => ({
      ...turn.state,
      asked: all.filter((one) => !answered.has(one)),
      ...(turn.report === undefined ? {} : { reported: turn.report.status }),
    }));
  }
  await perform(observed, turn.decision, live);
  return turn.decision;
}

async function report(
  { key, cell }: ObservedApplications,
  { report: due, decision }: ApplicationsTurn,
  live: LiveApplications,
): Promise<{ readonly error: unknown; readonly failure: Failure } | undefined> {
  if (cell === undefined || due === undefined) return undefined;
  const { status } = due;
  setCurrentDetails(applicationsDetails(status));
  if (sameStatus(status, cell.status)) return undefined;
  if (status.phase !== live.state().reported?.phase)
    upsertSearchAttributes([{ key: OKRA_PHASE, value: status.phase ?? null }]);
  const run = `${workflowInfo().runId.slice(0, 8)}-${workflowInfo().historyLength}`;
  const events = due.events.map((event, index) => ({ ...event, id: `${run}-${index}` }));
  try {
    await objects(`Report: ${decision.message}`).reportCell({ key, uid: cell.uid, status, events });
    return undefined;
  } catch (error) {
    return { error, failure: failureOf(error) };
  }
}

async function perform(
  { key, cell, isWithoutClusters }: ObservedApplications,
  decision: ApplicationsDecision,
  live: LiveApplications,
): Promise<void> {
  const uid = cell?.uid ?? '';
  if (decision.do === 'Release') {
    const { message } = await objects(decision.message).releaseApplications({ key, uid });
    setCurrentDetails(`**Deleting** ${message}`);
    return;
  }
  if (decision.do !== 'Act') return;
  const { application, action, message } = decision;
  // What takes traffic back or holds it waits for no slot of what may not answer, and for nothing that goes forward.
  const isUrgent = isAtHand(action) && (decision.isBack === true || action.do !== 'ApplyChild');
  const means =
    isWithoutClusters === true || isUrgent ? urgentApplications(message) : applicationActs(message);
  try {
    const answer = await interruptible(() => means.performApplication({ key, uid, application, action }), {
      happened: () => !isUrgent && (isHurried(live) || mustGoOn(live)),
    });
    // Whether it was done the next look shows.
    if (answer.is === 'Interrupted') return;
    live.change((state) => performed(state, application, action, Date.now()));
  } catch (error) {
    const failure = { ...failureOf(error), action };
    live.change((state) => troubled(state, application, failure, Date.now()));
  }
}

/** What a run for a Cell with applications knows by now; words from outside change it while the workflow waits. */
type LiveApplications = ReturnType<typeof listenForApplications>;

/** Listens to all that a run is told, and answers what it is asked. */
function listenForApplications(begun: ApplicationsState, cancellation: Cancellation) {
  let known = begun;
  let heard = 0;
  let asked = 0;
  let isCancelled = false;
  const wake = (): void => void (heard += 1);
  const wakeAtOnce = (): void => {
    asked += 1;
    wake();
  };
  const described = { description: 'Looks at the Cell and all that it depends on again.' };
  for (const told of [changed, drifted, analysisFinished, experimentFinished])
    setHandler(told, wake, described);
  const take = (request: TakenRequest<RequestName>): void => {
    known = askApplications(known, request);
    wakeAtOnce();
  };
  for (const name of requestNames) {
    listenTo(name, {
      description: requestKinds[name].description,
      refusal: () => applicationsRefusal(known, name),
      answer: () => applicationsAnswer(name, known),
      take: (sent) => take({ action: name, ...stampOf(sent) }),
    });
  }
  refuseApprovals(
    'Cell has applications: their traffic moves without approval steps. Approve a Cell with a rollout of its own.',
  );
  setHandler(stateQuery, () => viewOf(known), { description: 'Where the applications stand.' });
  setHandler(planQuery, () => applicationsPlan(known), { description: 'In which order they go.' });
  const cancel = (): void => {
    if (isAnyInWork(known)) take({ action: 'abort', ...CANCELLED, at: Date.now() });
    else isCancelled = true;
    wakeAtOnce();
  };
  cancellation.requested.catch(cancel);
  if (cancellation.isDue) cancel();
  return {
    state: (): ApplicationsState => known,
    change: (next: (state: ApplicationsState) => ApplicationsState): void => void (known = next(known)),
    heard: (): number => heard,
    /** How many of them were asked by someone. */
    asked: (): number => asked,
    /** Whether the workflow was cancelled in Temporal while there was nothing to abort. */
    isCancelled: (): boolean => isCancelled,
  };
}
