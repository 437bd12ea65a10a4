import type { Metadata } from '../../crds/resource.ts';
import { canonical } from '../kubernetes/canonical.ts';
import { fieldsIn, recordsIn, textIn, type Fields } from '../model/fields.ts';
import type { ObservedDeployment, ObservedRevision, Resolved } from './observation.ts';
import type { Situation } from './situation.ts';

/** An ApplicationSet of Argo CD, as far as it is looked at. */
export interface ApplicationSetObject {
  readonly metadata: Pick<Metadata, 'name' | 'uid' | 'labels'>;
  readonly status?: unknown;
}

/** An Application of Argo CD, as far as it is looked at. */
export interface ApplicationObject {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly spec?: unknown;
  readonly operation?: unknown;
  readonly status?: unknown;
}

/** A cluster that an application runs on, or has run on. */
export interface DeploymentTarget {
  readonly name: string;
  readonly secretName: string;
  /** As its secret has them, by which an Application names it. */
  readonly secretNames: readonly string[];
  readonly server: string;
  /** Its ARN, by which Argo CD on EKS knows it; undefined when its secret does not say it. */
  readonly arn?: string;
  /** When its secret was written for this application, in milliseconds since the epoch. */
  readonly writtenAt?: number;
  /** Whether the application runs there as its newest revision says. */
  readonly isWanted: boolean;
}

/** How far Argo CD is with an application; `wanted` names the ApplicationSets in words. */
export function deploymentsOf(of: {
  readonly wanted: string;
  readonly sets: readonly ApplicationSetObject[];
  readonly applications: readonly ApplicationObject[];
  readonly targets: readonly DeploymentTarget[];
}): readonly ObservedDeployment[] {
  const { sets, applications, targets, wanted } = of;
  const deployments = targets.map((target) => deploymentOn(target, sets, applications));
  const stale = sets.find((set) => conditionOf(set, 'ResourcesUpToDate') === undefined);
  if (sets.length > 0 && stale === undefined) return deployments;
  const error = stale && textIn(conditionOf(stale, 'ErrorOccurred')?.['message']);
  const message =
    stale === undefined
      ? `${wanted} not found. Create it in the namespace of the Cell.`
      : `ApplicationSet ${stale.metadata.name} does not have the condition ResourcesUpToDate: ${error ?? 'nothing of the kind yet'}`;
  return deployments.map((one) =>
    one.isHealthy || stale === undefined ? { ...one, isHealthy: false, message } : one,
  );
}

/** What counts while nobody has looked: an application runs where its newest revision says, and nothing that waits for that continues. */
export function unseenDeployments(
  targets: readonly Pick<DeploymentTarget, 'secretName' | 'isWanted'>[],
): readonly ObservedDeployment[] {
  const unseen = { isHealthy: false, message: 'Okra reads Argo CD next.' };
  return targets.map(({ secretName, isWanted }) => ({ secretName, isPresent: isWanted, ...unseen }));
}

const conditionOf = ({ status }: ApplicationSetObject, type: string): Fields | undefined =>
  recordsIn(fieldsIn(status)['conditions']).find((one) => one['type'] === type && one['status'] === 'True');

/** How an application is deployed on a cluster: each ApplicationSet has an Application there, and all of them are well. */
function deploymentOn(
  target: DeploymentTarget,
  sets: readonly ApplicationSetObject[],
  applications: readonly ApplicationObject[],
): ObservedDeployment {
  const there = applications.filter((one) => isFor(one, target));
  const ownOf = (set: ApplicationSetObject) =>
    there.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid));
  const own = sets.flatMap(ownOf);
  const { name: cluster, secretName } = target;
  const lacking = sets.find((set) => ownOf(set).length === 0);
  if (own.length === 0 || lacking !== undefined) {
    const message = `ApplicationSet ${lacking?.metadata.name ?? ''} has no Application on cluster ${cluster} yet.`;
    return { secretName, isPresent: own.length > 0, isHealthy: false, message };
  }
  const trouble = own.map((one) => troubleOf(one, target)).find((one) => one !== undefined);
  const message = trouble ?? `It is Synced and Healthy on cluster ${cluster}.`;
  return { secretName, isPresent: true, isHealthy: trouble === undefined, message };
}

/** Whether an Application is for a cluster, which it names as its secret does. */
export function isFor(
  { spec }: Pick<ApplicationObject, 'spec'>,
  { server, arn, secretNames }: Pick<DeploymentTarget, 'server' | 'arn' | 'secretNames'>,
): boolean {
  const destination = fieldsIn(fieldsIn(spec)['destination']);
  const address = textIn(destination['server']) ?? '';
  const name = textIn(destination['name']) ?? '';
  return address === ''
    ? secretNames.includes(name)
    : address === arn || withoutSlash(address) === withoutSlash(server);
}

const withoutSlash = (address: string): string => (address.endsWith('/') ? address.slice(0, -1) : address);

/** Why an Application is not well, or why its status cannot be believed yet (argo-cd#22852). */
function troubleOf(
  { metadata, spec, operation, status }: ApplicationObject,
  { name: cluster, writtenAt = 0 }: DeploymentTarget,
): string | undefined {
  const { sync, health, operationState, reconciledAt } = fieldsIn(status);
  const synced = textIn(fieldsIn(sync)['status']) ?? 'Unknown';
  const healthy = textIn(fieldsIn(health)['status']) ?? 'Unknown';
  const phase = textIn(fieldsIn(operationState)['phase']) ?? '';
  const is = (what: string): string =>
    `Application ${metadata.name} on cluster ${cluster} is not Synced and Healthy: ${what}.`;
  if (metadata.deletionTimestamp !== undefined) return is('one that is being deleted');
  if (operation !== undefined || phase === 'Running' || phase === 'Terminating')
    return is('a sync that runs');
  if (!isAboutSpec(fieldsIn(sync)['comparedTo'], spec)) return is('a status from before its last change');
  // Argo CD writes whole seconds.
  if (!(Date.parse(textIn(reconciledAt) ?? '') >= Math.floor(writtenAt / 1000) * 1000)) {
    return is('a status from before the secret of the cluster was written');
  }
  return synced === 'Synced' && healthy === 'Healthy' ? undefined : is(`${synced} and ${healthy}`);
}

/** Whether a status was made of what the Application asks for now. */
function isAboutSpec(comparedTo: unknown, spec: unknown): boolean {
  const [compared, wanted] = [fieldsIn(comparedTo), fieldsIn(spec)];
  const isSame = (part: string): boolean =>
    (wanted[part] ?? null) === null || canonical(compared[part]) === canonical(wanted[part]);
  // Argo CD adds the server of a cluster that is named.
  const destination = fieldsIn(compared['destination']);
  const isThere = Object.entries(fieldsIn(wanted['destination'])).every(
    ([key, value]) => destination[key] === value,
  );
  return Object.keys(compared).length > 0 && isThere && isSame('source') && isSame('sources');
}

/** Why an application is not deployed on the clusters of a revision yet; undefined when it is. */
export function undeployed({ seen }: Situation, { content }: ObservedRevision): string | undefined {
  const { deployments } = seen;
  if (deployments === undefined) return undefined;
  for (const cluster of content.clusters) {
    const found = deployments.find((one) => one.secretName === cluster.secretName);
    if (found === undefined) return `No Application for cluster ${cluster.name} is there yet.`;
    if (!found.isPresent || !found.isHealthy) return found.message;
  }
  return undefined;
}

/** Why an application is still deployed on clusters that a revision does not have; undefined when it is not. */
export function lingering(
  { seen }: Situation,
  { content }: { readonly content: Pick<Resolved, 'clusters'> },
): string | undefined {
  const left = seen.deployments?.find(
    (one) => one.isPresent && !content.clusters.some((cluster) => one.secretName === cluster.secretName),
  );
  return left && stillThere('The Application', left.secretName);
}

/** Says which Application Argo CD still has on a cluster that is left, and what to do where it stays. */
export const stillThere = (application: string, secret: string): string =>
  `${application} for cluster ${secret} is still there. Argo CD deletes it when its ApplicationSet selects the cluster no longer, so have that select by argocd.clusterSecret.labels. If the cluster itself is gone, delete Secret ${secret}.`;
