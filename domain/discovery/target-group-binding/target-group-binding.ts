import { given } from '../../model/fields.ts';
import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { findIds, type FoundTarget, type SeenCluster, type TargetType } from './binding-ids.ts';
import {
  onlyIds,
  registrationsOf,
  targetTextOf,
  distinctTargets,
  type Registration,
  textsOf,
  type RegisteredTarget,
} from './registered-target.ts';
import type { Problem } from '../sync-status.ts';

// As many as the schema takes (crds/aws-target-group-binding.ts); AWS itself takes 1,000 in a target group by default.
const MOST_IDS = 1000;

/** Takes of what is wanted as much as a status has room for, first what is registered already, and says what is left out. */
function fitTargets(
  wanted: readonly RegisteredTarget[],
  isOwn: (one: Registration) => boolean,
): { readonly targets: readonly RegisteredTarget[]; readonly problems: readonly Problem[] } {
  const isOver = ({ ids = [] }: RegisteredTarget): boolean => ids.length > MOST_IDS;
  const targets = wanted.map((target) => {
    const { port, ids = [] } = target;
    if (!isOver(target)) return target;
    const ownFirst = ids.toSorted((a, b) => Number(isOwn({ id: b, port })) - Number(isOwn({ id: a, port })));
    const taken = new Set(ownFirst.slice(0, MOST_IDS));
    return onlyIds(target, (id) => taken.has(id));
  });
  return { targets, problems: wanted.filter(isOver).map(({ name, ids = [] }) => tooMany(name, ids.length)) };
}

/** What was registered before and is not wanted any more, as the status says it: of no cluster, so that none keeps it. */
function selectLeaving(
  ours: readonly RegisteredTarget[],
  keep: ReadonlySet<string>,
): readonly RegisteredTarget[] {
  return [...Map.groupBy(ours, ({ port }) => port)].flatMap(([port, some]) => {
    const name = some[0]?.name ?? '';
    const leaving = distinctTargets(some.flatMap(registrationsOf)).filter(
      (one) => !keep.has(targetTextOf(one)),
    );
    return Array.from({ length: Math.ceil(leaving.length / MOST_IDS) }, (_, index) => ({
      name,
      port,
      ids: leaving.slice(index * MOST_IDS, (index + 1) * MOST_IDS).map(({ id }) => id),
      byCluster: [],
    }));
  });
}

const tooMany = (object: string, got: number): Problem => ({
  object,
  reason: 'TooManyIds',
  message: `Target ${object} has ${got} ids, of which only ${MOST_IDS} are registered; ids already registered come first. Split the target by clusters or labels, or create another AWSTargetGroupBinding for some of them.`,
});

/** What a decision about the targets of an AWSTargetGroupBinding is made of. */
export interface ObservedBinding {
  readonly namespace: string;
  readonly targets: readonly BindingTarget[];
  readonly targetType: TargetType;
  readonly clusters: readonly SeenCluster[];
  readonly registered: readonly Registration[];
  readonly ours: readonly RegisteredTarget[];
  /** The clusters that are gone, and keep for a while what they had. */
  readonly missing?: readonly string[];
  readonly isShared?: (one: Registration) => boolean;
}

/** What is to be registered and deregistered. */
export interface BindingDecision {
  /** Recorded before anything is registered, so that nothing which a crash leaves behind is forgotten. */
  readonly claim: readonly RegisteredTarget[];
  readonly register: readonly Registration[];
  readonly deregister: readonly Registration[];
  readonly targets: readonly RegisteredTarget[];
  readonly problems: readonly Problem[];
  readonly foreign: readonly Registration[];
}

/** As many targets as one call takes (API_RegisterTargets, as the AWS Load Balancer Controller calls it). */
export const LARGEST_BATCH = 200;

/** Says which targets to register and deregister: only what this object has registered is ever deregistered. */
export function decideBinding(observed: ObservedBinding): BindingDecision {
  const { targets, registered, ours, missing = [], isShared = () => false } = observed;
  const own = textsOf(ours.flatMap(registrationsOf));
  const there = textsOf(registered);
  const isOwn = (one: Registration): boolean => own.has(targetTextOf(one));
  const found = targets.map((target) => ({
    target,
    ...findIds(target, { ...observed, known: ours, isOwn }),
  }));
  // What someone else has registered stays theirs, unless that is another object of this kind.
  const isForeign = (one: Registration): boolean =>
    !own.has(targetTextOf(one)) && there.has(targetTextOf(one)) && !isShared(one);
  const wanted = found.map(({ target: { name, port }, ids, clusters, byCluster }) =>
    onlyIds({ name, port, ids, ...given({ clusters, byCluster }) }, (id) => !isForeign({ id, port })),
  );
  const kept = keptOfUnread(ours, found, missing);
  const fitting = fitTargets([...wanted, ...kept], isOwn);
  const all = distinctTargets(fitting.targets.flatMap(registrationsOf));
  const keep = textsOf(all);
  const leaving = distinctTargets(ours.flatMap(registrationsOf)).filter(
    (one) => !keep.has(targetTextOf(one)),
  );
  return {
    claim: [...fitting.targets, ...selectLeaving(ours, keep)],
    register: all.filter((one) => !there.has(targetTextOf(one))),
    deregister: leaving.filter((one) => there.has(targetTextOf(one))),
    targets: fitting.targets,
    problems: [...found.flatMap(({ problems }) => problems), ...fitting.problems],
    foreign: distinctTargets(
      found.flatMap(({ target: { port }, ids }) => registrationsOf({ name: '', port, ids })),
    ).filter(isForeign),
  };
}

/** What is to be deregistered when the object is deleted: all that it has registered and that is still there. */
export const deregisterAll = (
  ours: readonly RegisteredTarget[],
  registered: readonly Registration[],
): readonly Registration[] => {
  const there = textsOf(registered);
  return distinctTargets(ours.flatMap(registrationsOf)).filter((one) => there.has(targetTextOf(one)));
};

/** Splits targets into batches that ELBv2 takes. */
export const splitBatches = (all: readonly Registration[]): readonly (readonly Registration[])[] =>
  Array.from({ length: Math.ceil(all.length / LARGEST_BATCH) }, (_, index) =>
    all.slice(index * LARGEST_BATCH, (index + 1) * LARGEST_BATCH),
  );

function keptOfUnread(
  ours: readonly RegisteredTarget[],
  looked: readonly (FoundTarget & { readonly target: BindingTarget })[],
  missing: readonly string[] = [],
): readonly RegisteredTarget[] {
  const unread = new Set([...missing, ...looked.flatMap((one) => one.unread)]);
  if (unread.size === 0) return [];
  return ours.flatMap(({ name, port, byCluster = [] }) => {
    const carried = new Set(looked.filter(({ target }) => target.name === name).flatMap(({ ids }) => ids));
    const kept = byCluster
      .filter(({ cluster }) => unread.has(cluster))
      .map((one) => ({ ...one, ids: one.ids.filter((id) => !carried.has(id)) }))
      .filter(({ ids }) => ids.length > 0);
    return kept.length === 0
      ? []
      : [{ name, port, ids: [...new Set(kept.flatMap(({ ids }) => ids))], byCluster: kept }];
  });
}

/** The result of writing targets. */
export interface WrittenTargets {
  readonly refused: readonly Registration[];
  /** What of that AWS has refused only together with others: most of it may be fine. */
  readonly unsettled: readonly Registration[];
  readonly withoutRoom: readonly Registration[];
  readonly unknown: readonly Registration[];
  readonly problems: readonly Problem[];
}

// What is wrong with single targets, or with how many there are, and not with the call.
const ABOUT_TARGETS: readonly string[] = ['InvalidTarget', 'Refused', 'TooManyTargets'];

/** Chooses which removals stay for now as their replacements did not come: all after a failure, else a healthy one for each to come, and for every second that waits for room. */
export function holdBack(
  { deregister: leaving, targets }: Pick<BindingDecision, 'deregister' | 'targets'>,
  { refused, unknown, problems, unsettled, withoutRoom }: WrittenTargets,
  unhealthy: readonly Registration[],
): readonly Registration[] {
  const missing = textsOf([...refused, ...unknown]);
  if (missing.size === 0) return [];
  if (problems.some(({ reason }) => !ABOUT_TARGETS.includes(reason))) return leaving;
  const hasCome = targets.flatMap(registrationsOf).some((one) => !missing.has(targetTextOf(one)));
  if (!hasCome && withoutRoom.length === 0) return leaving;
  const half = withoutRoom.length / 2;
  const sick = textsOf(unhealthy);
  return leaving
    .filter((one) => !sick.has(targetTextOf(one)))
    .slice(0, unsettled.length + (hasCome ? Math.floor(half) : Math.ceil(half)));
}
