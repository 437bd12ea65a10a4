import {
  onlyIds,
  registrationsOf,
  targetTextOf,
  distinctTargets,
  type RegisteredTarget,
  type Registration,
} from './registered-target.ts';
import type { Problem } from '../sync-status.ts';

// As many as the schema takes (crds/aws-target-group-binding.ts); AWS itself takes 1,000 in a target group by default.
const MOST_IDS = 1000;
const MOST_CLUSTERS = 1000;

// So that the object stays below the 1.5 MB that etcd takes, with each id twice in it.
const MOST_IN_ALL = 5000;

/** Takes of what is wanted as much as a status has room for, first what is registered already, and says what is left out. */
export function fitTargets(
  wanted: readonly RegisteredTarget[],
  isOwn: (one: Registration) => boolean,
): { readonly targets: readonly RegisteredTarget[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  let room = MOST_IN_ALL;
  // What is registered has its room before anything new has, whichever target that is for.
  const registered = wanted.map(({ port, ids = [] }) => {
    const own = ids.filter((id) => isOwn({ id, port })).length;
    const kept = Math.min(own, MOST_IDS, room);
    room -= kept;
    return kept;
  });
  const targets = wanted.map((target, index) => {
    const { name, port, ids = [] } = target;
    const kept = registered[index] ?? 0;
    const most = Math.min(MOST_IDS, kept + room);
    if (ids.length > most) problems.push(tooMany(name, ids.length, most));
    room -= Math.min(ids.length, most) - kept;
    const taken = new Set(
      ids.length <= most
        ? ids
        : ids
            .toSorted((a, b) => Number(isOwn({ id: b, port })) - Number(isOwn({ id: a, port })))
            .slice(0, most),
    );
    return withFewClusters(onlyIds(target, (id) => taken.has(id)));
  });
  return { targets, problems };
}

/** What was registered before and is not wanted any more, as the status says it: of no cluster, so that none keeps it. */
export function selectLeaving(
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

function withFewClusters(target: RegisteredTarget): RegisteredTarget {
  const { clusters, byCluster } = target;
  return {
    ...target,
    ...(clusters === undefined ? {} : { clusters: clusters.slice(0, MOST_CLUSTERS) }),
    ...(byCluster === undefined || byCluster.length <= MOST_CLUSTERS
      ? {}
      : {
          byCluster: byCluster.toSorted((a, b) => b.ids.length - a.ids.length).slice(0, MOST_CLUSTERS),
        }),
  };
}

const tooMany = (object: string, got: number, most: number): Problem => ({
  object,
  reason: 'TooManyIds',
  message: `Target ${object} has ${got} ids, of which only ${most} are registered: at most ${MOST_IDS} fit under one name and ${MOST_IN_ALL} in one object; ids already registered come first. Split the target by clusters or labels, or create another AWSTargetGroupBinding for some of them.`,
});
