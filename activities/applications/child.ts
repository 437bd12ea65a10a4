import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import { isConflict, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { cell as cellKind, type Cell } from '../../crds/cell.ts';
import {
  APPLICATION_LABEL,
  childOf,
  type Child,
  type ChildTargetGroup,
  type Conditions,
} from '../../domain/applications/child.ts';
import { groupsToWrite } from '../../domain/applications/groups.ts';
import { childName } from '../../domain/applications/names.ts';
import type {
  ObservedChild,
  ObservedRevision,
  ObservedTargetGroup,
} from '../../domain/applications/observation.ts';
import { mergePatch } from '../../domain/discovery/merge-patch.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/controller.ts';
import { ADOPT_ANNOTATION, API_VERSION, CELL_LABEL, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { mayAdopt } from '../../domain/versions/watched.ts';
import { failure } from '../failure.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';
import { remove } from '../kubernetes/remove.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';
import { conditionsOfRule } from './rule.ts';

/** What there is of the Cell of an application, and of its target groups. */
export interface FoundChild {
  readonly object: Cell | undefined;
  readonly groups: readonly AWSTargetGroup[];
}

/** Finds the Cell of an application, and all AWSTargetGroups of its labels or names. */
export async function findChild(
  kubernetes: KubernetesClient,
  { key }: Pick<ReadCell, 'key'>,
  application: string,
  all?: readonly AWSTargetGroup[],
): Promise<FoundChild> {
  const { namespace } = key;
  const name = childName(key.name, application);
  const [object, groups] = await Promise.all([
    kubernetes.get<Cell>(CELL, { namespace, name }),
    all ?? kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
  ]);
  return { object, groups: groups.filter((group) => isOfApplication(group, key.name, application)) };
}

const isOfApplication = ({ metadata }: AWSTargetGroup, cell: string, application: string): boolean =>
  metadata.name.startsWith(`${childName(cell, application)}-`) ||
  (metadata.labels?.[CELL_LABEL] === cell && metadata.labels[APPLICATION_LABEL] === application);

const isOwnedBy = (object: { readonly metadata: Cell['metadata'] }, uid: string | undefined): boolean =>
  uid !== undefined && controllerOf(object.metadata)?.uid === uid;

/** The AWSTargetGroups of an application, as they are observed; those of its Cell are its own. */
export const observedGroups = (
  groups: readonly AWSTargetGroup[],
  childUid: string | undefined,
): readonly ObservedTargetGroup[] =>
  groups.map((group) => ({
    name: group.metadata.name,
    arn: group.spec.arn,
    version: group.metadata.labels?.[VERSION_LABEL] ?? '',
    isOwn: isOwnedBy(group, childUid),
  }));

/** The Cell of an application, as it is observed. */
export function observedChild(
  cell: ReadCell,
  of: { readonly application: ApplicationOfCell; readonly revisions: readonly ObservedRevision[] },
  { object }: FoundChild,
): ObservedChild | undefined {
  if (object === undefined) return undefined;
  const { metadata, spec, status = {} } = object;
  const revision = of.revisions.find(({ version }) => version === spec.version);
  const conditions = conditionsIn(object);
  const wanted =
    revision === undefined ? undefined : childOf({ ...sourceOf(cell, of.application, revision), conditions });
  return {
    name: metadata.name,
    isOwn: isOwnedBy(object, cell.uid),
    uid: metadata.uid ?? '',
    generation: metadata.generation ?? 0,
    isDeleting: metadata.deletionTimestamp !== undefined,
    version: spec.version,
    isAsDesired: wanted !== undefined && isAsWanted(object, wanted, mayAdopt(cell.object.metadata)),
    status,
  };
}

const sourceOf = (
  { key, spec }: Pick<ReadCell, 'key' | 'spec'>,
  application: ApplicationOfCell,
  revision: ObservedRevision,
) => ({ cell: { name: key.name, spec }, application, revision });

/** The conditions of the rule as the Cell of an application has them. */
function conditionsIn(object: Cell): Conditions {
  const rule = object.spec.ingress?.awsApplicationLoadBalancer?.listener?.rule;
  if (rule === undefined) return {};
  const { priority: _priority, forward: _forward, ...conditions } = rule;
  return conditions;
}

/** Whether a Cell asks for what it is to ask for; defaults are filled in on both sides. */
function isAsWanted({ metadata, spec }: Cell, wanted: Child, adopt: boolean): boolean {
  const isMarked = Object.entries(wanted.labels).every(([key, value]) => metadata.labels?.[key] === value);
  return (
    isMarked && mayAdopt(metadata) === adopt && canonical(complete(spec)) === canonical(complete(wanted.spec))
  );
}

function complete(spec: unknown): unknown {
  const parsed = cellKind.parseSpec(spec);
  return parsed.ok ? parsed.value : spec;
}

/**
 * Makes the Cell of an application and the AWSTargetGroups of a revision: its spec, new groups, the labels of groups that
 * both revisions have, and last what goes, so that no look between two writes finds less of what serves.
 */
export async function applyChild(
  cell: ReadCell,
  of: {
    readonly application: ApplicationOfCell;
    readonly revision: ObservedRevision;
    readonly keep: ObservedRevision | undefined;
  },
  means: ApplicationsDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { application, revision, keep } = of;
  const { kubernetes } = means;
  const found = await findChild(kubernetes, cell, application.name);
  const { object } = found;
  if (object !== undefined && !isOwnedBy(object, cell.uid))
    throw foreign('Cell', cell.key, object.metadata.name);
  const conditions = object === undefined ? undefined : conditionsIn(object);
  const wanted = childOf({
    ...sourceOf(cell, application, revision),
    conditions: conditions ?? (await conditionsOfRule(application, cell, means, signal)),
  });
  if (wanted === undefined) return;
  const uid = await writeCell(kubernetes, cell, wanted, object);
  const plan = groupsToWrite({
    wanted: wanted.targetGroups,
    found: observedGroups(found.groups, uid),
    version: revision.version,
    kept: keep === undefined ? [] : keep.content.targetGroups.map(({ arn }) => arn),
  });
  const [taken] = plan.foreign;
  if (taken !== undefined) throw foreign('AWSTargetGroup', cell.key, taken);
  const owner = { key: { namespace: cell.key.namespace, name: wanted.name }, uid };
  for (const group of [...plan.create, ...plan.relabel]) await writeGroup(kubernetes, owner, group);
  for (const name of plan.remove) {
    const group = found.groups.find(({ metadata }) => metadata.name === name);
    const at = { namespace: cell.key.namespace, name };
    await remove(kubernetes, { kind: AWS_TARGET_GROUP, key: at }, group?.metadata.uid ?? '');
  }
}

const foreign = (kind: string, { namespace }: ReadCell['key'], name: string): Error =>
  failure(
    'Conflict',
    `Expected ${kind} ${namespace}/${name} to belong to this Cell, got one of someone else, which is left as it is. Delete or rename it, or rename the application.`,
  );

async function writeCell(
  kubernetes: KubernetesClient,
  { key, uid, object: parent }: ReadCell,
  { name, labels, spec }: Child,
  found: Cell | undefined,
): Promise<string> {
  const { namespace } = key;
  const object = {
    apiVersion: API_VERSION,
    kind: 'Cell',
    metadata: {
      namespace,
      name,
      labels: { ...parent.metadata.labels, ...labels },
      ...(mayAdopt(parent.metadata) ? { annotations: { [ADOPT_ANNOTATION]: 'true' } } : {}),
      ownerReferences: ownedByCell({ key, uid }),
    },
    spec,
  };
  try {
    const written: Cell =
      found === undefined
        ? await kubernetes.create(object)
        : // The uid keeps this from making another one, should it be deleted meanwhile.
          await kubernetes.apply(
            { ...object, metadata: { ...object.metadata, uid: found.metadata.uid } },
            { force: true },
          );
    await withoutOthers(kubernetes, written, spec);
    return written.metadata.uid ?? '';
  } catch (error) {
    if (isConflict(error))
      throw failure('Unavailable', `Cell ${formatKey({ namespace, name })} was changed meanwhile.`);
    throw error;
  }
}

/** Takes out of a Cell what someone else has added, which a server-side apply that does not name it leaves there. */
async function withoutOthers(kubernetes: KubernetesClient, written: Cell, spec: object): Promise<void> {
  if (canonical(complete(written.spec)) === canonical(complete(spec))) return;
  const { name, namespace = '', resourceVersion } = written.metadata;
  const patch = mergePatch(jsonOf(written.spec), jsonOf(spec));
  await kubernetes.patch(CELL, { namespace, name }, { metadata: { resourceVersion }, spec: patch });
}

const jsonOf = (spec: object): Parameters<typeof mergePatch>[0] => JSON.parse(JSON.stringify(spec));

async function writeGroup(
  kubernetes: KubernetesClient,
  owner: Parameters<typeof ownedByCell>[0],
  { name, arn, labels }: ChildTargetGroup,
): Promise<void> {
  await kubernetes.apply(
    {
      apiVersion: API_VERSION,
      kind: 'AWSTargetGroup',
      metadata: { namespace: owner.key.namespace, name, labels, ownerReferences: ownedByCell(owner) },
      spec: { arn },
    },
    { force: true },
  );
}
