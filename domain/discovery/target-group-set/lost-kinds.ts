import { endOf, secondsUntil, type Grace } from '../missing.ts';
import type { Problem } from '../sync-status.ts';
import { BINDING_APIS } from './binding-kinds.ts';
import { takesBindings } from './looks-into.ts';
import type { ClusterReading, ExistingGroup, ObservedTargetGroupSet } from './observed-target-group-set.ts';
import type { BindingAPI, SourcedGroup } from './target-group-of-binding.ts';
import { sourceOf } from './target-group-of-binding.ts';
import { isRendered, sourceParts } from './source-parts.ts';

/** The groups of TargetGroupBindings of a kind that their cluster has lost; what is known of them may be all that there is. */
export interface LostKinds {
  readonly isLost: (group: Pick<ExistingGroup, 'name' | 'annotations' | 'arn'>) => boolean;
  readonly problems: readonly Problem[];
  /** When the time of a kind that has come back is over; undefined when there is none. */
  readonly againInSeconds?: number;
}

/** What a cluster does not say of a kind now: it has not got it, or has had it again since a moment ago. */
type Lost = { readonly is: 'Absent' } | { readonly is: 'Renewed'; readonly since: number };

/**
 * Says which groups of a set are of a kind that their cluster has not got now, or has had again for less than the grace: with
 * its definition all of its objects have gone, and who brings them back needs a while. A cluster without a kind is fine when
 * the set never made anything of it there, unless it has neither; and a binding of the other kind that says the same takes a group over.
 */
export function lostKindsIn(
  { spec, readings, grace }: Pick<ObservedTargetGroupSet, 'spec' | 'readings' | 'grace'>,
  own: readonly ExistingGroup[],
  asking: readonly Extract<SourcedGroup, { readonly ok: true }>[],
): LostKinds {
  const losses = new Map(readings.map(({ cluster, found }) => [cluster.secret, lossesIn(found, grace)]));
  const asked = new Set(asking.map(({ source, arn }) => `${source} ${arn}`));
  const isLost: LostKinds['isLost'] = (group) => {
    const from = sourceParts(group);
    if (from === undefined || isRendered(group) || losses.get(from.secret)?.has(from.api) !== true)
      return false;
    const twins = BINDING_APIS.map((api) => sourceOf({ secret: from.secret }, { ...from, api }));
    return !twins.some((source) => asked.has(`${source} ${group.arn}`));
  };
  const lost = own.filter(isLost).flatMap((group) => sourceParts(group) ?? []);
  const told = readings.flatMap(({ cluster }) =>
    [...(losses.get(cluster.secret) ?? [])]
      .filter(([api]) => lost.some((from) => from.secret === cluster.secret && from.api === api))
      .map(([api, loss]) => ({ secret: cluster.secret, cluster: cluster.name, api, loss })),
  );
  const bare = readings.filter(
    ({ cluster, found }) =>
      found.ok &&
      BINDING_APIS.every((api) => found.absent?.includes(api)) &&
      takesBindings(spec, cluster) &&
      !told.some(({ secret }) => secret === cluster.secret),
  );
  const renewed = told.flatMap(({ loss }) => (loss.is === 'Renewed' ? [loss.since] : []));
  return {
    isLost,
    problems: [
      ...told.map(({ cluster, api, loss }) =>
        loss.is === 'Absent' ? notInstalled(cluster, api) : reinstalled({ cluster, api, ...loss }, grace),
      ),
      ...bare.map(({ cluster }) => neitherInstalled(cluster.name)),
    ],
    ...(renewed.length === 0
      ? {}
      : { againInSeconds: secondsUntil(endOf(Math.min(...renewed), grace), grace) }),
  };
}

function lossesIn(
  found: ClusterReading['found'],
  { now, seconds }: Omit<Grace, 'before'>,
): ReadonlyMap<BindingAPI, Lost> {
  if (!found.ok) return new Map();
  const { absent = [], since = {} } = found;
  return new Map(
    BINDING_APIS.flatMap((api): [BindingAPI, Lost][] => {
      if (absent.includes(api)) return [[api, { is: 'Absent' }]];
      const made = Date.parse(since[api] ?? '');
      // By the clock of the cluster, which may be ahead a little.
      return Math.abs(now - made) < seconds * 1000 ? [[api, { is: 'Renewed', since: made }]] : [];
    }),
  );
}

const KINDS: Readonly<Record<BindingAPI, string>> = {
  'elbv2.k8s.aws': 'the AWS Load Balancer Controller (elbv2.k8s.aws/v1beta1)',
  'eks.amazonaws.com': 'EKS Auto Mode (eks.amazonaws.com/v1)',
};

const notInstalled = (cluster: string, api: BindingAPI): Problem => ({
  cluster,
  reason: 'KindNotInstalled',
  message: `Expected cluster ${cluster} to have the kind TargetGroupBinding of ${KINDS[api]}, as it had, got none. Install it again; what the cluster had of it stays until its AWSTargetGroups are deleted.`,
});

const neitherInstalled = (cluster: string): Problem => ({
  cluster,
  reason: 'KindNotInstalled',
  message: `Expected cluster ${cluster} to have the kind TargetGroupBinding of ${KINDS['elbv2.k8s.aws']} or of ${KINDS['eks.amazonaws.com']}, got neither, so that it has no target groups. Install one of them there, or have the set select other clusters.`,
});

function reinstalled(
  { cluster, api, since }: { readonly cluster: string; readonly api: BindingAPI; readonly since: number },
  grace: Pick<Grace, 'seconds'>,
): Problem {
  const until = new Date(endOf(since, grace)).toISOString();
  return {
    cluster,
    reason: 'KindReinstalled',
    message: `Expected cluster ${cluster} to have the objects of the kind TargetGroupBinding of ${KINDS[api]} that it had, got fewer, and a definition of the kind that was made at ${new Date(since).toISOString()}. What the cluster had of it stays until ${until}; bring the objects back, or delete the AWSTargetGroups if they are to go now.`,
  };
}
