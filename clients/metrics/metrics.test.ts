import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { definitions, type MetricDefinition } from './definitions.ts';

const ready = (condition: string, value: number) =>
  ({ name: 'okra_ready', labels: { condition }, value }) as const;

describe('metrics', () => {
  it('have states read at each scrape, and forget those that are gone', async () => {
    const metrics = createMetrics();
    const conditions = ['a', 'b'];
    metrics.states('process', () => conditions.map((one) => ready(one, 1)));
    expect(await metrics.scrape()).toContain('okra_ready{condition="a"} 1');
    conditions.shift();
    const text = await metrics.scrape();
    expect(text).not.toContain('condition="a"');
    expect(text).toContain('okra_ready{condition="b"} 1');
  });

  it('have states no more when their owner has ended', async () => {
    const metrics = createMetrics();
    const end = metrics.states('process', () => [ready('a', 1)]);
    end();
    expect(await metrics.scrape()).not.toContain('condition="a"');
  });

  it.each([
    ['cannot be read', () => Promise.reject(new Error('no answer'))],
    ['throws', () => JSON.parse('{') as never],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('are told all the same when a state %s', async (_, read) => {
    const metrics = createMetrics({ waitMilliseconds: 10 });
    metrics.states('budgets', read);
    metrics.states('process', () => [ready('a', 1)]);
    const text = await metrics.scrape();
    expect(text).toContain('okra_ready{condition="a"} 1');
    expect(text).toContain('okra_metrics_failures_total{state="budgets"} 1');
  });

  it('refuse nothing that is counted, whatever it is', async () => {
    const metrics = createMetrics();
    metrics.count('okra_rollouts_finished_total', { outcome: 'Completed' }, Number.NaN);
    metrics.count('okra_rollouts_finished_total', { outcome: 'Completed' }, -1);
    metrics.observe('okra_step_duration_seconds', { kind: 'pause', other: 'x' } as never, 1);
    expect(await metrics.scrape()).toContain('okra_rollouts_finished_total');
  });

  it.each(Object.entries<MetricDefinition>(definitions))(
    '%s has the name that Prometheus asks for',
    (name, { type, help, labels }) => {
      expect(name).toMatch(/^okra_[a-z][a-z_]*[a-z]$/);
      expect(name.endsWith('_total')).toBe(type === 'counter');
      expect(name.endsWith('_seconds') || type !== 'histogram').toBe(true);
      expect(help).toMatch(/\.$/);
      for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
    },
  );
});
