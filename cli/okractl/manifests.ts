import { isMap, isNode, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { keysOf } from '../../domain/kubernetes/field-path.ts';
import { type Fields, fieldsIn, isRecord, omit, recordsIn, textIn } from '../../domain/model/fields.ts';
import { inOneLine } from '../terminal-text.ts';
import { badUsage, type Session, type Shell } from './shell.ts';
import { messageOf } from '../../domain/text.ts';
import type { Options } from './options.ts';

export interface Manifest {
  readonly file: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly object: Fields;
  /** The line of a field, or of the last above it that there is. */
  readonly lineOf: (keys: readonly string[]) => number;
}

/** Takes each value of an option that may be repeated. */
export function repeated(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export const FILE = [
  '-f, --filename <path>',
  'a file or a folder with manifests, or - for standard input; may be repeated',
  repeated,
] as const;

export async function readManifests(shell: Shell, paths: readonly string[]) {
  if (paths.length === 0) throw badUsage('no manifests given. Name a file or folder with -f.');
  const files = (await Promise.all(paths.map((path) => readable(path, shell.filesAt(path))))).flat();
  const read = await Promise.all(
    files.map(async (file) => parseManifests(file, await readable(file, shell.read(file)))),
  );
  return {
    manifests: read.flatMap(({ manifests }) => manifests),
    problems: read.flatMap(({ problems }) => problems),
  };
}

async function readable<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw badUsage(`cannot read manifests from ${path}: ${messageOf(error)}`);
  }
}

/** Takes the objects out of a file; those of a List stand for themselves. */
function parseManifests(file: string, text: string) {
  const lineCounter = new LineCounter();
  const manifests: Manifest[] = [];
  // What is no YAML, or no object.
  const problems: string[] = [];
  for (const document of parseAllDocuments(text, { lineCounter, prettyErrors: false })) {
    const at = (offset: number): number => lineCounter.linePos(offset).line;
    const [error] = document.errors;
    if (error !== undefined) {
      problems.push(`${file}:${at(error.pos[0])}: invalid YAML: ${error.message}`);
      continue;
    }
    if (document.contents === null) continue;
    const line = at(document.contents.range?.[0] ?? 0);
    let value: unknown;
    try {
      // An alias may refer to nothing, and all of them expand to too much.
      value = document.toJS({ maxAliasCount: 1_000 });
    } catch (failure) {
      problems.push(`${file}:${line}: invalid YAML: ${messageOf(failure)}`);
      continue;
    }
    if (!isRecord(value)) {
      problems.push(
        `${file}:${line}: invalid manifest: must be an object with apiVersion and kind, not a ${typeof value}`,
      );
      continue;
    }
    const isList = value['kind'] === 'List';
    for (const [index, object] of (isList ? recordsIn(value['items']) : [value]).entries()) {
      const below = isList ? ['items', String(index)] : [];
      const lineOf = (keys: readonly string[]) => at(offsetOf(document.contents, [...below, ...keys]));
      manifests.push({ file, line, object, lineOf });
    }
  }
  return { manifests, problems };
}

/** Where a field begins in a document: its key, or its item in a list; where there is none, what is above it. */
function offsetOf(contents: unknown, keys: readonly string[]): number {
  let offset = isNode(contents) ? (contents.range?.[0] ?? 0) : 0;
  let at: unknown = contents;
  for (const key of keys) {
    const pair = isMap(at)
      ? at.items.find(({ key: name }) => isScalar(name) && String(name.value) === key)
      : undefined;
    at = isSeq(at) ? at.items[Number(key)] : pair?.value;
    const named = pair?.key ?? at;
    if (!isNode(named)) break;
    offset = named.range?.[0] ?? offset;
  }
  return offset;
}

/** Reads what an object says it is; what it does not say is empty. */
export function identityOf(object: Fields) {
  const metadata = fieldsIn(object['metadata']);
  return {
    apiVersion: textIn(object['apiVersion']) ?? '',
    kind: textIn(object['kind']) ?? '',
    name: textIn(metadata['name']) ?? '',
    namespace: textIn(metadata['namespace']),
  };
}

// The first path in what is said of a manifest.
const PATH = /\b(?:spec|metadata)(?:\.\w+|\[[^\]]*\])+/;

/** Says where a manifest stands, or the field in it that a problem names, and what it is. */
export function placeOf({ file, line: begins, object, lineOf }: Manifest, problem = ''): string {
  const keys = keysOf(PATH.exec(problem)?.[0] ?? '');
  const line = keys === undefined ? begins : lineOf(keys);
  const { kind, name } = identityOf(object);
  return `${file}:${line}: ${kind === '' ? 'object' : kind} ${name === '' ? 'without a name' : name}`;
}

/** Problems of a manifest, each with where it is. */
export const located = (manifest: Manifest, problems: readonly string[]): readonly string[] =>
  problems.map((problem) => `${placeOf(manifest, problem)}: ${problem}`);

export const OFFLINE = ['--offline', 'use only the manifests, and contact no cluster'] as const;

/** Asks the API server, where there is one, to apply manifests by dry run; answers what it refuses. */
export async function refusedByServer(
  shell: Shell,
  options: Options,
  manifests: readonly Manifest[],
): Promise<readonly string[]> {
  const session = manifests.length === 0 ? undefined : sessionAtHand(shell, options);
  if (session === undefined) return [];
  const refused: string[] = [];
  for (const manifest of manifests) {
    try {
      await dryRun(shell, session, manifest.object);
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      const { status, message } = error;
      if (status === 400 || status === 422) {
        refused.push(`${placeOf(manifest, message)}: refused by the API server: ${message}`);
        continue;
      }
      shell.warn(inOneLine(`${placeOf(manifest)}: not checked by the API server: ${message}`));
      if (status === 0) break;
    }
  }
  return refused;
}

/** Reaches the cluster of the kubeconfig; undefined where none is named and none is usual. */
function sessionAtHand(shell: Shell, options: Options): Session | undefined {
  if (options.offline === true) return undefined;
  try {
    return shell.session(options);
  } catch (error) {
    if (options.kubeconfig !== undefined || options.context !== undefined) throw error;
    return undefined;
  }
}

async function dryRun({ signal }: Shell, session: Session, object: Fields): Promise<void> {
  const { apiVersion, kind, name } = identityOf(object);
  // What is exported from a cluster says who has written it, which no apply takes.
  const own = omit(fieldsIn(object['metadata']), 'managedFields');
  const metadata = { namespace: session.namespace, ...own, name };
  await session.kubernetes.apply(
    { ...object, apiVersion, kind, metadata },
    { dryRun: true, force: true, signal },
  );
}
