import { digest } from '../../clients/digest.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { assumeFacts, type AssumedFacts } from '../../domain/applications/assumed.ts';
import { childName } from '../../domain/applications/names.ts';
import type {
  ObservedApplication,
  ObservedApplications,
  ObservedRevision,
  ObservedSecret,
} from '../../domain/applications/observation.ts';
import { secretsFor, writtenSecret } from '../../domain/applications/secrets.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { ObservedCell } from '../../domain/model/observation.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { freezesIn } from '../kubernetes/freezes.ts';
import { observeCell } from '../rollout/observe-cell.ts';
import type { ReadCell } from './dependencies.ts';
import { forwardHashOf, readCell } from './parts.ts';
import { findMeasurements } from './measurements.ts';
import { findRevisions } from './revisions.ts';
import { findChild, groupNames, observedChild, observedGroups } from './seen-child.ts';

/** How objects are read. */
type Reader = Pick<KubernetesClient, 'get' | 'list' | 'serves'>;

/** A Cell with applications as Kubernetes alone shows it, and what is taken for granted of the rest. */
export interface Glance {
  readonly observed: ObservedApplications;
  /** The Cells of its applications, by the names of these. */
  readonly children: Readonly<Record<string, ObservedCell>>;
  readonly assumed: readonly string[];
}

/** Looks at a Cell with applications without EKS, its clusters, Secrets and Argo CD: what was good is taken to be in place. */
export async function glanceAtApplications(kubernetes: Reader, key: ObjectKey): Promise<Glance | undefined> {
  const read = await readCell(kubernetes, key);
  if (read === undefined || read.object.metadata.deletionTimestamp !== undefined) return undefined;
  const { object, uid, spec, problems } = read;
  const [revisions, measurements, freezes] = await Promise.all([
    findRevisions(kubernetes, read),
    findMeasurements(kubernetes, read),
    freezesIn(kubernetes, [key.namespace]),
  ]);
  const isReadable = problems.length === 0;
  const facts: AssumedFacts = isReadable
    ? assumeFacts({ spec, revisions, digest })
    : { clusters: [], resolved: {}, assumed: [] };
  const looked = await Promise.all(
    (isReadable ? spec.applications : []).map((application) =>
      glanceAt(kubernetes, read, {
        application,
        revisions: revisions.get(application.name) ?? [],
        resolved: facts.resolved[application.name] ?? { ok: false, problems: [] },
        measurements: measurements.get(application.name) ?? [],
      }),
    ),
  );
  const { generation = 0 } = object.metadata;
  const cell = { uid, generation, isDeleting: false, spec, status: object.status ?? {}, problems };
  return {
    observed: {
      key,
      cell,
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

interface Known extends Pick<ObservedApplication, 'revisions' | 'resolved' | 'measurements'> {
  readonly application: ApplicationOfCell;
}

/** Looks at one application, and at its Cell. */
async function glanceAt(
  kubernetes: Reader,
  read: ReadCell,
  { application, revisions, resolved, measurements }: Known,
): Promise<{ readonly seen: ObservedApplication; readonly child: ObservedCell | undefined }> {
  const { key } = read;
  const { name } = application;
  const names = groupNames(read, resolved.ok ? [resolved.value] : []);
  const [found, forwardHash] = await Promise.all([
    findChild(kubernetes, read, { application: name, names }),
    forwardHashOf(kubernetes, key, application),
  ]);
  const child = observedChild(read, revisions, found);
  const deployments = deployed(revisions);
  return {
    child:
      child === undefined
        ? undefined
        : await observeCell(kubernetes, { ...key, name: childName(key.name, name) }),
    seen: {
      name,
      resolved,
      revisions,
      ...(application.argocd?.applicationSet === undefined ? {} : { deployments }),
      ...(child === undefined ? {} : { child }),
      targetGroups: observedGroups(found.groups, found.object?.metadata.uid),
      forwardHash,
      measurements,
    },
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
