import {
  registrationsOf,
  targetTextOf,
  type Registration,
  textsOf,
  type RegisteredTarget,
  type Entry,
} from './registered-target.ts';

/** An AWSTargetGroupBinding, and what it has registered. */
export interface OtherBinding extends Entry {
  readonly uid: string;
  /** Whether it is deleted, and stays until its targets are deregistered. */
  readonly isDeleting: boolean;
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
  /** Whether the object leaves it altogether, while a load balancer forwards to it. */
  readonly isLeftInUse: boolean;
}

/** Says what other objects have registered in a target group, and what of that they keep. */
export function findSharedTargets(
  others: readonly OtherBinding[],
  { uid, targetGroupARN, isLeftInUse }: SharedGroup,
): SharedTargets {
  const foreign = others.filter((one) => one.uid !== uid);
  const there = foreign.filter((one) => one.targetGroupARN === targetGroupARN);
  // Two that let a target go at the same time must not leave it to each other. But nothing leaves a target group in use
  // that its object has created.
  const staying = there.filter(({ isDeleting, created }) => !isDeleting || (isLeftInUse && created === true));
  const kept = textsOf(staying.flatMap(({ targets }) => targets.filter(isWanted).flatMap(registrationsOf)));
  const theirs = textsOf(there.flatMap(({ targets }) => targets.flatMap(registrationsOf)));
  return { isKept: (one) => kept.has(targetTextOf(one)), isTheirs: (one) => theirs.has(targetTextOf(one)) };
}

// What is leaving is of no cluster (fitting-targets.ts).
const isWanted = ({ byCluster }: RegisteredTarget): boolean =>
  byCluster === undefined || byCluster.length > 0;
