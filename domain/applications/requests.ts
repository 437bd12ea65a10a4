import type { CellStatus } from '../../crds/cell.ts';
import { stampOf } from '../model/requests.ts';
import type { RequestName, TakenRequest } from '../model/request.ts';
import { cut } from '../text.ts';
import type { ObservedApplication, ObservedApplications } from './observation.ts';
import { ABORTED, GOOD_FIRST, type Mark } from './situation.ts';
import type { ApplicationsState, Forwarded } from './state.ts';

const IN_WORK: ReadonlySet<Mark['phase']> = new Set(['Prechecking', 'Syncing', 'Migrating', 'Completing']);

/** Whether a revision is being brought about that can be aborted. */
const isInWork = (mark: Mark): boolean =>
  IN_WORK.has(mark.phase) || (mark.failed !== undefined && mark.failed.reverted !== true);

/** Whether there is something that an abort would take back. */
export const isAnyInWork = ({ reported }: ApplicationsState): boolean =>
  (reported?.applications ?? []).some(isInWork);

const URGENT: ReadonlySet<RequestName> = new Set(['abort', 'pause']);

/** Whether something was asked that takes traffic back or holds it, which waits for nothing that may not answer. */
export const isUrgentlyAsked = ({ asked }: ApplicationsState): boolean =>
  asked.some(({ action }) => URGENT.has(action));

/** Says why who asks has to be told that a request does nothing now; undefined when it does something. */
export const applicationsRefusal = (state: ApplicationsState, name: RequestName): string | undefined =>
  senseless(state, name) ?? tooEarly(state, name);

/** Says why no traffic moves yet that a promotion would apply to: that of a good revision whose Cell was made again comes first. */
function tooEarly({ reported }: ApplicationsState, name: RequestName): string | undefined {
  if (name !== 'promote' && name !== 'promoteFull') return undefined;
  const moving = (reported?.applications ?? []).filter(({ phase }) => phase === 'Migrating');
  const isAwaited = moving.length > 0 && moving.every(({ reason }) => reason === GOOD_FIRST);
  if (!isAwaited) return undefined;
  const names = moving.map((one) => one.name).join(', ');
  return `Expected an application whose traffic is moving, got ${names}, whose last good revision gets the traffic first. Send it again once the traffic moves.`;
}

/** Says why a request makes no sense now; undefined when it does. */
function senseless({ reported }: ApplicationsState, name: RequestName): string | undefined {
  // Before the first look nobody knows what makes sense; what then makes none changes nothing.
  if (reported === undefined) return undefined;
  const marks = reported.applications ?? [];
  switch (name) {
    case 'pause':
      return undefined;
    case 'resume':
      return reported.paused === undefined
        ? 'Expected a paused Cell, got one that is not paused.'
        : undefined;
    case 'promote':
    case 'promoteFull':
      return marks.some(({ phase }) => phase === 'Migrating')
        ? undefined
        : 'Expected an application whose traffic is moving, got none.';
    case 'abort':
      return marks.some(isInWork) ? undefined : 'Expected an application under way, got none.';
    case 'retry':
      return marks.some(({ failed }) => failed !== undefined) || reported.phase === 'Failed'
        ? undefined
        : 'Expected an application that has failed, got none.';
  }
}

/** Says what happens now that a request was taken. */
export function applicationsAnswer(name: RequestName, { reported }: ApplicationsState): string {
  if (reported === undefined) return 'It is done as soon as the Cell was looked at, where it makes sense.';
  const names = (reported.applications ?? []).filter(isInWork).map((one) => one.name);
  const those = names.length === 0 ? 'every application' : names.join(', ');
  switch (name) {
    case 'pause':
      return 'Nothing goes forward until someone sends resume; what goes back does.';
    case 'resume':
      return 'The applications go on.';
    case 'promote':
      return `The current step of ${those} is finished.`;
    case 'promoteFull':
      return `${those} gets all traffic, without the remaining steps.`;
    case 'abort':
      return `${those} goes back to the revision before.`;
    case 'retry':
      return 'What has failed is tried again.';
  }
}

// As long as the schema takes (crds/cell-status.ts).
const LONGEST = { by: 253, reason: 1024, requests: 20 };

/** Takes a request into account; one that makes no sense now changes nothing. */
export function askApplications(
  state: ApplicationsState,
  request: TakenRequest<RequestName>,
): ApplicationsState {
  if (senseless(state, request.action) !== undefined) return state;
  const by = cut(request.by, LONGEST.by);
  const reason = cut(request.reason, LONGEST.reason);
  return { ...state, asked: [...state.asked, { ...request, by, reason }].slice(-LONGEST.requests) };
}

/** What requests change: marks, the pause, what is handed on, and what the status says of them. */
export interface Heard {
  readonly marks: readonly Mark[];
  readonly paused: CellStatus['paused'];
  readonly forwards: readonly Forwarded[];
  readonly held: NonNullable<ApplicationsState['held']>;
  readonly log: NonNullable<CellStatus['requests']>;
  readonly isRetried: boolean;
}

/** Takes up what operators have asked for. */
export function hear(observed: ObservedApplications, state: ApplicationsState): Heard {
  const status = observed.cell?.status ?? {};
  const before: Heard = {
    marks: status.applications ?? [],
    paused: status.paused,
    forwards: state.forwards,
    held: state.held ?? {},
    log: status.requests ?? [],
    isRetried: false,
  };
  const heard = state.asked.reduce((all, request) => hearOne(all, request, observed), before);
  return held(heard, observed);
}

/** Hands a pause on to the Cells whose rollout is under way, also to one that begins later; each hears of it once. */
function held(heard: Heard, { applications }: ObservedApplications): Heard {
  const { paused, forwards } = heard;
  if (paused === undefined) return { ...heard, held: {} };
  const { by, reason } = paused;
  const due = applications.flatMap(({ name, child }) => {
    const { rollout } = child?.isOwn === true ? child.status : {};
    if (rollout === undefined || rollout.ending !== undefined || rollout.paused !== undefined) return [];
    return heard.held[name] === rollout.id ? [] : [{ name, id: rollout.id }];
  });
  return {
    ...heard,
    forwards: [
      ...forwards,
      ...due.map(({ name }) => ({ application: name, request: 'pause' as const, by, reason })),
    ],
    held: { ...heard.held, ...Object.fromEntries(due.map(({ name, id }) => [name, id])) },
  };
}

function hearOne(
  heard: Heard,
  request: TakenRequest<RequestName>,
  { applications }: ObservedApplications,
): Heard {
  const { action, ...stamp } = request;
  const log = [...heard.log, { action, ...stampOf(stamp) }].slice(-LONGEST.requests);
  const all = { ...heard, log };
  switch (action) {
    case 'pause':
      return { ...all, paused: heard.paused ?? stampOf(stamp), held: {} };
    case 'resume':
    case 'promoteFull':
      return { ...all, paused: undefined, ...handedOn(all, request, applications) };
    case 'promote':
      return { ...all, ...handedOn(all, request, applications) };
    case 'abort':
      return {
        ...all,
        paused: undefined,
        marks: heard.marks.map((mark) => aborted(mark, request, applications)),
        ...handedOn(all, request, applications),
      };
    case 'retry':
      return {
        ...all,
        marks: heard.marks.map(retried),
        isRetried: true,
        ...handedOn(all, request, applications),
      };
  }
}

/** Hands a request on to the Cells whose rollout is under way. */
const handedOn = (
  { forwards }: Heard,
  { action, by, reason }: TakenRequest<RequestName>,
  applications: readonly ObservedApplication[],
): Pick<Heard, 'forwards'> => ({
  forwards: [
    ...forwards,
    ...applications
      .filter(({ child }) => child?.isOwn === true && child.status.rollout !== undefined)
      .map(({ name }) => ({ application: name, request: action, by, reason })),
  ],
});

function aborted(
  mark: Mark,
  { by, reason, at }: TakenRequest<RequestName>,
  applications: readonly ObservedApplication[],
): Mark {
  if (!isInWork(mark)) return mark;
  const seen = applications.find(({ name }) => name === mark.name);
  const target = seen?.revisions.find(({ number }) => number === mark.revision);
  const { failed } = mark;
  if (failed === undefined && (target === undefined || target.isGood)) return mark;
  const message = `Aborted by ${by}${reason === '' ? '.' : `: ${reason}`}`.slice(0, 1024);
  return {
    ...mark,
    failed: {
      revision: failed?.revision ?? target?.number ?? 0,
      hash: failed?.hash ?? target?.hash ?? '',
      phase: 'Reverting',
      reason: ABORTED,
      message,
      time: new Date(at).toISOString(),
    },
  };
}

const retried = (mark: Mark): Mark =>
  mark.failed === undefined ? mark : { ...mark, failed: { ...mark.failed, retried: true } };
