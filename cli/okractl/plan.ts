import type { Command } from 'commander';
import { cell as cellKind } from '../../crds/cell.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { planApplications } from '../../domain/plan/applications-plan.ts';
import { planCell } from '../../domain/plan/plan.ts';
import { parseVersion } from '../../domain/versions/version.ts';
import { fieldsIn, withoutNulls, type Fields } from '../../domain/model/shape.ts';
import { inOneLine } from '../terminal-text.ts';
import { OFFLINE, refusedByServer } from './dry-run.ts';
import { badUsage, exitCodes, failed } from './exit.ts';
import { wrongReferences } from './field-references.ts';
import { isSound, lintObject, metadataProblems } from './lint-object.ts';
import { FILE, identityOf, placeOf, readManifests, repeated } from './manifests.ts';
import { forPrograms, outputOption, type OutputFormat } from './output.ts';
import { emptyCluster, lastOfEach, withApplied, type Reader } from './overlay.ts';
import { formatApplicationsPlan } from './plan-applications-text.ts';
import { formatPlan } from './plan-text.ts';
import { unpinning } from './rollback-patch.ts';
import type { Globals, Shell } from './shell.ts';
import { parseCell } from './target.ts';

interface PlanOptions extends Globals {
  readonly filename?: readonly string[];
  readonly assume?: readonly string[];
  readonly offline?: boolean;
  readonly output?: OutputFormat;
}

/** Adds `plan`. */
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
    .action(async (name: string | undefined, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<PlanOptions>();
      const { cluster, keys, unpinned } = await input(shell, name, options);
      const plans: (Planned & { readonly cell: string })[] = [];
      for (const key of keys) {
        const planned = await planOf(cluster, key, shell.now(), options);
        const cell = formatKey(key);
        if (planned.pin !== undefined && unpinned.has(cell)) shell.warn(pinStays(key, planned.pin));
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

interface Input {
  readonly cluster: Reader;
  readonly keys: readonly ObjectKey[];
  /** The Cells whose manifests have no version. */
  readonly unpinned: ReadonlySet<string>;
}

const pinStays = (key: ObjectKey, version: string): string =>
  inOneLine(
    `Cell ${formatKey(key)} stays pinned to ${version}: its manifest has no spec.version, and apply leaves one that it did not set. To unpin it: ${unpinning(key)}`,
  );

async function input(shell: Shell, name: string | undefined, options: PlanOptions): Promise<Input> {
  const { filename = [], offline = false } = options;
  if (offline && filename.length === 0)
    throw badUsage('Expected manifests with --offline, got none. Name a file with -f.');
  const session = offline ? undefined : shell.session(options);
  const namespace = options.namespace ?? session?.namespace ?? 'default';
  const cluster: Reader = session?.kubernetes ?? emptyCluster;
  if (filename.length === 0) {
    if (name === undefined) throw badUsage('Expected the name of a Cell, or manifests with -f, got neither.');
    return { cluster, keys: [parseCell(name, namespace)], unpinned: new Set() };
  }
  const objects = lastOfEach(await soundObjects(shell, filename, options), namespace);
  const named = name === undefined ? undefined : parseCell(name, namespace);
  const cells = objects
    .map((object) => ({ ...identityOf(object), spec: fieldsIn(object['spec']) }))
    .filter(({ apiVersion, kind }) => apiVersion === cellKind.apiVersion && kind === cellKind.kind)
    .map((cell) => ({ key: { namespace: cell.namespace ?? namespace, name: cell.name }, spec: cell.spec }));
  if (named === undefined && cells.length === 0)
    throw badUsage('Expected a Cell among the manifests, got none. Name the Cell that is meant.');
  return {
    cluster: withApplied(cluster, objects, namespace),
    keys: named === undefined ? cells.map(({ key }) => key) : [named],
    unpinned: new Set(cells.flatMap(({ key, spec }) => ('version' in spec ? [] : [formatKey(key)]))),
  };
}

/** The objects of manifests; throws what is no YAML, what no object may have whatever its kind, and what an API server refuses. */
async function soundObjects(
  shell: Shell,
  filename: readonly string[],
  options: PlanOptions,
): Promise<readonly Fields[]> {
  const { manifests, problems } = await readManifests(shell, filename);
  const looked = manifests.map((manifest) => ({ manifest, finding: lintObject(manifest.object) }));
  const refused = looked.flatMap(({ manifest, finding }) =>
    finding.is === 'Foreign'
      ? []
      : metadataProblems(manifest.object).map((problem) => `${placeOf(manifest)}: ${problem}`),
  );
  // What is wrong with a spec is shown in the plan.
  const sound = looked.flatMap(({ manifest, finding }) => (isSound(finding) ? [manifest] : []));
  const found = [...problems, ...refused];
  const all = found.length > 0 ? found : await refusedByServer(shell, options, sound);
  if (all.length > 0) throw badUsage(all.map(inOneLine).join('\n'));
  return manifests.map(({ object }) => withoutNulls(object));
}

/** A plan as programs and as people read it. */
interface Planned {
  readonly plan: { readonly problems: readonly string[] };
  readonly text: string;
  /** The version to which the Cell is pinned. */
  readonly pin?: string | undefined;
}

async function planOf(
  cluster: Reader,
  key: ObjectKey,
  now: number,
  { assume }: PlanOptions,
): Promise<Planned> {
  const wrong = assume?.find((version) => parseVersion(version) === undefined);
  if (wrong !== undefined)
    throw badUsage(`Expected a version such as 1.2.3 with --assume, got ${JSON.stringify(wrong)}.`);
  // What looks at a Cell takes a while to load.
  const { observeCell } = await import('../../activities/rollout/observe-cell.ts');
  const observed = await observeCell(cluster, key);
  if (observed.hasApplications === true) return planOfApplications(cluster, key, now, assume);
  if (observed.cell === undefined) throw isMissing(key);
  const planned = planCell(observed, { now, assume });
  const references = wrongReferences(observed.cell.spec).map(({ problem }) => problem);
  const plan = { ...planned, problems: [...planned.problems, ...references] };
  return { plan, text: formatPlan(formatKey(key), plan), pin: observed.cell.spec.version };
}

const isMissing = (key: ObjectKey): Error =>
  failed(`Expected Cell ${formatKey(key)}, got none, or one that is being deleted.`);

async function planOfApplications(
  cluster: Reader,
  key: ObjectKey,
  now: number,
  assume: PlanOptions['assume'],
): Promise<Planned> {
  if (assume !== undefined)
    throw badUsage(
      `Expected no --assume for ${formatKey(key)}, got one: its clusters are in its spec, so that the next ones are planned with -f.`,
    );
  const { glanceAtApplications } = await import('../../activities/applications/glance.ts');
  const glance = await glanceAtApplications(cluster, key);
  if (glance === undefined) throw isMissing(key);
  const plan = planApplications(glance, { now, assumed: glance.assumed });
  return { plan, text: formatApplicationsPlan(formatKey(key), plan) };
}
