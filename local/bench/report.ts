import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { table, type Figure } from './figures.ts';
import { draw, type Plot } from './plot.ts';

/** What a group of the benchmark has measured. */
export interface Measured {
  readonly figures: readonly Figure[];
  /** All single values of which the figures are made, as they are kept as JSON. */
  readonly raw: unknown;
  /** By their names. */
  readonly plots?: Readonly<Record<string, Plot>>;
}

/** Where a report goes, besides the terminal. */
export interface ReportOptions {
  readonly group: string;
  /** The folder for the raw data; undefined: they are not kept. */
  readonly json?: string | undefined;
  /** Whether the table in docs/performance.md is written. */
  readonly write: boolean;
  /** On what was measured. */
  readonly machine: string;
  readonly say: (line: string) => void;
}

const page = join(import.meta.dirname, '../../docs/performance.md');
const images = join(import.meta.dirname, '../../docs/images');

/** Tells what a group has measured: as a table, as JSON, and in docs/performance.md. */
export async function report({ figures, raw, plots = {} }: Measured, options: ReportOptions): Promise<void> {
  const { group, json, write, machine, say } = options;
  const rows = table(figures);
  say(`\n${rows}\n`);
  const measuredAt = new Date().toISOString();
  if (json !== undefined) {
    await mkdir(json, { recursive: true });
    const kept = { group, measuredAt, machine, figures, raw };
    await writeFile(join(json, `${group}.json`), `${JSON.stringify(kept, undefined, 2)}\n`);
    for (const [name, plot] of Object.entries(plots)) await writeFile(join(json, `${name}.svg`), draw(plot));
  }
  if (!write) return;
  for (const [name, plot] of Object.entries(plots))
    await writeFile(join(images, `bench-${name}.svg`), draw(plot));
  const shown = Object.entries(plots).map(([name, { title }]) => `\n\n![${title}](images/bench-${name}.svg)`);
  const said = `Measured on ${measuredAt.slice(0, 10)}: \`--only ${group}\`, ${machine}.`;
  await writeFile(page, withPart(await readFile(page, 'utf8'), group, `${rows}\n\n${said}${shown.join('')}`));
}

/** Puts a text between the marks of a group, in the place of what is there. */
export function withPart(text: string, group: string, part: string): string {
  const [begin, end] = [`<!-- bench:${group} -->`, `<!-- /bench:${group} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from)
    throw new Error(`Expected the page to have ${begin} and ${end}, got a page without. Add them.`);
  return `${text.slice(0, from + begin.length)}\n\n${part}\n\n${text.slice(to)}`;
}
