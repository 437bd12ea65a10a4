import type { Decision, Wait } from '../model/decision.ts';
import { includes } from '../load-balancers/weights.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { Rollout } from '../model/state.ts';
import type { PresentCell } from '../versions/candidate.ts';
import { isNewer, type VersionSet } from '../versions/version.ts';
import type { Freezing } from './freeze.ts';
import { matters, type DecisiveKind, type DoubtfulKind } from './doubts.ts';

/** In how many milliseconds after a look the next one is due; undefined: when something changes. */
export const againAfter = ({ doubts = [] }: ObservedCell): number | undefined =>
  doubts.length === 0 ? undefined : Math.min(...doubts.map(({ againInMs }) => againInMs));

/** What a decision waits for that goes forward, while objects of a kind may be missing. */
export function waitForKind(
  decision: Decision,
  { observed, cell }: { readonly observed: ObservedCell; readonly cell: PresentCell },
): Wait | undefined {
  const doubt = doubtIn(observed, cell);
  return doubt === undefined ? undefined : waitFor(doubt, decision);
}

/**
 * Keeps what is served while AWSTargetGroups of it are missing that nobody has deleted one by one. What goes back passes: to
 * what `spec.version` asks for.
 */
export function keepServed(
  next: Decision | undefined,
  { observed, cell }: { readonly observed: ObservedCell; readonly cell: PresentCell },
  { target, stable }: { readonly target: VersionSet | undefined; readonly stable: VersionSet },
): Decision | undefined {
  const doubt = doubtIn(observed, cell, ({ unnamed = [] }) => unnamed.length > 0);
  const goesBack =
    cell.spec.version !== undefined && target !== undefined && isNewer(stable.version, target.version);
  if (doubt === undefined || goesBack) return next;
  return waitFor(doubt, next);
}

/** Adds what stands for the AWSTargetGroups that are missing of both sides of a rollout, where the status has not told of it yet. */
export function withSides(
  observed: ObservedCell,
  rollout: Pick<Rollout, 'stable' | 'canary'> | undefined,
): ObservedCell {
  const { doubts = [], selected } = observed;
  const lacking = doubts.flatMap(({ unnamed = [] }) => unnamed).filter((group) => !includes(selected, group));
  if (rollout === undefined || lacking.length === 0) return observed;
  const sides = [rollout.stable, rollout.canary].flatMap(({ version, groups }) =>
    groups.filter((group) => includes(lacking, group)).map(({ name, arn }) => ({ name, arn, version })),
  );
  return { ...observed, selected: [...selected, ...sides] };
}

/** A Freeze that stands for the doubt, for what knows no other gate, until the next look. */
export const doubtAsFreezing = (doubt: DoubtfulKind, now: number): Freezing => ({
  name: 'unknown',
  by: 'okrad',
  reason: heldBy(doubt),
  doubt: heldBy(doubt),
  until: doubt.made?.awaitedUntil ?? now + doubt.againInMs,
});

const doubtIn = (
  { doubts = [] }: ObservedCell,
  { status }: PresentCell,
  isAbout: (doubt: DoubtfulKind) => boolean = () => true,
): DoubtfulKind | undefined => doubts.find((doubt) => isAbout(doubt) && matters(doubt, status));

function waitFor(doubt: DoubtfulKind, next: Decision | undefined): Wait {
  const message = heldBy(doubt);
  const until = doubt.made?.awaitedUntil;
  return {
    do: 'Wait',
    for: 'Kind',
    ...(until === undefined ? {} : { until }),
    message: next === undefined ? message : `${message} Next: ${next.message}`,
  };
}

/** Says for people which kind holds, why, and what to do. */
function heldBy({ kind, made, unnamed = [] }: DoubtfulKind): string {
  const lacking =
    unnamed.length === 0 ? '' : ` No AWSTargetGroup names ${unnamed.map(({ name }) => name).join(', ')}.`;
  if (made === undefined)
    return `Held by the kind ${kind}: expected its CustomResourceDefinition, got none, or one that is being deleted.${lacking} ${lost[kind]} Install it again, and restore its objects.`;
  const [at, until] = [made.at, made.awaitedUntil].map((time) => new Date(time).toISOString());
  return `Held by the kind ${kind}: its CustomResourceDefinition was created at ${at}, so objects from before may be missing.${lacking} ${lost[kind]} Restore them; Okra goes on at ${until}.`;
}

const lost: Readonly<Record<DecisiveKind, string>> = {
  AWSTargetGroup: 'What is served stays as it is.',
  Freeze: 'Nobody knows whether a Freeze holds.',
  AccessPolicy: 'Nobody knows what the namespace may use.',
};
