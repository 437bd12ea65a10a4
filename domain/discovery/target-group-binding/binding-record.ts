import {
  onlyIds,
  registrationsOf,
  targetTextOf,
  type RegisteredTarget,
  type Registration,
} from './registered-target.ts';
import type { BindingDecision } from './target-group-binding.ts';

/** The result of registering and deregistering. */
export interface BindingOutcome {
  /** What AWS has refused to register. */
  readonly refused: readonly Registration[];
  /** What was to be deregistered, and may still be registered. */
  readonly remaining: readonly Registration[];
}

/** Says what an object has registered after all: without what was refused, and with what is not deregistered yet. */
export function recordOf(
  { claim, targets }: Pick<BindingDecision, 'claim' | 'targets'>,
  { refused, remaining }: BindingOutcome,
): readonly RegisteredTarget[] {
  const isIn = (some: readonly Registration[], port: number) => (id: string) =>
    some.some((one) => one.id === id && one.port === port);
  // What is leaving stands in the claim after what is wanted.
  const leaving = claim
    .slice(targets.length)
    .map((target) => onlyIds(target, isIn(remaining, target.port)))
    .filter(({ ids = [] }) => ids.length > 0);
  return [...targets.map((target) => onlyIds(target, (id) => !isIn(refused, target.port)(id))), ...leaving];
}

/** How many targets an object has registered, each counted once. */
export const countOf = (targets: readonly RegisteredTarget[]): number =>
  new Set(targets.flatMap(registrationsOf).map(targetTextOf)).size;

/** The result of registering. */
export interface Registering {
  /** What was not registered, or perhaps not. */
  readonly failed: readonly Registration[];
  readonly reasons: readonly string[];
}

/** What is wrong with single targets, and not with the call. */
export const aboutTargets: readonly string[] = ['InvalidTarget', 'Refused', 'TooManyTargets'];

/**
 * Says what is left registered for now of what is to be deregistered, since what was to come in its place did not: all
 * of it, when the call failed or nothing that is wanted would be left, and otherwise a target that did not get its new port.
 */
export function heldBack(
  { deregister, targets }: Pick<BindingDecision, 'deregister' | 'targets'>,
  { failed, reasons }: Registering,
): readonly Registration[] {
  const leaving = deregister.flat();
  if (failed.length === 0) return [];
  if (reasons.some((reason) => !aboutTargets.includes(reason))) return leaving;
  const missing = new Set(failed.map(targetTextOf));
  const isEmpty = targets.flatMap(registrationsOf).every((one) => missing.has(targetTextOf(one)));
  // Where there are too many, one has to go before another can come.
  if (isEmpty && !reasons.includes('TooManyTargets')) return leaving;
  return leaving.filter(({ id }) => failed.some((one) => one.id === id));
}
