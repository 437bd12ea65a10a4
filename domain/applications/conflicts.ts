import type { ObservedApplication, Resolved, ResolvedCluster } from './observation.ts';
import { APPLICATIONS_ANNOTATION } from './secrets.ts';
import { lastGood, type Situation, type Turn } from './situation.ts';

/** Says what stands in the place of something of an application, and is not its own; undefined when nothing does. */
export function findForeign({ seen, secrets, application, failed }: Turn): string | undefined {
  const { child, targetGroups, resolved } = seen;
  const expected = (what: string): string =>
    `${what} exists and does not belong to this Cell. Rename or delete it, or rename the application.`;
  if (child?.isOwn === false) return expected(`Cell ${child.name}`);
  const group = targetGroups.find(({ isOwn }) => !isOwn);
  if (group !== undefined) return expected(`AWSTargetGroup ${group.name}`);
  if (!resolved.ok || application.argocd === undefined) return undefined;
  for (const cluster of resolved.value.clusters) {
    const { name, isOwn, eksName } = secrets.find((one) => one.name === cluster.secretName) ?? {};
    if (isOwn === false)
      return `Secret ${name} exists and does not belong to this Cell. Delete it, or have its owner release it.`;
    // What goes back asks for what the good revision has.
    if (failed === undefined && eksName !== undefined && eksName !== cluster.eksName)
      return `${takenSecret(cluster, eksName)} The Secret goes once every application is in place on other clusters than ${eksName}; delete it yourself only if nothing is deployed by it.`;
  }
  return undefined;
}

/** Says why a cluster cannot have its secret: that of another cluster has the same name. */
export const takenSecret = ({ secretName, eksName }: ResolvedCluster, by: string): string =>
  `Secret ${secretName} for EKS cluster ${eksName} is that of EKS cluster ${by} of this Cell: their names differ only by letter case, - or _. Use one of them only, or have a Cell in another namespace use the other.`;

/** The labels by which an application is deployed on a cluster, or may be again. */
interface LabelHolder {
  readonly by: string;
  readonly secretName: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Says which label an application would take from another one: a label has one value on a cluster. What was in place only leaves to others the labels by which they are deployed. */
export function findTakenLabel(
  { spec, application: { name }, secrets, others }: Situation,
  { clusters, secretLabels, application: { argocd } }: Resolved,
  wasInPlace = false,
): string | undefined {
  const deployed = secrets.flatMap(({ name: secretName, applications }) =>
    Object.entries(applications).map(([by, labels]): LabelHolder => ({ by, secretName, labels })),
  );
  const holders = wasInPlace ? deployed : [...deployed, ...others.flatMap(returning)];
  if (argocd === undefined) return undefined;
  for (const { name: cluster, secretName } of clusters) {
    const own = secrets.find((one) => one.name === secretName)?.applications[name];
    for (const { by, secretName: held, labels } of holders) {
      if (by === name || held !== secretName) continue;
      // What it has asked for before it does not take.
      const key = Object.keys(secretLabels).find(
        (one) =>
          ![undefined, secretLabels[one]].includes(valueOf(labels, one)) &&
          valueOf(own, one) !== secretLabels[one],
      );
      if (key === undefined) continue;
      const cannot = `cannot set label ${key} of Secret ${secretName} to ${secretLabels[key]} for application ${name}: application ${by} has it as ${labels[key]} on cluster ${cluster}`;
      return spec.applications.some((one) => one.name === by)
        ? `${cannot}. Do it in two edits: have application ${by} leave the cluster or drop the label, and edit application ${name} once that is in place.`
        : `${cannot}, though the Cell no longer has it. Use another label; or, if application ${by} is no longer needed, remove it from the annotation ${APPLICATIONS_ANNOTATION} of the Secret.`;
    }
  }
  return undefined;
}

const valueOf = (labels: LabelHolder['labels'] = {}, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

function returning({ name: by, revisions }: ObservedApplication): readonly LabelHolder[] {
  const { clusters = [], secretLabels: labels = {}, application } = lastGood(revisions)?.content ?? {};
  const isDeployed = application?.argocd !== undefined;
  return isDeployed ? clusters.map(({ secretName }) => ({ by, secretName, labels })) : [];
}
