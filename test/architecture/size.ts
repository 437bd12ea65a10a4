import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, productRooms } from './rooms.ts';

const root = join(import.meta.dirname, '../..');

/** How much code there is. */
export interface Size {
  readonly files: number;
  readonly lines: number;
  /** The lines of the file in the middle, when all are ordered by their length. */
  readonly median: number;
}

/** The product may not become larger than this. These numbers only go down, to 570 files and 62,000 lines at first. */
export const limits: Omit<Size, 'median'> = { files: 480, lines: 57_400 };

/** The size that the product should have. */
export const goal: Size = { files: 520, lines: 57_000, median: 95 };

const isProduct = (file: string): boolean =>
  /\.(ts|mjs)$/.test(file) && !file.endsWith('.test.ts') && !/(^|\/)testing\//.test(file);

const countLines = (file: string): number =>
  (readFileSync(join(root, file), 'utf8').match(/\n/g) ?? []).length;

function sizeOf(files: readonly string[]): Size {
  const counts = files.map(countLines).toSorted((a, b) => a - b);
  const lines = counts.reduce((sum, count) => sum + count, 0);
  return { files: counts.length, lines, median: counts[Math.floor((counts.length - 1) / 2)] ?? 0 };
}

/** Counts the product by room, and in all: programs without tests and without what is for tests. */
export function countProduct(): ReadonlyMap<string, Size> {
  const byRoom = new Map<string, readonly string[]>(
    productRooms.map((room) => [room, filesIn(room).filter(isProduct)]),
  );
  byRoom.set('worker.ts', ['worker.ts']);
  return new Map([
    ...[...byRoom].map(([room, files]) => [room, sizeOf(files)] as const),
    ['all', sizeOf([...byRoom.values()].flat())],
  ]);
}

const written = (count: number): string => count.toLocaleString('en-US');

/** Writes the table of sizes, as docs/design.md shows it. */
export function writeSizeTable(sizes: ReadonlyMap<string, Size>): string {
  const row = (name: string, { files, lines, median }: Omit<Size, 'median'> & { median?: number }): string =>
    `| ${name} | ${written(files)} | ${written(lines)} | ${median === undefined ? '' : median} |`;
  return [
    '| room | files | lines | median |',
    '| --- | --: | --: | --: |',
    ...[...sizes].map(([name, size]) => row(name === 'all' ? '**all**' : `\`${name}\``, size)),
    row('at most', limits),
    row('goal: at most, median at least', goal),
  ].join('\n');
}
