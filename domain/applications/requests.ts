import type { CellStatus } from '../../crds/cell.ts';
import { cutStamp, KEPT_REQUESTS, stampOf, withRequest } from '../model/requests.ts';
import type { RequestName, TakenRequest } from '../model/request.ts';
import { namesOf } from '../text.ts';
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

/** Whether something was asked that takes traffic back or holds it, which waits for nothing that may not answer. */
export const isUrgentlyAsked = ({ asked }: ApplicationsState): boolean =>
  asked.some(({ action }) => action === 'abort' || action === 'pause');

type Reported = NonNullable<ApplicationsState['reported']>;

interface RequestKind {
  readonly refusal?: (reported: Reported) => string | undefined;
  /** What it changes; without it, it is only handed on. */
  readonly hear?: (
    heard: Heard,
    request: TakenRequest<RequestName>,
    applications: readonly ObservedApplication[],
  ) => Partial<Heard>;
  /** Says what happens now that it was taken, to which applications. */
  readonly answer: (those: string) => string;
}

const kinds: Readonly<Record<RequestName, RequestKind>> = {
  pause: {
    hear: ({ paused }, stamp) => ({ paused: paused ?? stampOf(stamp) }),
    answer: () => 'Nothing goes forward until resume; reverts continue.',
  },
  resume: {
    refusal: ({ paused }) => (paused === undefined ? 'The Cell is not paused.' : undefined),
    hear: () => ({ paused: undefined }),
    answer: () => 'The applications continue.',
  },
  promote: {
    refusal: refusePromotion,
    answer: (those) => `The current step of ${those} is finished.`,
  },
  promoteFull: {
    refusal: refusePromotion,
    hear: () => ({ paused: undefined }),
    answer: (those) => `${those} gets all traffic, without the remaining steps.`,
  },
  abort: {
    refusal: ({ applications = [] }) =>
      applications.some(isInWork) ? undefined : 'No application is in progress.',
    hear: ({ marks }, request, applications) => ({
      paused: undefined,
      marks: marks.map((mark) => aborted(mark, request, applications)),
    }),
    answer: (those) => `${those} goes back to the revision before.`,
  },
  retry: {
    refusal: ({ applications = [], phase }) =>
      applications.some(({ failed }) => failed !== undefined) || phase === 'Failed'
        ? undefined
        : 'No application has failed.',
    hear: ({ marks }) => ({ marks: marks.map(retried), isRetried: true }),
    answer: () => 'Retrying what has failed.',
  },
};

/** Says why a promotion applies to nothing now: no traffic moves, or that of a good revision whose Cell was made again comes first. */
function refusePromotion({ applications = [] }: Reported): string | undefined {
  const moving = applications.filter(({ phase }) => phase === 'Migrating');
  if (moving.length === 0) return 'No application is moving its traffic.';
  if (moving.some(({ reason }) => reason !== GOOD_FIRST)) return undefined;
  return `The last good revision of ${namesOf(moving)} gets the traffic first. Send the request again once the traffic moves.`;
}

/** Says why a request makes no sense now; undefined when it does, or before the first look, when nobody knows. */
export const applicationsRefusal = (
  { reported }: ApplicationsState,
  name: RequestName,
): string | undefined => (reported === undefined ? undefined : kinds[name].refusal?.(reported));

/** Says what happens now that a request was taken. */
export function applicationsAnswer(name: RequestName, { reported }: ApplicationsState): string {
  if (reported === undefined) return 'Accepted; takes effect when the Cell is next observed.';
  const names = (reported.applications ?? []).filter(isInWork).map((one) => one.name);
  return kinds[name].answer(names.length === 0 ? 'every application' : names.join(', '));
}

/** Takes a request into account; one that makes no sense now changes nothing. */
export const askApplications = (
  state: ApplicationsState,
  request: TakenRequest<RequestName>,
): ApplicationsState =>
  applicationsRefusal(state, request.action) === undefined
    ? { ...state, asked: withRequest(state.asked, cutStamp(request)) }
    : state;

/** What requests change: marks, the pause, what is handed on, and what the status says of them. */
export interface Heard {
  readonly marks: readonly Mark[];
  readonly paused: CellStatus['paused'];
  readonly forwards: readonly Forwarded[];
  readonly log: NonNullable<CellStatus['requests']>;
  readonly isRetried: boolean;
}

/** Takes up what operators have asked for; all but a pause, which the status says, is handed on to the Cells whose rollout is under way. */
export function hear(
  { cell, applications }: ObservedApplications,
  { asked, forwards }: ApplicationsState,
): Heard {
  const { applications: marks = [], paused, requests: log = [] } = cell?.status ?? {};
  const moving = applications.filter(
    ({ child }) => child?.isOwn === true && child.status.rollout !== undefined,
  );
  return asked.reduce<Heard>(
    (heard, request) => {
      const { action, ...stamp } = request;
      const { by, reason } = stamp;
      const handed = action === 'pause' ? [] : moving;
      return {
        ...heard,
        log: [...heard.log, { action, ...stampOf(stamp) }].slice(-KEPT_REQUESTS),
        forwards: [
          ...heard.forwards,
          ...handed.map(({ name }) => ({ application: name, request: action, by, reason })),
        ],
        ...kinds[action].hear?.(heard, request, applications),
      };
    },
    { marks, paused, forwards, log, isRetried: false },
  );
}

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
  const { revision, hash } = failed ?? { revision: target?.number ?? 0, hash: target?.hash ?? '' };
  const time = new Date(at).toISOString();
  return { ...mark, failed: { revision, hash, phase: 'Reverting', reason: ABORTED, message, time } };
}

const retried = (mark: Mark): Mark =>
  mark.failed === undefined ? mark : { ...mark, failed: { ...mark.failed, retried: true } };
