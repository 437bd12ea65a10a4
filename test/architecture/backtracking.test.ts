import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { resources } from '../../crds/index.ts';
import { literalsIn } from '../support/backtracking/literals.ts';
import { slowTextFor } from '../support/backtracking/pumps.ts';

const root = join(import.meta.dirname, '../..');
const rooms = ['domain', 'activities', 'clients', 'watchers', 'workflows', 'crds', 'cli', 'config'];

/** What okrad is made of: the files of the rooms, and those beside them. */
const programs = [
  ...rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  ),
  ...readdirSync(root),
]
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\/|^vitest\.config/.test(file))
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

/** What is slow, with where it is. */
function slow(expressions: readonly (readonly [where: string, expression: RegExp])[]): readonly string[] {
  const once = new Map(expressions.map(([where, expression]) => [String(expression), { where, expression }]));
  return [...once.values()].flatMap(({ where, expression }) => {
    const text = slowTextFor(expression);
    return text === undefined ? [] : [`${where}: ${String(expression)} takes long for ${text}`];
  });
}

/** Evaluates a file, and gives the expressions that it puts together by the way. */
async function builtIn(file: string): Promise<readonly RegExp[]> {
  const built: RegExp[] = [];
  const recording = new Proxy(RegExp, {
    construct(target, [source, flags]: [RegExp | string, string | undefined]) {
      const expression = new target(source, flags);
      built.push(expression);
      return expression;
    },
  });
  vi.resetModules();
  vi.stubGlobal('RegExp', recording);
  try {
    await import(join(root, file));
  } finally {
    vi.unstubAllGlobals();
  }
  return built;
}

function matchesIn(manifest: unknown): readonly RegExp[] {
  if (typeof manifest === 'string')
    return [...manifest.matchAll(/matches\('([^']*)'\)/g)].map(
      ([, source = '']) => new RegExp(source.replaceAll('\\\\', '\\')),
    );
  return typeof manifest === 'object' && manifest !== null ? Object.values(manifest).flatMap(matchesIn) : [];
}

// Whoever can write an object, or answer Okra, chooses the texts that these are held against.
describe('no regular expression takes long for any text', () => {
  it('of those that are written out', () => {
    const written = programs.flatMap(({ file, text }) =>
      literalsIn(text).map((expression) => [file, expression] as const),
    );
    expect(written.length).toBeGreaterThan(50);
    expect(slow(written)).toEqual([]);
  });

  it('of those that are put together', async () => {
    const files = programs.filter(({ text }) => text.includes('new RegExp(')).map(({ file }) => file);
    const all: (readonly [file: string, expression: RegExp])[] = [];
    // One after the other: what is replaced, is replaced for all.
    for (const file of files)
      all.push(...(await builtIn(file)).map((expression) => [file, expression] as const));
    expect(all.map(([file]) => file)).toContain('clients/kubernetes/cluster-secret.ts');
    expect(slow(all)).toEqual([]);
  });

  it.each(resources.map((resource) => [resource.plural, resource] as const))(
    'of those in %s',
    (plural, resource) => {
      expect(slow(matchesIn(resource.manifest()).map((expression) => [plural, expression]))).toEqual([]);
    },
  );
});

describe('what finds them', () => {
  it.each([
    /\/+$/,
    /^-+|-+$/g,
    /\s+$/,
    /x[^/]*y/,
    /[^A-Z]+$/,
    /[^/]+$/,
    /[^\]]+$/,
    /(a+)+$/,
    /^(\d+\.?)+$/,
    /([^.]+|\[.*\])*$/,
    /^https:\/\/(\w+\.?)+(:\d+)?$/,
  ])('finds %s', (expression) => expect(slowTextFor(expression)).toBeDefined());

  it.each([/^\/+/, /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, /^[^\s,/@]+(\s*,\s*[^\s,/@]+)*$/, /a+b/y])(
    'passes over %s',
    (expression) => expect(slowTextFor(expression)).toBeUndefined(),
  );

  it('reads them out of a program', () => {
    const program = [
      '#!/usr/bin/env node',
      '// no /a/ here, nor /* there',
      'const a: number = 4 / 2 / 1;',
      'const b = `/c/${ { d: /e[/]f/g }.d.test(\'/h/\') ? `${/i/}` : /j\\//u } /k/` + "/l/";',
      'const m = (x: string) => /n/.test(x) && (a + 1) / 2 / a;',
      'function o() { return /p/i; }',
    ];
    expect(literalsIn(program.join('\n')).map(String)).toEqual(['/e[/]f/g', '/i/', '/j\\//u', '/n/', '/p/i']);
  });
});
