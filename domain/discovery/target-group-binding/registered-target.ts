import { compareText } from '../../kubernetes/canonical.ts';

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

// What is leaving is of no cluster (selectLeaving in target-group-binding.ts).
const isWanted = ({ byCluster }: RegisteredTarget): boolean =>
  byCluster === undefined || byCluster.length > 0;

/** A target as ELBv2 knows it. */
export interface Registration {
  readonly id: string;
  readonly port: number;
}

/** What an object has registered under one name, as its status says it. */
export interface RegisteredTarget {
  readonly name: string;
  readonly port: number;
  readonly ids?: readonly string[] | undefined;
  readonly clusters?: readonly string[] | undefined;
  /** Which ids were found in which cluster, so that those of one that cannot be read are known. */
  readonly byCluster?: readonly IdsOfCluster[] | undefined;
}

/** The ids that were found in a cluster. */
export interface IdsOfCluster {
  readonly cluster: string;
  readonly ids: readonly string[];
}

/** Leaves of what is registered only some ids. */
export function onlyIds(target: RegisteredTarget, holds: (id: string) => boolean): RegisteredTarget {
  const { ids = [], byCluster } = target;
  if (byCluster === undefined) return { ...target, ids: ids.filter(holds) };
  return {
    ...target,
    ids: ids.filter(holds),
    byCluster: byCluster.map((one) => ({ ...one, ids: one.ids.filter(holds) })),
  };
}

/** Spells what is registered under a name as ELBv2 knows it. */
export const registrationsOf = ({ ids = [], port }: RegisteredTarget): readonly Registration[] =>
  ids.map((id) => ({ id, port }));

/** Spells a target in one word; two are the same when that is. */
export const targetTextOf = ({ id, port }: Registration): string => `${id}:${port}`;

/** Spells targets so, each once. */
export const textsOf = (some: readonly Registration[]): ReadonlySet<string> =>
  new Set(some.map(targetTextOf));

/** Leaves each target once, in an order that stays. */
export const distinctTargets = (registrations: readonly Registration[]): readonly Registration[] =>
  [...new Map(registrations.map((one) => [targetTextOf(one), one])).values()].toSorted((a, b) =>
    compareText(targetTextOf(a), targetTextOf(b)),
  );

/** Where an object has registered what, as its status says it. */
export interface Entry {
  readonly targetGroupARN?: string | undefined;
  readonly created?: boolean | undefined;
  readonly targets: readonly RegisteredTarget[];
}

/** The result of registering and deregistering. */
export interface BindingOutcome {
  readonly refused: readonly Registration[];
  readonly remaining: readonly Registration[];
}

/** Says what an object has registered after all: without what was refused, and with what is not deregistered yet. */
export function recordOf(
  {
    claim,
    targets,
  }: { readonly claim: readonly RegisteredTarget[]; readonly targets: readonly RegisteredTarget[] },
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
