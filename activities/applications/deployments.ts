import { APPLICATION, APPLICATION_SET, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { equalitiesIn } from '../../domain/applications/bindings.ts';
import {
  deploymentsOf,
  unseenDeployments,
  type ApplicationObject,
  type ApplicationSetObject,
  type DeploymentTarget,
} from '../../domain/applications/deployments.ts';
import type { ObservedApplication } from '../../domain/applications/observation.ts';
import { matches, type LabelSelector } from '../../domain/kubernetes/selector.ts';

/** What there is of Argo CD in a namespace. */
export interface ArgoCD {
  readonly sets: readonly ApplicationSetObject[];
  readonly applications: readonly ApplicationObject[];
}

/** Reads the ApplicationSets and Applications of a namespace, unless no application asks for them. */
export async function readArgoCD(
  kubernetes: KubernetesClient,
  namespace: string,
  asking: readonly ApplicationOfCell[],
): Promise<ArgoCD> {
  if (!asking.some(({ argocd }) => argocd?.applicationSet !== undefined))
    return { sets: [], applications: [] };
  const [sets, applications] = await Promise.all([
    listOf<ApplicationSetObject>(kubernetes, APPLICATION_SET, namespace),
    listOf<ApplicationObject>(kubernetes, APPLICATION, namespace),
  ]);
  return { sets, applications };
}

/** All of a namespace; none while Argo CD is not installed. */
async function listOf<T>(
  kubernetes: KubernetesClient,
  kind: KindRef,
  namespace: string,
): Promise<readonly T[]> {
  try {
    return await kubernetes.list<T>(kind, { namespace });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** How far the ApplicationSet of an application is, as far as Argo CD was looked at; undefined when it names none. */
export function deploymentOf(
  { argocd }: ApplicationOfCell,
  targets: readonly DeploymentTarget[],
  argoCD: ArgoCD | undefined,
): ObservedApplication['applicationSet'] {
  const wanted = argocd?.applicationSet;
  if (wanted === undefined) return undefined;
  if (argoCD === undefined) return unseenDeployments(targets);
  const { sets, applications } = argoCD;
  const selector = selectorOf(wanted.selector);
  return deploymentsOf({
    wanted:
      wanted.name === undefined
        ? `an ApplicationSet with ${JSON.stringify(wanted.selector ?? {})}`
        : `ApplicationSet ${wanted.name}`,
    sets: sets.filter(({ metadata }) =>
      wanted.name === undefined ? matches(selector, metadata.labels) : metadata.name === wanted.name,
    ),
    applications,
    targets,
  });
}

const selectorOf = (selector: string | LabelSelector | undefined): LabelSelector | undefined =>
  typeof selector === 'string' ? { matchLabels: equalitiesIn(selector) } : selector;
