import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../config/config.ts';
import { resources } from '../crds/index.ts';

const chart = join(import.meta.dirname, 'charts/okra');
const read = <T>(file: string): T => parse(readFileSync(join(chart, file), 'utf8')) as T;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly definitions?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly minimum?: number;
}

const schema = read<Schema>('values.schema.json');
const resolved = (part: Schema): Schema =>
  part.$ref === undefined ? part : (schema.definitions?.[part.$ref.replace('#/definitions/', '')] ?? {});

/** The paths of the values that a chart has, down to where the schema takes any key. */
function pathsOf(values: unknown, part: Schema, path = ''): readonly string[] {
  const { properties } = resolved(part);
  if (properties === undefined || typeof values !== 'object' || values === null) return [path];
  return Object.entries(values).flatMap(([key, value]) =>
    pathsOf(value, properties[key] ?? {}, `${path}.${key}`),
  );
}

/** The paths of the values that the schema takes. */
function pathsIn(part: Schema, path = ''): readonly string[] {
  const { properties } = resolved(part);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([key, below]) => pathsIn(below, `${path}.${key}`));
}

const kustomize = join(chart, '../../kustomize');
const pods = [
  join(chart, 'templates/deployments.yaml'),
  ...['base/watchers.yaml', 'base/worker.yaml', 'components/dashboard/deployment.yaml'].map((path) =>
    join(kustomize, path),
  ),
];

describe('the chart', () => {
  it('has a default for each value that its schema takes, and no other value', () => {
    // Helm adds `global` to every chart.
    const taken = pathsIn(schema).filter((path) => path !== '.global');
    expect(pathsOf(read('values.yaml'), schema).toSorted()).toEqual(taken.toSorted());
  });

  it('refuses a value that it does not know, at each level', () => {
    const objects = [schema, ...Object.values(schema.properties ?? {}).map(resolved)];
    const open = objects.filter(
      ({ properties, additionalProperties }) => properties !== undefined && additionalProperties !== false,
    );
    expect(open).toEqual([]);
  });

  it('gives its pods no variables of Services, which bear the names of those of okrad', () => {
    const variables = { OKRA_DASHBOARD_PORT: 'tcp://10.100.0.7:80' };
    expect(() => loadConfig(variables)).toThrow('invalid OKRA_DASHBOARD_PORT: must be a port');
    const linked = pods.filter((path) => !readFileSync(path, 'utf8').includes('enableServiceLinks: false\n'));
    expect(linked).toEqual([]);
  });

  it('has its pods listen where a cluster of IPv6 asks them', () => {
    const paths = [
      ...pods,
      join(chart, 'templates/_helpers.tpl'),
      join(kustomize, 'components/dashboard-login/kustomization.yaml'),
    ];
    expect(paths.filter((path) => readFileSync(path, 'utf8').includes('0.0.0.0'))).toEqual([]);
  });

  it('gives okrad the 25 s that it may take to end', () => {
    const { minimum = 0 } = schema.properties?.['terminationGracePeriodSeconds'] ?? {};
    expect(minimum).toBeGreaterThan(25);
  });

  it('has the icon of the dashboard in it', () => {
    const icon = readFileSync(join(import.meta.dirname, '../cli/dashboard/assets/icon.svg'));
    const want = { icon: `data:image/svg+xml;base64,${icon.toString('base64')}` };
    expect([read('Chart.yaml'), read('../okra-crds/Chart.yaml')]).toMatchObject([want, want]);
  });

  it('names the kinds that it installs to Artifact Hub', () => {
    const { annotations } = read<{ annotations: Record<string, string> }>('../okra-crds/Chart.yaml');
    const listed = parse(annotations['artifacthub.io/crds'] ?? '') as { kind: string; name: string }[];
    const names = resources.map(
      ({ kind, plural, apiVersion }) => `${kind} ${plural}.${apiVersion.split('/')[0] ?? ''}`,
    );
    expect(listed.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual(names.toSorted());
  });
});
