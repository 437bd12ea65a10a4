import { APPLICATION, APPLICATION_SET } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { equalitiesIn } from '../../domain/applications/resolve.ts';
import {
  deploymentsOf,
  isFor,
  unseenDeployments,
  type ApplicationObject,
  type ApplicationSetObject,
  type DeploymentTarget,
} from '../../domain/applications/deployments.ts';
import type {
  ObservedApplication,
  ObservedRevision,
  ObservedSecret,
} from '../../domain/applications/observation.ts';
import { writtenAtOf } from '../../domain/applications/secrets.ts';
import { CLUSTER_ID_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { given } from '../../domain/model/fields.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import type { FoundSecret } from '../discovery/cluster-set/cluster-set.ts';

/** What there is of Argo CD in a namespace. */
export interface ArgoCD {
  readonly sets: readonly ApplicationSetObject[];
  readonly applications: readonly ApplicationObject[];
}

/** Reads the ApplicationSets and Applications of a namespace; none while Argo CD is not installed. */
export async function readArgoCD(kubernetes: KubernetesClient, namespace: string): Promise<ArgoCD> {
  const [sets = [], applications = []] = await Promise.all([
    unlessMissing(kubernetes.list<ApplicationSetObject>(APPLICATION_SET, { namespace })),
    unlessMissing(kubernetes.list<ApplicationObject>(APPLICATION, { namespace })),
  ]);
  return { sets, applications };
}

/** How far the ApplicationSet of an application is, as far as Argo CD was looked at; undefined when it names none. */
export function deploymentOf(
  { argocd }: ApplicationOfCell,
  targets: readonly DeploymentTarget[],
  argoCD: ArgoCD | undefined,
): ObservedApplication['deployments'] {
  const wanted = argocd?.applicationSet;
  if (wanted === undefined) return undefined;
  if (argoCD === undefined) return unseenDeployments(targets);
  const { sets, applications } = argoCD;
  return deploymentsOf({
    wanted:
      wanted.name === undefined
        ? `an ApplicationSet with ${JSON.stringify(wanted.selector ?? {})}`
        : `ApplicationSet ${wanted.name}`,
    sets: sets.filter((set) => isNamed(set, wanted)),
    applications,
    targets,
  });
}

type Wanted = NonNullable<NonNullable<ApplicationOfCell['argocd']>['applicationSet']>;

const isNamed = ({ metadata }: ApplicationSetObject, { name, selector = '' }: Wanted): boolean =>
  name === undefined
    ? matches({ matchLabels: equalitiesIn(selector) }, metadata.labels)
    : metadata.name === name;

/** The Application that is still to go from the cluster of a secret: it is being deleted, or of an ApplicationSet that a Cell names; of any, while an application of the Cell names none. */
export function leftOn(
  { content: { server = '', name = '' }, annotations }: Pick<FoundSecret, 'content' | 'annotations'>,
  { sets, applications }: ArgoCD,
  now: readonly ApplicationOfCell[],
  revisions: ReadonlyMap<string, readonly ObservedRevision[]>,
): string | undefined {
  const before = [...revisions.values()].flat().map(({ content }) => content.application);
  const wanted = [...now, ...before].flatMap(({ argocd }) => argocd?.applicationSet ?? []);
  const isAny = now.some(({ argocd }) => argocd !== undefined && argocd.applicationSet === undefined);
  const uids = sets
    .filter((set) => isAny || wanted.some((one) => isNamed(set, one)))
    .map(({ metadata }) => metadata.uid);
  const isToGo = ({ metadata: { deletionTimestamp, ownerReferences = [] } }: ApplicationObject): boolean =>
    deletionTimestamp !== undefined || ownerReferences.some(({ uid }) => uids.includes(uid));
  return applications.find(
    (one) => isToGo(one) && isFor(one, { server, ...arnIn(annotations), secretNames: [name] }),
  )?.metadata.name;
}

const arnIn = ({ [CLUSTER_ID_ANNOTATION]: arn }: FoundSecret['annotations']) => given({ arn });

/** The clusters that an application runs on, or has run on. */
export function targetsOf(
  { name: application, resolved, revisions }: Pick<ObservedApplication, 'name' | 'resolved' | 'revisions'>,
  secrets: readonly { readonly found: FoundSecret; readonly observed: ObservedSecret }[],
): readonly DeploymentTarget[] {
  const wanted = resolved.ok ? resolved.value.clusters : (revisions[0]?.content.clusters ?? []);
  const all = [...wanted, ...revisions.flatMap(({ content }) => content.clusters)];
  const newest = new Map(all.toReversed().map((cluster) => [cluster.secretName, cluster]));
  return [...newest.values()].toReversed().map(({ name, eksName, server, secretName }) => {
    const secret = secrets.find(({ found, observed }) => observed.isOwn && found.name === secretName);
    const writtenAt = writtenAtOf(secret?.found.annotations ?? {})[application];
    return {
      name,
      secretName,
      secretNames: [eksName],
      server,
      ...arnIn(secret?.found.annotations ?? {}),
      isWanted: wanted.some((one) => one.secretName === secretName),
      ...given({ writtenAt }),
    };
  });
}
