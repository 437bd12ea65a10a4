import { Option } from 'commander';
import { Document, visit } from 'yaml';
import { resources } from '../../crds/index.ts';
import type { PrinterColumn } from '../../crds/resource.ts';
import { fieldsIn, isRecord, omit } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';
import { parseTime } from '../../domain/time.ts';
import { inOneLine, isPlain, plainly } from '../terminal-text.ts';
import type { Shell } from './shell.ts';

export type OutputFormat = 'json' | 'yaml' | 'wide' | 'name';

export const outputOption = (formats: readonly OutputFormat[] = ['json', 'yaml']): Option =>
  new Option('-o, --output <format>', 'the output format').choices([...formats]);

/** Writes a value for programs; undefined when it is to be shown to people. */
export function forPrograms(value: unknown, format: OutputFormat | undefined): string | undefined {
  if (format === 'json') return plainly(JSON.stringify(value, undefined, 2));
  if (format === 'yaml') return asYaml(value);
  return undefined;
}

/** Prints objects in the format that was asked for; when there are none, standard error says so. */
export function printObjects(
  { print, warn, show = print }: Pick<Shell, 'print' | 'warn'> & { readonly show?: (table: string) => void },
  output: OutputFormat | undefined,
  objects: {
    readonly value: unknown;
    readonly names: readonly string[];
    readonly none: string;
    readonly table: () => string;
  },
): void {
  const { value, names, none, table } = objects;
  const text = forPrograms(value, output);
  if (text !== undefined) print(text);
  else if (output === 'name') for (const name of names) print(inOneLine(name));
  else if (names.length === 0) warn(none);
  else show(table());
}

/** Writes a value as YAML; what a terminal would take for a command stands in it by its number, as in JSON. */
export function asYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && !isPlain(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return plainly(document.toString({ lineWidth: 0 }).trimEnd());
}

/** An object as it is shown: without what only the API server reads. */
export const shown = <Value extends object>(object: Value): Value => ({
  ...object,
  metadata: omit(fieldsIn(Reflect.get(object, 'metadata')), 'managedFields'),
});

/** Objects as `kubectl get -o json` lists them. */
export const listOf = (items: readonly object[]): object => ({
  apiVersion: 'v1',
  kind: 'List',
  items: items.map(shown),
});

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

/** A kind of Okra's, as far as it is shown. */
export type ShownKind = (typeof resources)[number];

/** Finds a kind by what people call it: its kind, its plural or a short name. */
export function kindCalled(word: string): ShownKind | undefined {
  const wanted = word.toLowerCase();
  return resources.find(({ kind, plural, shortNames }) => {
    const names: readonly string[] = [kind.toLowerCase(), plural, ...shortNames];
    return names.includes(wanted);
  });
}

/** An object as far as every one of them has it. */
export interface ShownObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
  };
}

interface TableOptions {
  readonly now: number;
  readonly wide: boolean;
  readonly namespaces: boolean;
}

/** Makes the table of objects of a kind, with the columns that kubectl has for it. */
export function tableOf(
  kind: Pick<ShownKind, 'namespaced'> & { readonly printerColumns: readonly PrinterColumn[] },
  objects: readonly ShownObject[],
  { now, wide, namespaces }: TableOptions,
): Table {
  // The message of a Cell says what it waits for, which is what one looks for first; a screen cuts it.
  const columns = kind.printerColumns.filter(
    ({ priority = 0, jsonPath }) => priority === 0 || wide || jsonPath === '.status.message',
  );
  const withNamespace = namespaces && kind.namespaced;
  const valueOf = (object: ShownObject, { type, jsonPath }: PrinterColumn): string => {
    const value = valueAt(object, jsonPath);
    return type === 'date' ? ageOf(typeof value === 'string' ? value : undefined, now) : cellText(value);
  };
  return {
    headings: [
      ...(withNamespace ? ['NAMESPACE'] : []),
      'NAME',
      ...columns.map(({ name }) => name.toUpperCase()),
    ],
    rows: objects.map((object) => [
      ...(withNamespace ? [object.metadata.namespace ?? ''] : []),
      object.metadata.name,
      ...columns.map((column) => valueOf(object, column)),
    ]),
  };
}

const SEGMENT = /\.((?:[^.[\\]|\\.)+)|\[(\*|-?\d+:?|\?\(@\.(\w+)=="([^"]*)"\))\]/gy;

/** Reads a field by the kind of path that printer columns have: `.a.b`, `[*]`, `[-1:]`, `[?(@.type=="Ready")]`. */
export function valueAt(object: unknown, path: string): unknown {
  let values: readonly unknown[] = [object];
  for (const [, name, inBrackets, key, wanted] of path.matchAll(SEGMENT)) {
    values = values.flatMap((value) => {
      if (name !== undefined) return isRecord(value) ? [value[name.replaceAll('\\', '')]] : [];
      if (inBrackets === '*' && isRecord(value)) return Object.values(value);
      const items: readonly unknown[] = Array.isArray(value) ? value : [];
      if (inBrackets === '*') return items;
      if (key !== undefined) return items.filter((item) => isRecord(item) && item[key] === wanted);
      return items.slice(Number.parseInt(inBrackets ?? '0', 10)).slice(0, 1);
    });
  }
  const found = values.filter((value) => value !== undefined);
  return found.length <= 1 ? found[0] : found;
}

export function cellText(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellText).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Says how long something takes in at most two units: `90s`, `5m30s`, `3h5m`, `4d2h`. */
export function formatDuration(milliseconds: number): string {
  const all = Math.max(0, Math.round(milliseconds / 1000));
  if (all < 120) return `${all}s`;
  const at = UNITS.findIndex(([, seconds]) => all >= seconds);
  let rest = all;
  const parts = UNITS.slice(at, at + 2).map(([unit, seconds]) => {
    const count = Math.floor(rest / seconds);
    rest %= seconds;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('');
}

/** Says how long ago a time was, as `kubectl get` does under AGE. */
export function ageOf(time: string | undefined, now: number): string {
  const at = parseTime(time);
  return at === undefined ? '-' : formatDuration(now - at);
}

/** Says a time and how far away it is: `2026-11-22T10:00:00Z (5m ago)`. */
export function formatTime(time: string | undefined, now: number): string | undefined {
  const at = parseTime(time);
  if (time === undefined || at === undefined) return undefined;
  const far = at <= now ? `${formatDuration(now - at)} ago` : `in ${formatDuration(at - now)}`;
  return `${withoutFraction(time)} (${far})`;
}

/** A time without fractions of a second, in which nobody is interested. */
export const withoutFraction = (time: string): string => time.replace(/\.\d+(?=Z|[+-]\d\d:\d\d$)/, '');
