import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What each pure room may import, apart from itself. */
const allowed: Readonly<Record<string, readonly RegExp[]>> = {
  crds: [/^zod$/],
  domain: [/^(semver|luxon)$/, /^\.\.\/crds\//],
  workflows: [/^@temporalio\/(workflow|common)$/, /^\.\.\/domain\//, /^type \.\.\/(crds|activities)\//],
};

/** The program that writes the manifests runs at build time and is no part of the definitions. */
const programs = new Set(['generate.ts']);

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)'/gms)].map(
    ([, type = '', from = '']) => `${type}${from}`,
  );
}

const files = (room: string): readonly string[] =>
  readdirSync(join(root, room)).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !programs.has(file),
  );

describe.each(Object.entries(allowed))('%s', (room, patterns) => {
  it('imports nothing but what it may', () => {
    const foreign = files(room).flatMap((file) =>
      importsOf(readFileSync(join(root, room, file), 'utf8'))
        .filter((from) => !/^(type )?\.\//.test(from))
        .filter(
          (from) =>
            !patterns.some((pattern) => pattern.test(from) || pattern.test(from.replace(/^type /, ''))),
        )
        .map((from) => `${file}: ${from}`),
    );
    expect(foreign).toEqual([]);
  });

  it('is there', () => expect(files(room).length).toBeGreaterThan(3));
});
