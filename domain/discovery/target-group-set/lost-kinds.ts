import type { Problem } from '../sync-status.ts';
import { BINDING_APIS } from './binding-kinds.ts';
import type { ClusterReading, ExistingGroup } from './observed-target-group-set.ts';
import type { BindingAPI, SourcedGroup } from './target-group-of-binding.ts';
import { sourceOf } from './target-group-of-binding.ts';
import { isRendered, sourceParts } from './source-parts.ts';

/** The groups of TargetGroupBindings of a kind that their cluster has lost; what is known of them may be all that there is. */
export interface LostKinds {
  readonly isLost: (group: Pick<ExistingGroup, 'name' | 'annotations' | 'arn'>) => boolean;
  readonly problems: readonly Problem[];
}

/**
 * Says which groups of a set are of a kind that their cluster has not got now. A cluster without a kind is fine when the set
 * never made anything of it there; and a binding of the other kind that says the same takes a group over.
 */
export function lostKindsIn(
  readings: readonly ClusterReading[],
  own: readonly ExistingGroup[],
  asking: readonly Extract<SourcedGroup, { readonly ok: true }>[],
): LostKinds {
  const absent = new Map(
    readings.map(({ cluster, found }) => [cluster.secret, found.ok ? (found.absent ?? []) : []]),
  );
  const asked = new Set(asking.map(({ source, arn }) => `${source} ${arn}`));
  const isLost: LostKinds['isLost'] = (group) => {
    const from = sourceParts(group);
    if (from === undefined || isRendered(group) || absent.get(from.secret)?.includes(from.api) !== true)
      return false;
    const twins = BINDING_APIS.map((api) => sourceOf({ secret: from.secret }, { ...from, api }));
    return !twins.some((source) => asked.has(`${source} ${group.arn}`));
  };
  const lost = own.filter(isLost).flatMap((group) => sourceParts(group) ?? []);
  const problems = readings.flatMap(({ cluster }) =>
    BINDING_APIS.filter((api) => lost.some((from) => from.secret === cluster.secret && from.api === api)).map(
      (api) => notInstalled(cluster.name, api),
    ),
  );
  return { isLost, problems };
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
