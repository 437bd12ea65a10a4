import {
  registrationsOf,
  targetTextOf,
  type Registration,
  textsOf,
  type RegisteredTarget,
} from './registered-target.ts';
import type { Entry, Place } from './binding-move.ts';

/** An AWSTargetGroupBinding, and what it has registered. */
export interface OtherBinding extends Entry {
  readonly uid: string;
  /** Whether it is deleted, and stays until its targets are deregistered. */
  readonly isDeleting: boolean;
  /** By which targets of its spec it registers now. */
  readonly targetsHashNow?: string | undefined;
}

/** Targets of a target group that other objects have registered. */
export interface SharedTargets {
  /** What one of them keeps: it stays when this object lets it go. */
  readonly isKept: (one: Registration) => boolean;
  /** What one of them has, if only for now: this object may have it as well. */
  readonly isTheirs: (one: Registration) => boolean;
}

/** A target group that an object has targets in. */
export interface SharedGroup {
  /** That of the object. */
  readonly uid: string;
  readonly targetGroupARN: string;
  /** Whether the object leaves it altogether. */
  readonly isLeft: boolean;
  /** Whether a load balancer forwards to it. */
  readonly isInUse: boolean;
}

/** Says what other objects have registered in a target group, and what of that they keep. */
export function sharedTargets(
  others: readonly OtherBinding[],
  { uid, targetGroupARN, isLeft, isInUse }: SharedGroup,
): SharedTargets {
  const foreign = others.filter((one) => one.uid !== uid);
  const there = foreign.filter((one) => one.targetGroupARN === targetGroupARN);
  const isHere = (place: Place): boolean => place.targetGroupARN === targetGroupARN;
  const leaving = foreign.flatMap(({ former = [] }) => former).filter(isHere);
  const keptUp = foreign.flatMap((one) => placesKeptUp(one).filter(isHere));
  // Two that let a target go at the same time must not leave it to each other: what is leaving is kept by nobody.
  // But nothing leaves a target group in use that its object moves away from, or has created. An object that stays
  // there knows better what has ended than one that does not look after what it has kept there.
  const isLeftInUse = isLeft && isInUse;
  const staying = there.filter(({ isDeleting, created }) => !isDeleting || (isLeftInUse && created === true));
  const kept = textsOf(
    [...staying, ...(isLeftInUse ? leaving : []), ...(isInUse ? keptUp : [])].flatMap(({ targets }) =>
      targets.filter(isWanted).flatMap(registrationsOf),
    ),
  );
  const theirs = textsOf([...there, ...leaving].flatMap(({ targets }) => targets.flatMap(registrationsOf)));
  return { isKept: (one) => kept.has(targetTextOf(one)), isTheirs: (one) => theirs.has(targetTextOf(one)) };
}

/** Where an object keeps up what it has, until it can leave (activities/discovery/target-group-binding/target-group-binding.ts). */
const placesKeptUp = ({ isDeleting, former = [], targetsHashNow: now }: OtherBinding): readonly Place[] =>
  isDeleting || now === undefined ? [] : former.filter(({ targetsHash }) => targetsHash === now);

// What is leaving is of no cluster (fitting-targets.ts).
const isWanted = ({ byCluster }: RegisteredTarget): boolean =>
  byCluster === undefined || byCluster.length > 0;
