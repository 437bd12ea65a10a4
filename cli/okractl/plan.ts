import type { Command } from 'commander';
import { CELL, type KindRef } from '../../clients/kubernetes/kinds.ts';
import type { SnapshotOptions } from '../../clients/kubernetes/kubernetes-list.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { cell as cellKind } from '../../crds/cell.ts';
import { FIELD_MANAGER, LAST_APPLIED_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import {
  type Fields,
  fieldsIn,
  given,
  numberIn,
  parseJSON,
  recordsIn,
  textIn,
  withoutNulls,
} from '../../domain/model/fields.ts';
import { planApplications } from '../../domain/plan/applications-plan.ts';
import { planCell } from '../../domain/plan/plan.ts';
import { parseVersion } from '../../domain/versions/version.ts';
import { inOneLine } from '../terminal-text.ts';
import { lintObject, metadataProblems, wrongReferences } from './lint.ts';
import { FILE, identityOf, located, OFFLINE, readManifests, refusedByServer, repeated } from './manifests.ts';
import { forPrograms, outputOption } from './output.ts';
import { formatApplicationsPlan, formatPlan } from './plan-text.ts';
import { unpinning } from './rollback.ts';
import { badUsage, exitCodes, failed, type Shell } from './shell.ts';
import { parseCell } from './target.ts';
import type { Options } from './options.ts';

export function addPlan(program: Command, shell: Shell): void {
  program
    .command('plan')
    .description(
      'Shows what a Cell would do, step by step, with the weights of each target group: as it is, or with manifests applied. Writes nothing. Exits with status 2 when it finds problems.',
    )
    .argument('[name]', 'a Cell; default with -f: the Cells in the manifests')
    .option(...FILE)
    .option(
      '--assume <version>',
      'assume that target groups of this version exist; may be repeated',
      repeated,
    )
    .option(...OFFLINE)
    .addOption(outputOption())
    .action(async (options: Options, name: string | undefined) => {
      const { cluster, keys, unpinned } = await input(shell, name, options);
      const plans = [];
      for (const key of keys) {
        const planned = await planOf(cluster, key, shell.now(), options);
        const cell = formatKey(key);
        if (planned.pin !== undefined && unpinned.has(cell))
          shell.warn(
            inOneLine(
              `Cell ${cell} stays pinned to ${planned.pin}: its manifest has no spec.version, and apply does not remove a field that it did not set. To unpin it: ${unpinning(key)}`,
            ),
          );
        plans.push({ cell, ...planned });
      }
      const written = forPrograms(
        plans.map(({ cell, plan }) => ({ cell, plan })),
        options.output,
      );
      shell.print(written ?? plans.map(({ text }) => text).join('\n\n'));
      if (plans.some(({ plan }) => plan.problems.length > 0)) shell.exitWith(exitCodes.problems);
    });
}

async function input(shell: Shell, name: string | undefined, options: Options) {
  const { filename = [], offline = false } = options;
  if (offline && filename.length === 0) throw badUsage('--offline needs manifests. Name a file with -f.');
  const session = offline ? undefined : shell.session(options);
  const namespace = options.namespace ?? session?.namespace ?? 'default';
  const cluster: Reader = session?.kubernetes ?? emptyCluster;
  const objects =
    filename.length === 0 ? [] : lastOfEach(await soundObjects(shell, filename, options), namespace);
  const cells = objects
    .map((object) => ({ ...identityOf(object), spec: fieldsIn(object['spec']) }))
    .filter(({ apiVersion, kind }) => apiVersion === cellKind.apiVersion && kind === cellKind.kind)
    .map((cell) => ({ key: { namespace: cell.namespace ?? namespace, name: cell.name }, spec: cell.spec }));
  const keys = name === undefined ? cells.map(({ key }) => key) : [parseCell(name, namespace)];
  if (filename.length === 0 && name === undefined) throw badUsage('name a Cell, or pass manifests with -f.');
  if (keys.length === 0) throw badUsage('no Cell among the manifests. Name the Cell to plan.');
  return {
    cluster: withApplied(cluster, objects, namespace),
    keys,
    // The Cells whose manifests have no version.
    unpinned: new Set(cells.flatMap(({ key, spec }) => ('version' in spec ? [] : formatKey(key)))),
  };
}

/** The objects of manifests; throws what is no YAML, what no object may have whatever its kind, and what an API server refuses. */
async function soundObjects(
  shell: Shell,
  filename: readonly string[],
  options: Options,
): Promise<readonly Fields[]> {
  const { manifests, problems } = await readManifests(shell, filename);
  const own = manifests.filter(({ object }) => lintObject(object) !== undefined);
  const refused = own.flatMap((manifest) => located(manifest, metadataProblems(manifest.object)));
  // What is wrong with a spec is shown in the plan.
  const sound = own.filter(({ object }) => lintObject(object)?.length === 0);
  const found = [...problems, ...refused];
  const all = found.length > 0 ? found : await refusedByServer(shell, options, sound);
  if (all.length > 0) throw badUsage(all.map(inOneLine).join('\n'));
  return manifests.map(({ object }) => withoutNulls(object));
}

async function planOf(cluster: Reader, key: ObjectKey, now: number, { assume }: Options) {
  const wrong = assume?.find((version) => parseVersion(version) === undefined);
  if (wrong !== undefined)
    throw badUsage(`invalid --assume ${JSON.stringify(wrong)}: must be a version such as 1.2.3`);
  // What looks at a Cell takes a while to load.
  const { observeCell } = await import('../../activities/rollout/observe-cell.ts');
  const observed = await observeCell(cluster, key);
  if (observed.hasApplications === true) return planOfApplications(cluster, key, now, assume);
  if (observed.cell === undefined) throw isMissing(key);
  const { spec } = observed.cell;
  const { parts, problems } = planCell(observed, { now, assume });
  const plan = { parts, problems: [...problems, ...wrongReferences(spec).map(({ problem }) => problem)] };
  return { plan, text: formatPlan(`Cell ${formatKey(key)}, as it is now`, plan), pin: spec.version };
}

const isMissing = (key: ObjectKey): Error => failed(`Cell ${formatKey(key)} not found, or being deleted.`);

async function planOfApplications(cluster: Reader, key: ObjectKey, now: number, assume: Options['assume']) {
  if (assume !== undefined)
    throw badUsage(
      `--assume is not supported for ${formatKey(key)}: a Cell with applications names its clusters in its spec. Plan the next ones with -f.`,
    );
  const { glanceAtApplications } = await import('../../activities/applications/glance.ts');
  const glance = await glanceAtApplications(cluster, key);
  if (glance === undefined) throw isMissing(key);
  const applications = planApplications(glance, now);
  const problems = new Set([...glance.problems, ...applications.flatMap((one) => one.problems)]);
  const plan = { applications, assumed: glance.assumed, problems: [...problems] };
  return { plan, text: formatApplicationsPlan(key, applications, plan), pin: undefined };
}

type Reader = Pick<KubernetesClient, 'get' | 'list' | 'serves'>;

/** A cluster without objects, for plans that ask none. */
const emptyCluster: Reader = {
  get: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  serves: () => Promise.resolve(true),
};

/** The last manifest of each object, which is the one that counts when all are applied one after the other. */
function lastOfEach(objects: readonly Fields[], namespace: string): readonly Fields[] {
  const idOf = (object: Fields): string => JSON.stringify({ namespace, ...given(identityOf(object)) });
  return [...new Map(objects.map((object) => [idOf(object), object])).values()];
}

/** Reads a cluster as it would be with some objects applied to it; nothing is written. */
function withApplied(cluster: Reader, objects: readonly Fields[], defaultNamespace: string): Reader {
  const namespaceOf = (object: Fields): string => identityOf(object).namespace ?? defaultNamespace;
  const idIn = (kind: KindRef, object: Fields): string =>
    `${kind.namespaced ? namespaceOf(object) : ''}/${identityOf(object).name}`;
  const over = (kind: KindRef, before: readonly Fields[], isWanted: (object: Fields) => boolean) => {
    const next = new Map(before.map((object) => [idIn(kind, object), object]));
    for (const object of objects) {
      const isOfKind = object['apiVersion'] === kind.apiVersion && object['kind'] === kind.kind;
      if (!isOfKind || !isWanted(object)) continue;
      const id = idIn(kind, object);
      next.set(id, applyTo(next.get(id), object, kind.namespaced ? namespaceOf(object) : undefined));
    }
    return [...next.values()];
  };
  return {
    serves: (kind) => cluster.serves(kind),
    async get<T>(kind: KindRef, key: Parameters<Reader['get']>[1]): Promise<T | undefined> {
      const before = await cluster.get<Fields>(kind, key);
      const id = idIn(kind, { metadata: key });
      const found = over(kind, before === undefined ? [] : [before], (one) => idIn(kind, one) === id);
      return found[0] as T | undefined;
    },
    async list<T>(kind: KindRef, options: SnapshotOptions<T> = {}): Promise<T[]> {
      const before = await cluster.list<Fields>(kind, { ...options, trim: undefined });
      const { namespace } = options;
      const isThere = (object: Fields): boolean =>
        namespace === undefined || !kind.namespaced || namespaceOf(object) === namespace;
      // An object of the kind, as the API server would have it.
      return over(kind, before, isThere) as T[];
    },
  };
}

/** An object as it is once another is applied to it, in a namespace where it has one. */
function applyTo(before: Fields | undefined, object: Fields, namespace: string | undefined): Fields {
  const metadata = fieldsIn(before?.['metadata']);
  const generation = (numberIn(metadata['generation']) ?? 0) + 1;
  const pin = { ...specOf(object), version: specOf(before)['version'] };
  return {
    ...object,
    ...(staysPinned(before, object) ? { spec: pin } : {}),
    metadata: {
      uid: 'planned',
      ...metadata,
      ...fieldsIn(object['metadata']),
      ...given({ namespace }),
      generation,
    },
    // A manifest says nothing of it, whatever stands there.
    status: before?.['status'],
  };
}

const specOf = (object: Fields | undefined): Fields => fieldsIn(object?.['spec']);

/**
 * Whether the version to which a Cell is pinned stays when a manifest without one is applied: apply takes away only what
 * the manifest had before (https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/), and okractl rollback
 * is no manifest.
 */
function staysPinned(before: Fields | undefined, object: Fields): boolean {
  if (object['kind'] !== CELL.kind || !hasVersion(before) || 'version' in fieldsIn(object['spec']))
    return false;
  const { annotations, managedFields } = fieldsIn(before?.['metadata']);
  const owners = recordsIn(managedFields).filter(({ subresource }) => subresource === undefined);
  if (isAppliedByServer(owners)) return !isOnlyApplied(owners);
  return !hasVersion(parseJSON(textIn(fieldsIn(annotations)[LAST_APPLIED_ANNOTATION]) ?? ''));
}

const hasVersion = (object: unknown): boolean => fieldsIn(fieldsIn(object)['spec'])['version'] !== undefined;

// Okra applies what it adds by itself, such as a finalizer, and others apply labels to what is not theirs.
const isApplied = ({ operation, manager, fieldsV1 }: Fields): boolean =>
  operation === 'Apply' && manager !== FIELD_MANAGER && 'f:spec' in fieldsIn(fieldsV1);
const isByClient = ({ manager }: Fields): boolean => manager === 'kubectl-client-side-apply';

/** Whether it was applied by the server last, and so is again. */
const isAppliedByServer = (owners: readonly Fields[]): boolean =>
  owners.some(isApplied) && lastOf(owners.filter(isApplied)) >= lastOf(owners.filter(isByClient));

const lastOf = (owners: readonly Fields[]): string =>
  owners
    .map(({ time }) => textIn(time) ?? '')
    .toSorted()
    .at(-1) ?? '';

/** Whether the version is of nobody but who applies: the server removes a field that has no owner any more. */
function isOnlyApplied(owners: readonly Fields[]): boolean {
  const ofVersion = owners.filter(({ fieldsV1 }) => 'f:version' in fieldsIn(fieldsIn(fieldsV1)['f:spec']));
  return ofVersion.length === 1 && ofVersion.every(isApplied);
}
