import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Files that are made of something else, by their paths. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** The paths of the files that are not what they would be made now. */
export const staleIn = (files: GeneratedFiles): readonly string[] =>
  [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);

/** Writes the files, or with `--check` only looks at them; `complaint` says which are old. */
export function generate(files: GeneratedFiles, complaint: (old: readonly string[]) => string): void {
  if (!process.argv.includes('--check')) write(files);
  const old = staleIn(files);
  if (old.length === 0) return;
  process.stderr.write(`${complaint(old)} Run npm run generate.\n`);
  process.exitCode = 1;
}

/** Returns the page at a path with other texts between the marks of its parts: `<!-- name -->`, `<!-- /name -->`. */
export const withParts = (path: string, parts: Readonly<Record<string, string>>): string =>
  Object.entries(parts).reduce(
    (page, [name, part]) => {
      const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
      const [before, rest] = page.split(begin);
      const [, after] = rest?.split(end) ?? [];
      if (before === undefined || after === undefined) throw new Error(`${path} has no part "${name}".`);
      return `${before}${begin}\n${part}\n\n${end}${after}`;
    },
    readFileSync(path, 'utf8'),
  );

function write(files: GeneratedFiles): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
