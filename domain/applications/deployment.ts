import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';
import type { ObservedDeployment, ObservedRevision, ObservedSecret } from './observation.ts';
import type { Resolved, ResolvedCluster } from './resolved.ts';
import { wait, type Judgement, type Mark, type Situation } from './situation.ts';

/** Why an application is not deployed on the clusters of a revision yet; undefined when it is. */
export function undeployed({ seen }: Situation, { content }: ObservedRevision): string | undefined {
  const { applicationSet } = seen;
  if (applicationSet === undefined) return undefined;
  for (const cluster of content.clusters) {
    const found = applicationSet.deployments.find((one) => isOn(one, cluster));
    if (found === undefined) return `No Application for cluster ${cluster.name} is there yet.`;
    if (!found.isPresent || !found.isHealthy) return found.message;
  }
  return undefined;
}

/** Waits until Argo CD has deployed a revision, for as long as the Cell lets it; undefined once it has. */
export function awaitDeployment(
  situation: Situation,
  before: Mark,
  revision: ObservedRevision,
):
  | { readonly is: 'Waiting'; readonly judgement: Judgement }
  | { readonly is: 'Late'; readonly message: string }
  | undefined {
  const missing = undeployed(situation, revision);
  if (missing === undefined) return undefined;
  const { number } = revision;
  const {
    now,
    spec: { syncTimeout },
  } = situation;
  const { since } =
    before.syncing?.revision === number ? before.syncing : { since: new Date(now).toISOString() };
  const mark: Mark = { ...before, syncing: { revision: number, since } };
  const on = (message: string, until?: number) =>
    ({ is: 'Waiting', judgement: wait(mark, 'WaitingForApplicationSet', message, until) }) as const;
  if (syncTimeout === undefined) return on(missing);
  const from = parseTime(since) ?? now;
  const until = from + parseDuration(syncTimeout) * 1000;
  if (now >= until)
    return { is: 'Late', message: `Argo CD has not deployed it within ${syncTimeout}: ${missing}` };
  const minutes = Math.floor((now - from) / 60_000);
  return on(`${missing} Waiting for ${minutes}m of ${syncTimeout}.`, until);
}

/** Why an application is still deployed on clusters that a revision does not have; undefined when it is not. */
export function lingering(
  { seen }: Situation,
  { content }: { readonly content: Pick<Resolved, 'clusters'> },
): string | undefined {
  const left = seen.applicationSet?.deployments.find(
    (one) => one.isPresent && !content.clusters.some((cluster) => isOn(one, cluster)),
  );
  if (left === undefined) return undefined;
  const { cluster, secretName = cluster } = left;
  const isNamedAgain = content.clusters.some(({ name }) => name === cluster);
  return stillThere('The Application', { name: secretName, cluster: isNamedAgain ? secretName : cluster });
}

/** Says which Application Argo CD still has on a cluster that is left, and what to do where it stays. */
export const stillThere = (
  application: string,
  { name, cluster }: Pick<ObservedSecret, 'name' | 'cluster'>,
): string =>
  `${application} for cluster ${cluster} is still there. Argo CD deletes it when its ApplicationSet selects the cluster no longer, so have that select by argocd.clusterSecret.labels. If the cluster itself is gone, delete Secret ${name}.`;

/** Whether an application is looked at on a cluster: entries of a Cell may get another name, or name another cluster. */
const isOn = (
  { cluster, secretName }: ObservedDeployment,
  { name, secretName: wanted }: ResolvedCluster,
): boolean => (secretName === undefined ? cluster === name : secretName === wanted);
