import type { CellStatus } from '../../crds/cell.ts';
import { canonical } from '../kubernetes/canonical.ts';
import { omit } from '../model/fields.ts';
import { backoffMs } from '../model/pace.ts';
import type { RequestName, Requests, TakenRequest } from '../model/request.ts';
import type { ApplicationAction, Mark } from './situation.ts';

/** A request that the Cell of an application is to hear of. */
export interface Forwarded {
  readonly application: string;
  readonly request: RequestName;
  readonly by: string;
  readonly reason: string;
}

/** What keeps an action of an application from being done; it is tried again. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
  readonly failures: number;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** When each action that has failed is tried again, in milliseconds since the epoch. */
  readonly actions: Readonly<Record<string, number>>;
}

/** When an action that takes traffic back or holds it may be tried: it waits for nothing that has failed but itself. */
export function triedAgainAt(trouble: Trouble | undefined, action: ApplicationAction): number {
  if (trouble === undefined) return 0;
  return Math.min(trouble.until, trouble.actions[canonical(action)] ?? 0);
}

/** When what has failed is tried again, in milliseconds since the epoch. */
export const retriesOf = ({ until, actions }: Trouble, now: number): readonly number[] => [
  until,
  ...Object.values(actions).filter((at) => at > now),
];

/** All that the workflow of a Cell of applications remembers besides what stands in the Cell's status. */
export interface ApplicationsState {
  /** What operators have asked and no turn has answered yet. */
  readonly asked: readonly TakenRequest<RequestName>[];
  readonly forwards: readonly Forwarded[];
  readonly troubles: Readonly<Record<string, Trouble>>;
  /** What was done last for an application, and how often in a row. */
  readonly repeated: Readonly<Record<string, { readonly action: string; readonly times: number }>>;
  readonly reported?: CellStatus;
}

/** What a rollout has heard before anyone knew that the Cell has applications. */
export const applicationsFrom = ({ abort, retry }: Requests): ApplicationsState => ({
  ...initialApplicationsState,
  asked: [
    ...(abort === undefined ? [] : [{ action: 'abort', ...abort } as const]),
    ...(retry === undefined ? [] : [{ action: 'retry', ...retry } as const]),
  ].toSorted((a, b) => a.at - b.at),
});

/** What a workflow remembers that has only begun. */
export const initialApplicationsState: ApplicationsState = {
  asked: [],
  forwards: [],
  troubles: {},
  repeated: {},
};

/** How an application stands, as the status says it. */
export const markOf = (status: CellStatus | undefined, application: string): Mark | undefined =>
  status?.applications?.find(({ name }) => name === application);

/** Remembers that an action of an application has failed, and when it is tried again. */
export function troubled(
  state: ApplicationsState,
  application: string,
  failure: Pick<Trouble, 'reason' | 'message'> & { readonly action: ApplicationAction },
  now: number,
): ApplicationsState {
  const before = state.troubles[application];
  const failures = (before?.failures ?? 0) + 1;
  const { reason, message, action } = failure;
  const until = now + backoffMs(failures);
  const waiting = Object.entries(before?.actions ?? {}).filter(([, at]) => at > now);
  const actions = { ...Object.fromEntries(waiting), [canonical(action)]: until };
  const trouble = { reason, message, failures, until, actions };
  return { ...state, troubles: { ...state.troubles, [application]: trouble } };
}

/** So often the same may be done in a row before it is taken for something that does not come about. */
const MOST_REPEATED = 3;

/** Remembers that an action of an application was done; a request that was handed on is not handed on again. */
export function performed(
  state: ApplicationsState,
  application: string,
  action: ApplicationAction,
  now: number,
): ApplicationsState {
  const troubles = omit(state.troubles, application);
  if (action.do === 'Forward') {
    const done = state.forwards.findIndex(
      (one) => one.application === application && one.request === action.request,
    );
    return { ...state, troubles, forwards: state.forwards.filter((_, index) => index !== done) };
  }
  const what = canonical(action);
  const before = state.repeated[application];
  const times = before?.action === what ? before.times + 1 : 1;
  const after = { ...state, repeated: { ...state.repeated, [application]: { action: what, times } } };
  if (times <= MOST_REPEATED) return { ...after, troubles };
  // What is done and not seen would be done again and again, as fast as it can be.
  const message = `${action.do} was applied ${times} times, but does not persist. Find out what reverts it.`;
  return troubled(after, application, { reason: 'NotSeen', message, action }, now);
}
