import type { Problem } from '../sync-status.ts';
import { countOf } from './binding-record.ts';
import { aboutTargets, type Registering } from './held-back.ts';
import { registrationsOf, targetTextOf, textsOf, type RegisteredTarget } from './registered-target.ts';
import type { BindingDecision } from './target-group-binding.ts';

/** A target group, and what an object has registered in it. */
export interface Place {
  readonly targetGroupARN: string;
  /** Whether the object has created it. */
  readonly created?: boolean | undefined;
  readonly targets: readonly RegisteredTarget[];
  /** By which targets of the spec they were found. */
  readonly targetsHash?: string | undefined;
}

/** Where an object has registered what. */
export interface Entry {
  readonly targetGroupARN?: string | undefined;
  readonly created?: boolean | undefined;
  readonly targets: readonly RegisteredTarget[];
  readonly targetsHash?: string | undefined;
  /** The target groups that it moves from: their targets stay until the new one has its own. */
  readonly former?: readonly Place[] | undefined;
}

/** Turns to the target group that is asked for, and remembers what is registered in the one before. */
export function turnTo(entry: Entry, to: Pick<Place, 'targetGroupARN' | 'created'>): Entry {
  const { targetGroupARN, created, targets, targetsHash, former = [] } = entry;
  if (targetGroupARN === undefined || targetGroupARN === to.targetGroupARN) return { ...entry, ...to };
  // It may go back before all that it had there is deregistered.
  const again = former.find((one) => one.targetGroupARN === to.targetGroupARN);
  const others = former.filter((one) => one !== again);
  const before = { targetGroupARN, created, targets, targetsHash };
  const left = [...others, ...[before].filter(hasTargets)];
  return {
    ...to,
    targets: again?.targets ?? [],
    targetsHash: again?.targetsHash,
    ...(left.length === 0 ? {} : { former: left }),
  };
}

// As many as the schema takes (crds/aws-target-group-binding.ts).
const MOST_FORMER = 20;

/** Says that a status has no room for all target groups that an object moves from; none of them may be forgotten. */
export function tooManyFormer({ targetGroupARN, former = [] }: Entry): Problem | undefined {
  if (former.length <= MOST_FORMER) return undefined;
  const some = former.slice(0, MOST_NAMED).map((place) => place.targetGroupARN);
  const message = `Expected at most ${MOST_FORMER} former target groups that are not emptied yet, got one more by a move to ${targetGroupARN}. Take some of them out of the rules and listeners that name them, such as ${some.join(', ')}.`;
  return { object: targetGroupARN, reason: 'TooManyFormerGroups', message };
}

/** Whether that is why an object does not move on. */
export const isTooManyFormer = ({ reason }: Problem): boolean => reason === 'TooManyFormerGroups';

const MOST_NAMED = 3;

/** Says what is left registered in a target group that an object moves from. */
export function withFormer(
  entry: Entry,
  { targetGroupARN }: Place,
  left: readonly RegisteredTarget[],
): Entry {
  const former = (entry.former ?? []).flatMap((one) => {
    if (one.targetGroupARN !== targetGroupARN) return [one];
    return [{ ...one, targets: left }].filter(hasTargets);
  });
  return withPlaces(entry, former);
}

/** Forgets the target groups that an object moves from and has nothing in. */
export const withoutEmpty = (entry: Entry): Entry =>
  withPlaces(entry, (entry.former ?? []).filter(hasTargets));

function withPlaces({ former: _before, ...others }: Entry, former: readonly Place[]): Entry {
  return former.length === 0 ? others : { ...others, former };
}

const hasTargets = ({ targets }: Place): boolean => countOf(targets) > 0;

/**
 * Whether the target group that an object moves from may be emptied: the new one has what is wanted, as far as AWS takes
 * each by itself, and nothing of a cluster that cannot be read is in the one before alone.
 */
export function isFilled(
  { targets, problems, isIncomplete }: Pick<BindingDecision, 'targets' | 'problems' | 'isIncomplete'>,
  { failed, reasons, unsettled, withoutRoom }: Registering,
): boolean {
  if (isIncomplete || reasons.some((reason) => !aboutTargets.includes(reason))) return false;
  if (unsettled.length > 0 || withoutRoom.length > 0) return false;
  const missing = textsOf(failed);
  const isEmpty = targets.flatMap(registrationsOf).every((one) => missing.has(targetTextOf(one)));
  return !isEmpty || (problems.length === 0 && failed.length === 0);
}
