import { registrationsOf, targetTextOf, textsOf, unique, type Registration } from './registered-target.ts';
import type { BindingDecision } from './target-group-binding.ts';

/** The result of registering. */
export interface Registering {
  /** What was not registered, or perhaps not. */
  readonly failed: readonly Registration[];
  readonly reasons: readonly string[];
  /** What of that AWS has refused only together with others: most of it may be fine. */
  readonly unsettled: readonly Registration[];
  /** What of that there is no room for yet. */
  readonly withoutRoom: readonly Registration[];
}

/** What else matters in a target group. */
export interface Surroundings {
  /** What is registered, and gets no traffic because its health check fails. */
  readonly unhealthy: readonly Registration[];
  /** How many targets are draining, whoever had registered them: they may still take up room. */
  readonly draining: number;
  /** What is registered, and has ended, as far as that is known: its address may be a stranger's by now. */
  readonly ended: readonly Registration[];
}

/** What is wrong with single targets, or with how many there are, and not with the call. */
export const aboutTargets: readonly string[] = ['InvalidTarget', 'Refused', 'TooManyTargets'];

/**
 * Says what is left registered for now of what is to be deregistered, since what was to come in its place did not: all
 * of it, when the call failed or nothing that is wanted would be left; otherwise a target that did not get its new port,
 * one for each that may still come, and where there is no room, enough for half of what there is to go on serving.
 * Nothing that has ended stays for these.
 */
export function heldBack(
  { deregister, targets }: Pick<BindingDecision, 'deregister' | 'targets'>,
  registering: Registering,
  { unhealthy, draining, ended }: Surroundings,
): readonly Registration[] {
  const { failed, reasons, unsettled, withoutRoom } = registering;
  const all = deregister.flat();
  if (failed.length === 0) return [];
  if (reasons.some((reason) => !aboutTargets.includes(reason))) return all;
  const missing = textsOf(failed);
  const come = unique(targets.flatMap(registrationsOf)).filter(
    (one) => !missing.has(targetTextOf(one)),
  ).length;
  if (come === 0 && withoutRoom.length === 0) return all;
  const over = textsOf(ended);
  const leaving = all.filter((one) => !over.has(targetTextOf(one)));
  const sick = textsOf(unhealthy);
  const isServing = (one: Registration): boolean => !sick.has(targetTextOf(one));
  const room = withoutRoom.length;
  const forRoom = heldForRoom({ come, serving: leaving.filter(isServing).length, draining, room });
  const lacksRoom = textsOf(withoutRoom);
  const stuck = new Set(failed.filter((one) => !lacksRoom.has(targetTextOf(one))).map(({ id }) => id));
  const waiting = new Set(withoutRoom.map(({ id }) => id));
  const rankOf = (one: Registration): number => {
    if (stuck.has(one.id)) return 0;
    if (!isServing(one)) return 3;
    return waiting.has(one.id) ? 1 : 2;
  };
  const count = Math.max(unsettled.length + forRoom, leaving.filter(({ id }) => stuck.has(id)).length);
  return leaving.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, count);
}

/**
 * How many stay of what serves, where some have to go before others can come: at most half of the targets are away at a
 * time, those included whose room is not free yet, so that another try does not take out the other half.
 */
function heldForRoom({
  come,
  serving,
  draining,
  room,
}: Record<'come' | 'serving' | 'draining' | 'room', number>) {
  if (room === 0) return 0;
  const half = Math.ceil((come + serving + draining) / 2) - come;
  return Math.max(0, Math.min(half, serving, come === 0 ? serving : room));
}
