import { parseVersion } from '../versions/version.ts';
import type { AskName } from './request.ts';
import { fieldsIn } from './fields.ts';
import type { Rollout, RolloutState } from './state.ts';

/** What whoever asks has looked at; what is left out may be anything. */
export interface Seen {
  readonly version?: string;
  /** The step under way, from 1; one more than there are when none is left. */
  readonly step?: number;
  readonly paused?: boolean;
}

/** Reads what whoever asks has looked at out of what they have sent. */
export function seenIn(sent: unknown): Seen {
  const { version, step, paused } = fieldsIn(sent);
  return {
    ...(typeof version === 'string' ? { version: parseVersion(version) ?? version } : {}),
    ...(typeof step === 'number' ? { step } : {}),
    ...(typeof paused === 'boolean' ? { paused } : {}),
  };
}

/** What has to be as it was seen: what lets a rollout continue. What holds it or takes it back is never refused for that. */
const compared: Readonly<Partial<Record<AskName, readonly (keyof Seen)[]>>> = {
  promote: ['version', 'step'],
  promoteFull: ['version'],
  resume: ['version', 'step', 'paused'],
  approve: ['version', 'step'],
};

/** Says why a request is not for what is there by now; undefined when it is, or when nobody says what they have seen. */
export function notAsSeen(
  { rollout, requests }: RolloutState,
  name: AskName,
  seen: Seen,
): string | undefined {
  if (rollout === undefined) return undefined;
  const there = {
    version: rollout.canary.version,
    step: rollout.index + 1,
    paused: requests.paused !== undefined,
  };
  const differs = (compared[name] ?? []).some(
    (part) => seen[part] !== undefined && seen[part] !== there[part],
  );
  return differs
    ? `The request is for ${described({ ...there, ...seen }, rollout)}, and the rollout is at ${described(there, rollout)}. Check it, and send ${name} again.`
    : undefined;
}

const described = ({ version, step, paused }: Required<Seen>, { steps }: Pick<Rollout, 'steps'>): string =>
  `${step === steps.length + 1 ? 'the end of the steps' : `step ${step}`} of ${version}${paused ? ', paused by an operator' : ''}`;
