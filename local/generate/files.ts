import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Files that are made of something else, by their paths. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** The paths of the files that are not what they would be made now. */
export const staleIn = (files: GeneratedFiles): readonly string[] =>
  [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);

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

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Writes what each module says in `files`, or with `--check` only compares it. */
async function generate(words: readonly string[]): Promise<void> {
  for (const module of words.filter((word) => word !== '--check')) {
    const { files } = (await import(pathToFileURL(resolve(module)).href)) as { files: () => GeneratedFiles };
    const made = files();
    if (!words.includes('--check'))
      for (const [path, text] of made) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
    const old = staleIn(made);
    if (old.length === 0) continue;
    process.stderr.write(`${old.join(' and ')} out of date. Run npm run generate.\n`);
    process.exitCode = 1;
  }
}

// The modules import this one, which has to be there before them.
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) void generate(process.argv.slice(2));
