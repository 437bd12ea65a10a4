import {
  onlyIds,
  registrationsOf,
  type Registration,
  textsOf,
  type RegisteredTarget,
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
  textsOf(targets.flatMap(registrationsOf)).size;
