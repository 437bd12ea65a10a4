import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cell } from '../../crds/cell.ts';
import { resources } from '../../crds/index.ts';
import { conditionsOf, kindPageName, kindPages } from './kind-page.ts';
import type { ResourceKind } from '../../crds/resource.ts';
import { fieldsIn, sectionsOf, structuresIn, type Field } from './schema-fields.ts';
import { structuralSchema } from '../../crds/structural-schema.ts';

const root = join(import.meta.dirname, '../..');

/** Where the conditions of a kind are written. */
const sources: Readonly<Record<string, string>> = {
  Cell: 'domain/rollout/report/status.ts',
  AWSTargetGroup: 'domain/discovery/target-group/target-group-check.ts',
  AWSApplicationLoadBalancerConfig: 'domain/load-balancers/load-balancer-config.ts',
  AWSNetworkLoadBalancerConfig: 'domain/load-balancers/load-balancer-config.ts',
  Check: 'domain/checks/status.ts',
  StagedBindingPolicy: 'domain/staged/status.ts',
};
const SYNCED = 'domain/discovery/sync-status.ts';

/** Where those of a Cell with applications are, which has some of them in common. */
const OF_APPLICATIONS = 'domain/applications/status.ts';

const typesIn = (file: string): readonly string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/\btype: '(\w+)',\s*holds\b/g)].map(
    ([, type = '']) => type,
  );

const kinds: readonly ResourceKind[] = resources;

const pages = kindPages(kinds);
const linesOf = (file: string): readonly string[] => (pages.get(file) ?? '').split('\n');

/** The first table of the fields of a spec on a page. */
const specTable = (page: string): string => /\n## spec\n([^]*?)\n#/.exec(`${page}\n#`)?.[1] ?? '';

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .trim()
    .replaceAll(' ', '-');

describe('the page about a kind', () => {
  const withConditions = kinds.filter((one) => Object.keys(conditionsOf(one)).length > 0);

  it.each(withConditions)('$kind has the conditions that are written', (one) =>
    expect(Object.keys(conditionsOf(one))).toEqual([
      ...new Set([
        ...typesIn(sources[one.kind] ?? SYNCED),
        ...(one.kind === 'Cell' ? typesIn(OF_APPLICATIONS) : []),
      ]),
    ]),
  );

  it('is about every file that writes conditions', () => {
    const files = globSync('domain/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
    const writing = files.filter((file) => typesIn(file).length > 0);
    expect(writing.toSorted()).toEqual(
      [...new Set([...Object.values(sources), SYNCED, OF_APPLICATIONS])].toSorted(),
    );
  });

  it.each(kinds)('$kind leads to its guide', (one) => {
    const [, guide = ''] = /\[The guide\]\(([^)#]+)/.exec(pages.get(kindPageName(one)) ?? '') ?? [];
    expect(existsSync(join(root, 'docs/kinds', guide))).toBe(true);
    expect(guide).not.toBe('');
  });

  it.each([
    ['a field that must be there', 'cell-ingress.md', '| `type` **required**<br>string ≤ 64 |'],
    ['a default', 'cell-update-strategy.md', '| `type`<br>`Canary` or `BlueGreen`, default `"Canary"` |'],
    ['a column', 'cell.md', '| columns | '],
    [
      'a field of the status',
      'cell-status.md',
      '| `blockedVersions[].version`<br>string | The version that failed. |',
    ],
    ['a condition', 'cell-status.md', '| `TargetGroupsAccepted` | every selected'],
    ['where the reasons are', 'cell-status.md', '[Troubleshooting](../troubleshooting.md#cell)'],
  ])('has %s', (_, file, begin) =>
    expect(linesOf(file).filter((line) => line.startsWith(begin))).toHaveLength(1),
  );

  it('shows each field of the spec of a Cell on one of its pages', () => {
    const tables = [...pages].filter(([file]) => file.startsWith('cell')).map(([, page]) => specTable(page));
    const shown = tables.flatMap((text) =>
      [...text.matchAll(/^\| \[?`(\w+)`/gm)].map(([, name = '']) => name),
    );
    const { properties = {} } = structuralSchema(cell.spec) as { readonly properties?: object };
    expect(shown.toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  it('leads to headings that are there', () => {
    for (const [file, page] of pages)
      for (const [, path = '', anchor = ''] of page.matchAll(/^\| \[`[^`]*`\]\(([^)#]*)#([^)]*)\)/gm)) {
        const headings = linesOf(path === '' ? file : path).filter((line) => line.startsWith('#'));
        expect(headings.map(anchorOf)).toContain(anchor);
      }
  });
});

describe('a field', () => {
  const bounded = { type: 'string', maxLength: 9, minLength: 1, description: 'A text.' };
  const duration = { 'x-kubernetes-int-or-string': true, default: '5m' };

  it.each([
    ['of a text', { a: bounded }, ['a: string ≤ 9']],
    ['of a number', { a: { type: 'integer', minimum: 0, maximum: 5 } }, ['a: integer 0–5']],
    ['with a default', { a: duration }, ['a: integer or string "5m"']],
    ['of few words', { a: { type: 'string', enum: ['x', 'y'] } }, ['a: `x` or `y`']],
    [
      'of a list of objects is told with what they have',
      { a: { type: 'array', maxItems: 2, items: { type: 'object', properties: { b: bounded } } } },
      ['a: list of object, ≤ 2 items', 'a[].b: string ≤ 9'],
    ],
    [
      'of a map of lists',
      { a: { additionalProperties: { type: 'array', items: { type: 'string' } } } },
      ['a: map of list of string'],
    ],
    [
      'whose fields are described elsewhere stands alone',
      { a: { type: 'object', description: 'As there.', properties: { b: { type: 'string' } } } },
      ['a: object'],
    ],
    [
      'of conditions stands alone',
      { conditions: { type: 'array', items: { type: 'object', properties: { b: bounded } } } },
      ['conditions: list of object'],
    ],
  ])('%s', (_, properties, told) => {
    const fields = fieldsIn({ properties });
    expect(
      fields.map(({ path, type, initial }) => [`${path}: ${type}`, initial ?? []].flat().join(' ')),
    ).toEqual(told);
  });

  it('that must be there says so, unless it has a default', () => {
    const fields = fieldsIn({ required: ['a', 'b'], properties: { a: bounded, b: duration, c: bounded } });
    expect(fields.map(({ isRequired }) => isRequired)).toEqual([true, false, false]);
  });

  const named = (...paths: readonly string[]): readonly Field[] =>
    paths.map((path) => ({ path, type: 'string', isRequired: false, description: '' }));
  const same = ['.key', '.operator', '.values'];
  const linkOf = (path: string) => `#${path}`;

  it('with the same fields below it as an earlier one leads there', () => {
    const fields = named(
      'spec.a',
      'spec.a.b',
      ...same.map((name) => `spec.a.b${name}`),
      'spec.c',
      ...same.map((name) => `spec.c${name}`),
    );
    const homes = structuresIn([{ fields, linkOf }]);
    const sections = [...sectionsOf('spec', fields, homes, linkOf)];
    expect(
      sections.map(({ path, rows }) => [path, rows.map(({ field, link }) => [field.path, link ?? ''])]),
    ).toEqual([
      [
        'spec',
        [
          ['spec.a', ''],
          ['spec.a.b', '#spec.a.b'],
          ['spec.c', '#spec.a.b'],
        ],
      ],
      ['spec.a.b', same.map((name) => [`spec.a.b${name}`, ''])],
    ]);
  });
});
