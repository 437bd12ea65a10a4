import { digest } from '../../clients/digest.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { assumeFacts, type AssumedFacts } from '../../domain/applications/assumed.ts';
import { childName } from '../../domain/applications/names.ts';
import type {
  ObservedApplications,
  ObservedRevision,
  ObservedSecret,
} from '../../domain/applications/observation.ts';
import { secretsFor, writtenSecret } from '../../domain/applications/secrets.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { ObservedCell } from '../../domain/model/observation.ts';
import { freezesIn } from '../kubernetes/freezes.ts';
import { observeCell } from '../rollout/observe-cell.ts';
import { findMeasurements } from './measurements.ts';
import { observeApplication, presentCell } from './observe.ts';
import { readCell } from './dependencies.ts';
import { findRevisions } from './revisions.ts';

/** How objects are read. */
type Reader = Pick<KubernetesClient, 'get' | 'list' | 'serves'>;

/** A Cell with applications as Kubernetes alone shows it, and what is taken for granted of the rest. */
interface Glance {
  readonly observed: ObservedApplications;
  /** The Cells of its applications, by the names of these. */
  readonly children: Readonly<Record<string, ObservedCell>>;
  readonly assumed: readonly string[];
}

/** Looks at a Cell with applications without EKS, its clusters, Secrets and Argo CD: what was good is taken to be in place. */
export async function glanceAtApplications(kubernetes: Reader, key: ObjectKey): Promise<Glance | undefined> {
  const read = await readCell(kubernetes, key);
  if (read === undefined || read.object.metadata.deletionTimestamp !== undefined) return undefined;
  const { spec, problems } = read;
  const [revisions, measurements, freezes] = await Promise.all([
    findRevisions(kubernetes, read),
    findMeasurements(kubernetes, read),
    freezesIn(kubernetes, [key.namespace]),
  ]);
  const isReadable = problems.length === 0;
  const facts: AssumedFacts = isReadable
    ? assumeFacts({ spec, revisions, digest })
    : { clusters: [], resolved: {}, assumed: [] };
  const world = { revisions, measurements, resolved: facts.resolved };
  const looked = await Promise.all(
    (isReadable ? spec.applications : []).map(async (application) => {
      const seen = await observeApplication(read, application, { world, kubernetes });
      const deployments = deployed(seen.revisions);
      const child = { ...key, name: childName(key.name, application.name) };
      return {
        seen: seen.deployments === undefined ? seen : { ...seen, deployments },
        child: seen.child === undefined ? undefined : await observeCell(kubernetes, child),
      };
    }),
  );
  return {
    observed: {
      key,
      cell: presentCell(read),
      clusters: facts.clusters,
      secrets: secretsOf(spec.applications.map(({ name }) => ({ name, good: goodOf(revisions.get(name)) }))),
      applications: looked.map(({ seen }) => seen),
      freezes,
      digest: '',
    },
    children: Object.fromEntries(
      looked.flatMap(({ seen, child }) => (child === undefined ? [] : [[seen.name, child]])),
    ),
    assumed: facts.assumed,
  };
}

const goodOf = (revisions: readonly ObservedRevision[] = []): ObservedRevision | undefined =>
  revisions.find(({ isGood }) => isGood);

const deployed = (revisions: readonly ObservedRevision[]) =>
  (goodOf(revisions)?.content.clusters ?? []).map(({ secretName }) => ({
    secretName,
    isPresent: true,
    isHealthy: true,
    message: '',
  }));

/** The secrets that good revisions have. */
function secretsOf(
  applications: readonly { readonly name: string; readonly good: ObservedRevision | undefined }[],
): readonly ObservedSecret[] {
  return applications.reduce<readonly ObservedSecret[]>((before, { name, good }) => {
    if (good?.content.application.argocd === undefined) return before;
    const made = secretsFor(name, good.content, before).map(({ cluster, asking }) =>
      writtenSecret(cluster, asking),
    );
    return [...before.filter((one) => !made.some(({ name: written }) => written === one.name)), ...made];
  }, []);
}
