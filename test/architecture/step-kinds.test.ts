import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

const SCHEMA = 'crds/update-strategy.ts';
const REGISTRY = 'domain/steps/kinds.ts';
const rooms = ['activities', 'cli', 'clients', 'crds', 'domain', 'watchers', 'workflows'];

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const files = rooms
  .flatMap((room) =>
    readdirSync(join(root, room), { recursive: true }).map((file) => posix.join(room, String(file))),
  )
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/'))
  // A StagedBindingPolicy has stages and requests, of which one is called pause, and no steps.
  .filter((file) => !file.startsWith('domain/staged/'))
  // Of applications there are requests of that name as well.
  .filter((file) => file !== 'domain/applications/requests.ts');

const keysIn = (file: string, table: string): readonly string[] => {
  const text = textOf(file);
  const begins = text.slice(text.indexOf(`const ${table}`));
  const entries = begins.slice(0, begins.indexOf('\n}')).matchAll(/^ {2}(\w+)[:,]/gm);
  return [...entries].map(([, key = '']) => key);
};

describe('a kind of step', () => {
  const kinds = keysIn(SCHEMA, 'stepKinds');

  it('is one that the schema and the registry have', () => {
    expect(kinds).toContain('setWeight');
    expect(keysIn(REGISTRY, 'stepKinds')).toEqual(kinds);
  });

  it.each(kinds)('%s takes a schema and a row of the registry', (kind) => {
    const knows = new RegExp(String.raw`StepSpec<'${kind}'>|\.kind [!=]== '${kind}'|^ +case '${kind}':`, 'm');
    const known = files.filter((file) => knows.test(textOf(file)));
    expect(known.filter((file) => file !== REGISTRY)).toEqual([]);
  });
});
