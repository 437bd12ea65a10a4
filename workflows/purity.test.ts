import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** What each pure room may import, apart from itself: packages, and files as they are named from the top. */
const allowed: Readonly<Record<string, readonly RegExp[]>> = {
  crds: [/^(zod|@marcbachmann\/cel-js)$/],
  domain: [/^(semver|luxon|re2js|@marcbachmann\/cel-js)$/, /^\/crds\//],
  workflows: [
    /^@temporalio\/(workflow|common)$/,
    /^@temporalio\/workflow\/lib\/global-attributes/,
    /^\/domain\//,
    /^type \/(crds|activities)\//,
  ],
};

/** What is for tests is no part of a room. */
const others = /^(testing\/.*|.*\.test\.ts)$/;

function importsOf(file: string, room: string): readonly string[] {
  const text = readFileSync(join(root, room, file), 'utf8');
  const place = posix.join('/', room, dirname(file));
  return [...text.matchAll(/^(?:import|export) (type )?[^;]*?from '([^']+)'/gms)].map(
    ([, type = '', from = '']) => `${type}${from.startsWith('.') ? posix.join(place, from) : from}`,
  );
}

const files = (room: string): readonly string[] =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !others.test(file),
  );

describe.each(Object.entries(allowed))('%s', (room, patterns) => {
  it('imports nothing but what it may', () => {
    const own = new RegExp(`^/${room}/(?!testing/)`);
    const foreign = files(room).flatMap((file) =>
      importsOf(file, room)
        .filter((from) =>
          [own, ...patterns].every(
            (pattern) => !pattern.test(from) && !pattern.test(from.replace(/^type /, '')),
          ),
        )
        .map((from) => `${file}: ${from}`),
    );
    expect(foreign).toEqual([]);
  });

  it('is there', () => expect(files(room).length).toBeGreaterThan(3));
});
