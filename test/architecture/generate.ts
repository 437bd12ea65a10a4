// Writes the tables of docs/design.md that describe the code, and prints the sizes; with --check it compares the rooms.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from '../../crds/generated-files.ts';
import { readImports, writeRoomTable } from './rooms.ts';
import { countProduct, writeSizeTable } from './size.ts';

const page = join(import.meta.dirname, '../../docs/design.md');

/** Replaces what is between the marks of a table. */
function replaceTable(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [before, rest] = text.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`docs/design.md has no table "${name}".`);
  return `${before}${begin}\n${table}\n\n${end}${after}`;
}

const sizes = writeSizeTable(countProduct());
process.stdout.write(`${sizes}\n`);
const rooms = replaceTable(readFileSync(page, 'utf8'), 'rooms', writeRoomTable(readImports()));
// Each line of code changes the sizes, so they are written and not compared.
const text = process.argv.includes('--check') ? rooms : replaceTable(rooms, 'sizes', sizes);
generate(new Map([[page, text]]), () => 'docs/design.md does not show what the rooms import.');
