import { cut } from '../../domain/text.ts';
import { inOneLine } from '../terminal-text.ts';

/** A table for people: a line of headings, and rows of as many cells. */
export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const GAP = '   ';

/** Lays a table out in columns, as kubectl does; `columns` cuts what does not fit on a screen. */
export function layOut({ headings, rows }: Table, columns?: number): string {
  const all = [headings, ...rows].map((row) => row.map(inOneLine));
  const widths = headings.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ''))));
  return all
    .map((row) => fitting(row.map((text, at) => padded(text, widths[at] ?? 0)).join(GAP), columns))
    .join('\n');
}

/** Lays out names with what they stand for, one below the other. */
export function layOutPairs(pairs: readonly (readonly [string, string | undefined])[], indent = ''): string {
  const given = pairs.filter((pair): pair is readonly [string, string] => pair[1] !== undefined);
  const width = Math.max(0, ...given.map(([name]) => widthOf(name) + 1));
  return given
    .map(([name, value]) => `${indent}${padded(`${name}:`, width)}  ${inOneLine(value)}`)
    .join('\n');
}

/** Cuts a line that does not fit on a screen. */
export function fitting(line: string, columns?: number): string {
  const text = line.trimEnd();
  return columns === undefined ? text : cut(text, Math.max(1, columns));
}

// What draws the edges of a tree, and how much room there has to be beside them.
const EDGES = '│├└─ ';
const SHORTEST = 5;

/** Breaks a line of a tree that does not fit on a screen between words; what follows stands below where it began. */
export function wrapped(line: string, columns: number): readonly string[] {
  const characters = Array.from(line.trimEnd());
  if (characters.length <= columns) return [characters.join('')];
  const start = characters.findIndex((character) => !EDGES.includes(character));
  const below = characters
    .slice(0, start)
    .map((edge) => (edge === '├' || edge === '│' ? '│' : ' '))
    .join('');
  // Where the edges take up the screen there is no use in breaking.
  if (start + SHORTEST > columns) return [fitting(line, columns)];
  const space = characters.lastIndexOf(' ', columns);
  const end = space > start ? space : columns;
  const rest = characters.slice(end).join('').trimStart();
  return [characters.slice(0, end).join(''), ...wrapped(below + rest, columns)];
}

/** A number of things: `1 problem`, `2 problems`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const widthOf = (text: string): number => Array.from(text).length;

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
