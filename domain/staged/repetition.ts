import { canonical } from '../kubernetes/canonical.ts';
import type { StagedDecision, StagedTurn } from './decision.ts';
import type { StagedState } from './state.ts';

const MOST = 3;

const PAUSE_MS = 60_000;

/** Has a turn wait that would write once more what was written several times, and is not as it was written all the same. */
export function unrepeated({ state, decision }: StagedTurn, before: StagedState, now: number): StagedTurn {
  const { written: _before, ...others } = state;
  const what = writtenBy(decision);
  if (what === undefined) return { state: others, decision };
  const last = before.written?.what === what ? before.written : { what, times: 0, at: now };
  const until = last.at + PAUSE_MS;
  if (last.times >= MOST && now < until) {
    return { state: { ...others, written: last }, decision: { ...WAIT, until } };
  }
  return { state: { ...others, written: { what, times: last.times + 1, at: now } }, decision };
}

/** The state after a write has failed, which counts as none. */
export function unwritten({ written: _failed, ...others }: StagedState, before: StagedState): StagedState {
  return before.written === undefined ? others : { ...others, written: before.written };
}

function writtenBy(decision: StagedDecision): string | undefined {
  if (decision.do !== 'Apply' && decision.do !== 'Select') return undefined;
  const change = decision.do === 'Apply' ? [decision.clusters, decision.keepsFormer] : [];
  return canonical([decision.do, decision.stage, ...change]);
}

const WAIT = {
  do: 'Wait',
  phase: 'Failed',
  reason: 'Conflict',
  message: `Expected a BindingPolicy to say what was written to it, got something else ${MOST} times. Look who else writes it, and whether this KubeStellar knows every field of spec.downsync. It is tried again in a minute.`,
  isTrouble: true,
} as const;
