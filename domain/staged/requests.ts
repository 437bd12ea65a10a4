import type { Stamp } from '../model/request.ts';
import { cut } from '../text.ts';
import type { StagedRequestName, StagedState } from './state.ts';

/** What a request is about; what is left out may be anything. */
export interface StagedAim {
  /** The stage that an abort is to go back to. */
  readonly to?: string;
  /** The stage that whoever asks has looked at. */
  readonly stage?: string;
}

/** A request with who has made it. */
export interface StagedRequest extends Stamp, StagedAim {}

/** Says why a request makes no sense now; undefined when it does. */
export function stagedRefusal(
  state: StagedState,
  name: StagedRequestName,
  aim: StagedAim = {},
): string | undefined {
  switch (name) {
    case 'abort':
      return abortRefusal(state, aim);
    case 'resume':
      return state.requests.paused === undefined
        ? 'Expected a paused StagedBindingPolicy, got one that is not paused.'
        : undefined;
    case 'promote':
      if (state.rollingBack !== undefined)
        return `Expected a stage that is not being taken back, got: ${state.rollingBack.message} Send retry when it is gone.`;
      if (aim.stage !== undefined && aim.stage !== state.active?.name) {
        const there = state.active === undefined ? 'none that has begun' : `stage ${state.active.name}`;
        return `Expected stage ${aim.stage}, as it was looked at, got ${there}. Look again before you ask for promote.`;
      }
      return state.active?.completedAt === undefined
        ? undefined
        : 'Expected a stage after this one, got the last one, which is completed.';
    case 'retry':
      return state.held === undefined
        ? 'Expected something that was aborted or has timed out, got neither. Use promote to finish a stage.'
        : undefined;
    case 'pause':
      return undefined;
  }
}

/** An abort that comes twice takes back what it was about, and nothing more. Nothing else refuses one: it is never lost for what its sender did not know. */
function abortRefusal(
  { active, held, rollingBack }: StagedState,
  { to, stage }: StagedAim,
): string | undefined {
  if (rollingBack !== undefined)
    return `Expected a stage that is not being taken back yet, got: ${rollingBack.message}`;
  if (active === undefined) return 'Expected a stage to take back, got none that has begun.';
  if (held?.reason !== 'Aborted') return undefined;
  const isThere = to === active.name;
  const isGone = stage === held.stage && stage !== active.name;
  return isThere || isGone
    ? `Expected a stage to take back, got stage ${active.name}, to which an abort has gone back already: ${held.message} Send abort without "stage" and "to" to take ${active.name} back as well.`
    : undefined;
}

// As long as the schema takes (crds/staged-status.ts).
const LONGEST = { by: 253, reason: 1024, requests: 20 };

/** Takes a request into account; one that makes no sense now changes nothing. */
export function askStaged(state: StagedState, name: StagedRequestName, request: StagedRequest): StagedState {
  if (stagedRefusal(state, name, request) !== undefined) return state;
  const stamp = {
    by: cut(request.by, LONGEST.by),
    reason: cut(request.reason, LONGEST.reason),
    at: request.at,
  };
  const to = request.to === undefined ? {} : { to: request.to };
  return {
    ...state,
    ...(name === 'resume' ? soaksAgain(state) : {}),
    requests: taken(state.requests, name, { ...stamp, ...to }),
    asked: [...state.asked, { action: name, ...stamp }].slice(-LONGEST.requests),
  };
}

/** Nobody has looked while it was paused. */
function soaksAgain({ active }: StagedState): Partial<StagedState> {
  if (active === undefined) return {};
  const { fulfilledSince: _unseen, clusters: _late, ...others } = active;
  return { active: others };
}

function taken(
  requests: StagedState['requests'],
  name: StagedRequestName,
  request: StagedRequest,
): StagedState['requests'] {
  const { paused, ...others } = requests;
  switch (name) {
    case 'pause':
      return { ...others, paused: paused ?? request };
    case 'resume':
      return others;
    case 'promote':
    case 'retry':
    case 'abort':
      return { ...requests, [name]: request };
  }
}

/** Says what happens now that a request was taken. */
export function stagedAnswer(name: StagedRequestName, { active }: StagedState): string {
  const stage = active === undefined ? 'the first stage' : `stage ${active.name}`;
  switch (name) {
    case 'pause':
      return `It is paused at ${stage}; no stage begins. Send resume to go on.`;
    case 'resume':
      return `It goes on with ${stage}.`;
    case 'promote':
      return `${stage} is finished, whether or not it is fulfilled${active?.clusters === undefined ? '' : ', and reaches the clusters that are left at once'}.`;
    case 'abort':
      return `${stage} is taken back: its BindingPolicy is deleted.`;
    case 'retry':
      return `It goes on with ${stage}, from the beginning.`;
  }
}
