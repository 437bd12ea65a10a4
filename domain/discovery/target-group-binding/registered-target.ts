import type { AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import { given } from '../../model/fields.ts';
import { compareText } from '../../kubernetes/canonical.ts';

/** Targets of a target group that other objects have registered. */
export type SharedTargets = ReturnType<typeof findSharedTargets>;

/** Says what other objects have registered in a target group, and what of that they keep. */
export function findSharedTargets(
  others: readonly Pick<AWSTargetGroupBinding, 'metadata' | 'status'>[],
  {
    uid,
    targetGroupARN,
    isLeftInUse,
  }: {
    readonly uid: string;
    readonly targetGroupARN: string;
    /** Whether the object leaves it altogether, while a load balancer forwards to it. */
    readonly isLeftInUse: boolean;
  },
) {
  const there = others.filter(
    ({ metadata, status }) => metadata.uid !== uid && status?.targetGroupARN === targetGroupARN,
  );
  // Two that let a target go at the same time must not leave it to each other. But nothing leaves a target group in use
  // that its object has created.
  const staying = there.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined || (isLeftInUse && status?.created === true),
  );
  const targetsOf = (some: typeof there) => some.flatMap(({ status }) => status?.targets ?? []);
  const kept = textsOf(targetsOf(staying).filter(isWanted).flatMap(registrationsOf));
  const theirs = textsOf(targetsOf(there).flatMap(registrationsOf));
  return {
    /** What one of them keeps: it stays when this object lets it go. */
    isKept: (one: Registration): boolean => kept.has(targetTextOf(one)),
    /** What one of them has, if only for now: this object may have it as well. */
    isTheirs: (one: Registration): boolean => theirs.has(targetTextOf(one)),
  };
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
  return {
    ...target,
    ids: ids.filter(holds),
    ...given({ byCluster: byCluster?.map((one) => ({ ...one, ids: one.ids.filter(holds) })) }),
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

/** Says what an object has registered after all: without what was refused, and with what is not deregistered yet. */
export function recordOf(
  { claim, targets }: Readonly<Record<'claim' | 'targets', readonly RegisteredTarget[]>>,
  { refused, remaining }: Readonly<Record<'refused' | 'remaining', readonly Registration[]>>,
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
