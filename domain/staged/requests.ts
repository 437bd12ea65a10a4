import type { Stamp } from '../model/request.ts';
import { cutStamp, KEPT_REQUESTS, withRequest } from '../model/requests.ts';
import { given, omit } from '../model/fields.ts';
import { cut } from '../text.ts';
import {
  listPassedBefore,
  type RollingBack,
  type StagedAim,
  type StagedRequest,
  type StagedRequestName,
  type StagedState,
} from './state.ts';

interface RequestKind {
  readonly refusal?: (state: StagedState, aim: StagedAim) => string | undefined;
  readonly answer: (stage: string, state: StagedState) => string;
}

const kinds: Readonly<Record<StagedRequestName, RequestKind>> = {
  pause: { answer: (stage) => `Paused at ${stage}; no stage begins. Send resume to continue.` },
  resume: {
    refusal: ({ requests }) =>
      requests.paused === undefined ? 'The StagedBindingPolicy is not paused.' : undefined,
    answer: (stage) => `Resumed; continuing with ${stage}.`,
  },
  promote: {
    refusal: promoteRefusal,
    answer: (stage, { active }) =>
      `Finishing ${stage}, whether or not it is fulfilled${active?.clusters === undefined ? '' : ', and deploying to all of its remaining clusters at once'}.`,
  },
  abort: {
    refusal: abortRefusal,
    answer: (stage) => `Rolling back ${stage}: its BindingPolicy is deleted.`,
  },
  retry: {
    refusal: (state) =>
      takingBackRefusal(state) ??
      (state.held === undefined
        ? 'There is nothing to retry: no stage was aborted or timed out. Use promote to finish a stage.'
        : undefined),
    answer: (stage) => `Retrying ${stage} from the beginning.`,
  },
};

/** Says why a request makes no sense now; undefined when it does, or before the first look. */
export const refuseStagedRequest = (
  state: StagedState,
  name: StagedRequestName,
  aim: StagedAim = {},
): string | undefined => (state.isRestored ? kinds[name].refusal?.(state, aim) : undefined);

/** Says what happens now that a request was taken. */
export function answerStagedRequest(name: StagedRequestName, state: StagedState): string {
  const { active, isRestored } = state;
  if (!isRestored) return 'Accepted; takes effect at the next reconcile, if it applies then.';
  return kinds[name].answer(active === undefined ? 'the first stage' : `stage ${active.name}`, state);
}

/** What is being taken back begins again only by what is sent when that is done. */
function takingBackRefusal({ rollingBack, requests: { abort } }: StagedState): string | undefined {
  if (rollingBack === undefined && abort === undefined) return undefined;
  const { message = `an abort by ${abort?.by ?? ''}.` } = rollingBack ?? {};
  return `The stage is being rolled back: ${message} Send retry once that is done.`;
}

/** A promote is of the stage that its sender has looked at. */
function promoteRefusal(state: StagedState, { stage }: StagedAim): string | undefined {
  const { active } = state;
  const takingBack = takingBackRefusal(state);
  if (takingBack !== undefined) return takingBack;
  if (stage !== undefined && stage !== active?.name) {
    const there = active === undefined ? 'no stage has begun yet' : `it is stage ${active.name}`;
    return `Stage ${stage} is not the current stage: ${there}. Check it and promote again.`;
  }
  return active?.completedAt === undefined
    ? undefined
    : 'There is no next stage: the last stage is completed.';
}

/** While something is being taken back, an abort can only ask to go back further. */
function repetitionOf(
  { to: already, message }: RollingBack,
  earlier: readonly string[],
  to: string | undefined,
): string | undefined {
  const target = earlier.indexOf(already ?? earlier.at(-1) ?? '');
  const isFurther = to !== undefined && earlier.slice(0, Math.max(0, target)).includes(to);
  return isFurther ? undefined : `The stage is already being rolled back: ${message}`;
}

/** Refuses an abort that comes twice, or has nothing to go back to. */
function abortRefusal(state: StagedState, { to, stage }: StagedAim): string | undefined {
  const { active, rollingBack } = state;
  if (active === undefined) return 'There is nothing to roll back: no stage has begun yet.';
  const earlier = listPassedBefore(state);
  if (rollingBack !== undefined) return repetitionOf(rollingBack, earlier, to);
  if (stage !== undefined && stage !== active.name && !earlier.includes(stage))
    return `Stage ${cut(stage, LONGEST_STAGE)} was already rolled back to stage ${active.name}. Send abort without "stage" to roll back ${active.name} as well.`;
  if (to === undefined || earlier.includes(to)) return undefined;
  const problem =
    earlier.length === 0
      ? `no stage was completed before stage ${active.name}`
      : `must be a stage completed before stage ${active.name}, such as ${earlier.join(', ')}`;
  return `Cannot roll back to ${cut(to, LONGEST_STAGE)}: ${problem}. Send abort without "to" to roll back ${active.name}.`;
}

/** Says that a stage was aborted, and by whom. */
export function describeAbort(stage: string, { by, reason }: Omit<Stamp, 'at'>): string {
  const said = reason === '' ? '' : `: ${reason}`;
  return `Stage ${stage} was aborted by ${by}${said}${/[.!?]$/.test(said) ? '' : '.'}`;
}

// As long as the schema takes (crds/staged-binding-policy.ts).
const LONGEST_STAGE = 63;

/** Takes a request into account; one that makes no sense now changes nothing. */
export function acceptStagedRequest(
  state: StagedState,
  name: StagedRequestName,
  request: StagedRequest,
): StagedState {
  if (!state.isRestored) {
    return { ...state, early: [...(state.early ?? []), { name, request }].slice(-KEPT_REQUESTS) };
  }
  if (refuseStagedRequest(state, name, request) !== undefined) return state;
  const { to, by, reason, at } = request;
  const stamp = cutStamp({ by, reason, at });
  const asked = withRequest(state.asked, { action: name, ...stamp });
  const { active, requests } = state;
  if (name === 'pause') return { ...state, asked, requests: { paused: stamp, ...requests } };
  if (name !== 'resume')
    return { ...state, asked, requests: { ...requests, [name]: { ...stamp, ...given({ to }) } } };
  const resumed = { ...state, asked, requests: omit(requests, 'paused') };
  // Nobody has looked while it was paused.
  return active === undefined ? resumed : { ...resumed, active: omit(active, 'fulfilledSince', 'clusters') };
}
