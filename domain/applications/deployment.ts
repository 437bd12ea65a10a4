import type { ObservedRevision } from './observation.ts';
import type { Situation } from './situation.ts';

/** Why an application is not deployed on the clusters of a revision yet; undefined when it is. */
export function undeployed({ seen }: Situation, { content }: ObservedRevision): string | undefined {
  const { applicationSet } = seen;
  if (applicationSet === undefined) return undefined;
  for (const { name } of content.clusters) {
    const found = applicationSet.deployments.find(({ cluster }) => cluster === name);
    if (found === undefined) return `No Application for cluster ${name} is there yet.`;
    if (!found.isPresent || !found.isHealthy) return found.message;
  }
  return undefined;
}

/** Why an application is still deployed on clusters that a revision does not have; undefined when it is not. */
export function lingering({ seen }: Situation, { content }: ObservedRevision): string | undefined {
  const left = seen.applicationSet?.deployments.find(
    ({ cluster, isPresent }) => isPresent && !content.clusters.some(({ name }) => name === cluster),
  );
  return left === undefined ? undefined : `The Application for cluster ${left.cluster} is still there.`;
}
