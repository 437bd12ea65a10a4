import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { definitions, type MetricDefinition } from '../../clients/metrics/definitions.ts';
import { staleIn } from './files.ts';
import { alerts, files, panels } from './monitoring.ts';

const own: Readonly<Record<string, MetricDefinition>> = definitions;

/** What Prometheus stores of a metric: of a histogram its buckets, their sum and their count. */
const storedOf = (name: string): readonly string[] =>
  own[name]?.type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name];

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

const sdkMetrics = [...read('docs/metrics.md').matchAll(/^\| `(temporal_\w+)`/gm)].map(
  ([, name = '']) => name,
);

const sdkStored = sdkMetrics.flatMap((name) =>
  name.includes('latency') ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name],
);
const served: ReadonlySet<string> = new Set([...Object.keys(own).flatMap(storedOf), ...sdkStored]);

const asked: readonly (readonly [string, string])[] = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

const namesIn = (expr: string): readonly string[] => expr.match(/\b(okra|temporal)_[a-z_]+/g) ?? [];

/** The labels that an expression selects by, sums by or says. */
const labelsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
  ...[...text.matchAll(/\{([^{}]*)\}/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/([a-z_]+)(?==|!=)/g)].map(([, label = '']) => label),
  ),
];

describe('what alerts and the dashboard ask', () => {
  it.each(asked)('of %s is served: %s', (_, expr) => {
    const names = namesIn(expr);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !served.has(name))).toEqual([]);
  });

  it.each(asked.filter(([, expr]) => !expr.includes('temporal_')))(
    'of %s is asked by labels that are there: %s',
    (_, expr) => {
      const labels = namesIn(expr).flatMap(
        (name) => own[name.replace(/_(bucket|sum|count)$/, '')]?.labels ?? own[name]?.labels ?? [],
      );
      // Those of a histogram, and of whoever is scraped.
      const known = new Set<string>([...labels, 'le', 'pod', 'namespace']);
      expect(labelsIn(expr).filter((label) => !known.has(label))).toEqual([]);
    },
  );

  it.each(alerts)(
    '$alert says in its summary what it has been summed by',
    ({ expr, annotations: { summary, description } }) => {
      const said = [...`${summary} ${description}`.matchAll(/\$labels\.([a-z_]+)/g)].map(
        ([, label]) => label,
      );
      const summed = new Set(labelsIn(expr));
      expect(said.filter((label = '') => !summed.has(label))).toEqual([]);
    },
  );

  it.each(alerts)('$alert adds up no two installations, and tells of each by itself', ({ expr }) => {
    const aggregated = [...expr.matchAll(/\b(?:sum|min|max)\s*(?:by \(([^)]*)\))?/g)];
    expect(aggregated.length).toBeGreaterThan(0);
    expect(aggregated.filter(([, by = '']) => !by.split(/,\s*/).includes('namespace'))).toEqual([]);
  });

  it('says why Cells are held', () => {
    const panel = panels.find(({ title }) => title === 'Why held');
    expect(panel?.targets[0]?.expr).toContain('okra_cell_held_seconds');
  });

  it('uses each metric of the Temporal SDK that is documented', () => {
    const used = new Set(asked.flatMap(([, expr]) => namesIn(expr)));
    expect(sdkStored.filter((name) => !used.has(name) && !/_(sum|count)$/.test(name))).toEqual([]);
  });
});

it('the page, the rules and the dashboard are what the tables say', () =>
  expect(staleIn(files())).toEqual([]));

describe('the runbook', () => {
  const runbook = 'docs/on-call.md';

  it('has a section for each alert, in their order, to which the alert links', () => {
    const sections = [...read(runbook).matchAll(/^### (Okra\w+)$/gm)].map(([, name = '']) => name);
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
    expect(alerts.map(({ annotations }) => annotations.runbook_url)).toEqual(
      sections.map((name) => `${runbook}#${name.toLowerCase()}`),
    );
  });

  it('is where the chart says, which may be another place', () => {
    const values: { readonly prometheusRule: { readonly runbookURL: string } } = parse(
      read('deploy/charts/okra/values.yaml'),
    );
    expect(values.prometheusRule.runbookURL).toBe(runbook);
    const template = read('deploy/charts/okra/templates/monitoring.yaml');
    expect(template).toContain(`replace "${runbook}" .Values.prometheusRule.runbookURL`);
  });
});
