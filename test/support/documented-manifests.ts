import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const root = join(import.meta.dirname, '../..');

/** An object as it stands in the documentation. */
export interface DocumentedManifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly spec?: object;
}

/** A block of a page that is marked as YAML. */
export interface DocumentedBlock {
  /** The page, and the line of the block's first line, from 1. */
  readonly place: string;
  readonly page: string;
  readonly manifests: readonly DocumentedManifest[];
}

/** The pages of the documentation, by their paths from the top. */
export const pages = [
  'README.md',
  'local/elbv2-proxy/README.md',
  ...globSync('docs/**/*.md', { cwd: root, exclude: ['docs/site/**'] }),
].toSorted();

/** Reads a file, by its path from the top. */
export const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const manifestsIn = (text: string): readonly DocumentedManifest[] =>
  parseAllDocuments(text).map((document): DocumentedManifest => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS();
  });

/** The Cell that pages show only fields of. */
const example = manifestsIn(read('docs/examples/cell.yaml')).find(({ kind }) => kind === 'Cell');

/** Takes the rest of what is only a `spec` from the example. */
const complete = (shown: DocumentedManifest): DocumentedManifest =>
  Object.keys(shown).join() === 'spec'
    ? { ...example, ...shown, spec: { ...example?.spec, ...shown.spec } }
    : shown;

/** Reads the blocks of a page that are marked as YAML. */
export function blocksOf(page: string): readonly DocumentedBlock[] {
  const blocks: DocumentedBlock[] = [];
  let open: { line: number; lines: string[] } | undefined;
  for (const [index, text] of read(page).split('\n').entries()) {
    if (open !== undefined && text.trim() === '```') {
      const manifests = manifestsIn(open.lines.join('\n')).map(complete);
      blocks.push({ place: `${page}:${open.line}`, page, manifests });
      open = undefined;
    } else if (open !== undefined) open.lines.push(text);
    else if (/^ *```ya?ml\b/.test(text)) open = { line: index + 2, lines: [] };
  }
  return blocks;
}
