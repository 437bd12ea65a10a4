import { AWS_TARGET_GROUP, CELL, SECRET } from '../../clients/kubernetes/kinds.ts';
import { digest } from '../../clients/digest.ts';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { isForbidden, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { cell as cellKind, type ApplicationsSpec, type Cell, type WrittenCellSpec } from '../../crds/cell.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { watchedApplications } from '../../domain/applications/watched.ts';
import { CELL_LABEL, CLUSTER_SECRETS } from '../../domain/kubernetes/labels.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { recordsIn, textIn } from '../../domain/model/fields.ts';
import { readableSpec } from '../rollout/observe-cell.ts';
import type { ReadCell } from './dependencies.ts';
import { findRevisions } from './revisions.ts';
import { childName } from '../../domain/applications/names.ts';
import { canonical, compareText } from '../../domain/kubernetes/canonical.ts';
import { targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import { configViewOf, readConfig } from '../load-balancers/config-object.ts';

/** Digest of the forward config of an application: what `alb` says, and the target groups that get traffic now. */
export const forwardHashOf = async (
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  { name, alb }: ApplicationOfCell,
): Promise<string> => digest(canonical([alb, await servedBy(kubernetes, key, name)]));

/** The target groups that an application's rule gives traffic to now. */
async function servedBy(
  kubernetes: Pick<KubernetesClient, 'get'>,
  { namespace, name }: ObjectKey,
  application: string,
): Promise<readonly string[]> {
  const type = 'AWSApplicationLoadBalancer';
  const ref = { type, key: { namespace, name: childName(name, application) } } as const;
  const object = await readConfig(kubernetes, ref);
  const observed = object === undefined ? undefined : configViewOf(ref, object).status.observed;
  if (observed === undefined) return [];
  return targetGroupsOf(observed)
    .flatMap(({ arn, weight }) => (weight > 0 ? [arn] : []))
    .toSorted(compareText);
}

/** Reads a Cell with applications; undefined when there is none of that name. */
export async function readCell(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
): Promise<(ReadCell & { readonly problems: readonly string[] }) | undefined> {
  const object = await kubernetes.get<Cell>(CELL, key);
  if (object === undefined) return undefined;
  const parsed = cellKind.parse(object);
  const { clusters = [], applications = [], ...spec } = parsed.ok ? parsed.value : readable(object.spec);
  return {
    key,
    uid: object.metadata.uid ?? '',
    object,
    spec: { ...spec, clusters, applications },
    problems: parsed.ok ? [] : parsed.problems,
  };
}

/** What counts of an invalid spec: of applications that this release cannot read, their names. */
function readable(written: Cell['spec']): WrittenCellSpec {
  const { applications, ...spec } = readableSpec(written);
  const named = recordsIn(Reflect.get(written, 'applications')).flatMap(({ name }) => textIn(name) ?? []);
  return { ...spec, applications: applications ?? named.map((name) => ({ name })) };
}

/** What of the Cell's own there is in its namespace. */
export interface Parts {
  readonly groups: readonly AWSTargetGroup[];
  readonly cells: readonly Cell[];
  readonly marked: readonly { readonly metadata: Metadata }[];
  readonly revisions: ReadonlyMap<string, readonly ObservedRevision[]>;
  readonly access: Awaited<ReturnType<ReturnType<typeof accessPolicies>['of']>>;
}

/** Reads what of a Cell's own there is in its namespace. */
export async function readParts(read: ReadCell, kubernetes: KubernetesClient): Promise<Parts> {
  const { namespace, name } = read.key;
  const labelSelector = `${CELL_LABEL}=${name}`;
  const [groups, cells, marked, revisions, access] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
    kubernetes.list<Cell>(CELL, { namespace, labelSelector }),
    secretsOf(kubernetes, read),
    findRevisions(kubernetes, read),
    accessPolicies(kubernetes).of(namespace),
  ]);
  return { groups, cells, marked, revisions, access };
}

/** The cluster secrets of a Cell; none for who may not read any, as long as no application asks for one. */
async function secretsOf(
  kubernetes: KubernetesClient,
  { key, spec }: ReadCell,
): Promise<readonly { readonly metadata: Metadata }[]> {
  const labelSelector = `${CLUSTER_SECRETS},${CELL_LABEL}=${key.name}`;
  try {
    return await kubernetes.list(SECRET, { namespace: key.namespace, labelSelector });
  } catch (error) {
    if (isForbidden(error) && spec.applications.every(({ argocd }) => argocd === undefined)) return [];
    throw error;
  }
}

/** Identifies what watchers look at, too. */
export const digestOf = ({ object }: ReadCell, { groups, cells, marked, access }: Parts): string =>
  digest(watchedApplications(object, { groups, cells, secrets: marked }, access));

/** The application of a name, or nothing when the Cell has it no more. */
export const applicationNamed = (
  { applications }: Pick<ApplicationsSpec, 'applications'>,
  name: string,
): ApplicationOfCell | undefined => applications.find((one) => one.name === name);
