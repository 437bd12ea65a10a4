import { substitute, type AnalysisArgument } from './analysis-arguments.ts';
import { describe, expect, it } from 'vitest';
import type { AnalysisStep } from '../../../crds/cell.ts';
import { buildAnalysisRun, type AnalysisMetric, type AnalysisTemplateSpec } from './analysis-run.ts';

const cell = { spec: { replicas: 2 }, status: { desiredVersion: '2.0.0' } };
const rate: AnalysisMetric = { name: 'rate' };
const secretKeyRef = { name: 'datadog', key: 'api-key' };

function build(
  specs: readonly AnalysisTemplateSpec[],
  step: Omit<AnalysisStep, 'templates'> = {},
  mayBeEndless = false,
): ReturnType<typeof buildAnalysisRun> {
  const templates = specs.map((spec, i) => ({ name: `t${i + 1}`, spec }));
  return buildAnalysisRun(templates, { analysis: step, cell, mayBeEndless });
}

const argsOf = (declared: readonly AnalysisArgument[][], given: AnalysisStep['args']): unknown => {
  const metrics = declared.map((args, i) => ({ args, metrics: [{ name: `m${i}` }] }));
  const built = build(metrics, { args: given });
  return built.ok ? built.spec['args'] : built.problem;
};

describe('the arguments of an AnalysisRun', () => {
  it.each<[string, AnalysisArgument[][], AnalysisStep['args'], unknown]>([
    ['a given value', [[{ name: 'a' }]], [{ name: 'a', value: '1' }], [{ name: 'a', value: '1' }]],
    ['an empty value', [[{ name: 'a' }]], [{ name: 'a', value: '' }], [{ name: 'a', value: '' }]],
    ['a default', [[{ name: 'a', value: '1' }]], undefined, [{ name: 'a', value: '1' }]],
    [
      'a given value in place of a default',
      [[{ name: 'a', value: '1' }]],
      [{ name: 'a', value: '2' }],
      [{ name: 'a', value: '2' }],
    ],
    [
      'a given value in place of a secret',
      [[{ name: 'a', valueFrom: { secretKeyRef } }]],
      [{ name: 'a', value: '2' }],
      [{ name: 'a', value: '2' }],
    ],
    [
      'a default from a secret, by reference',
      [[{ name: 'a', valueFrom: { secretKeyRef } }]],
      undefined,
      [{ name: 'a', valueFrom: { secretKeyRef } }],
    ],
    [
      'a given secret, by reference',
      [[{ name: 'a', value: '1' }]],
      [{ name: 'a', valueFrom: { secretKeyRef } }],
      [{ name: 'a', valueFrom: { secretKeyRef } }],
    ],
    [
      'a field of the Cell that no template declares (A-C31)',
      [[]],
      [{ name: 'v', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } }],
      [{ name: 'v', value: '2.0.0' }],
    ],
    [
      'a number of the Cell (A-C32)',
      [[]],
      [{ name: 'r', valueFrom: { fieldRef: { fieldPath: 'spec.replicas' } } }],
      [{ name: 'r', value: '2' }],
    ],
    [
      'a default from a field of the Cell',
      [[{ name: 'v', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } }]],
      undefined,
      [{ name: 'v', value: '2.0.0' }],
    ],
    [
      'the default of whichever template has one',
      [[{ name: 'a' }], [{ name: 'a', value: '1' }], [{ name: 'a' }]],
      undefined,
      [{ name: 'a', value: '1' }],
    ],
    [
      'no two defaults',
      [[{ name: 'a', value: '1' }], [{ name: 'a', value: '2' }]],
      [{ name: 'a', value: '3' }],
      'The templates have different defaults for the argument a: 1 and 2. Make them agree.',
    ],
    [
      'no argument without a value',
      [[{ name: 'a' }]],
      undefined,
      'Argument a of AnalysisTemplate t1 has no value. Add it to args.',
    ],
    [
      'no argument given twice',
      [[]],
      [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
      ],
      'Argument a occurs twice. Remove one of them.',
    ],
    [
      'no field that is not there (A-C32)',
      [[]],
      [{ name: 'a', valueFrom: { fieldRef: { fieldPath: 'status.nope' } } }],
      'Argument a: invalid fieldPath status.nope: a Cell has no nope. Correct it.',
    ],
  ])('have %s', (_, declared, given, want) => expect(argsOf(declared, given)).toEqual(want));
});

describe('an AnalysisRun', () => {
  it('has the metrics and settings of the step and of all templates', () => {
    const built = build(
      [
        { metrics: [rate], dryRun: [{ metricName: 'rate' }] },
        { metrics: [{ name: 'errors' }], measurementRetention: [{ metricName: 'errors' }] },
      ],
      { dryRun: [{ metricName: 'err.*' }], measurementRetention: [{ metricName: 'rate', limit: 5 }] },
    );
    expect(built).toEqual({
      ok: true,
      spec: {
        metrics: [rate, { name: 'errors' }],
        args: [],
        dryRun: [{ metricName: 'err.*' }, { metricName: 'rate' }],
        measurementRetention: [{ metricName: 'rate', limit: 5 }, { metricName: 'errors' }],
      },
    });
  });

  it.each<[string, readonly AnalysisTemplateSpec[], Omit<AnalysisStep, 'templates'>, string]>([
    ['no metrics', [{}], {}, 'has no metrics'],
    [
      'a metric twice',
      [{ metrics: [rate] }, { metrics: [rate] }],
      {},
      'Metric rate occurs twice in AnalysisTemplate t1,',
    ],
    [
      'a setting twice',
      [{ metrics: [rate], dryRun: [{ metricName: 'rate' }] }],
      { dryRun: [{ metricName: 'rate' }] },
      'dryRun names rate twice in the step and its templates',
    ],
    [
      'a setting for no metric',
      [{ metrics: [rate] }],
      { dryRun: [{ metricName: 'x' }] },
      'x in dryRun matches no metric of the templates',
    ],
    [
      'a setting that is no expression',
      [{ metrics: [rate] }],
      { dryRun: [{ metricName: '*' }] },
      '* in dryRun matches no metric',
    ],
  ])('cannot have %s', (_, templates, step, problem) =>
    expect(build(templates, step)).toEqual({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    }),
  );

  const endless = 'Step analysis should have non-zero count.';
  it.each<[string, AnalysisMetric, AnalysisArgument[], string | undefined]>([
    ['an interval and no count', { name: 'm', interval: '1m' }, [], endless],
    ['an interval and the count 0', { name: 'm', interval: '1m', count: 0 }, [], endless],
    [
      'a count by an argument without a number',
      { name: 'm', interval: '1m', count: '{{args.n}}' },
      [{ name: 'n', value: '' }],
      endless,
    ],
    [
      'a count by an argument',
      { name: 'm', interval: '1m', count: '{{ args.n }}' },
      [{ name: 'n', value: '3' }],
      undefined,
    ],
    ['a count', { name: 'm', interval: '1m', count: 3 }, [], undefined],
    ['a count as text', { name: 'm', interval: '1m', count: '3' }, [], undefined],
    ['neither', { name: 'm' }, [], undefined],
  ])('A-C29 of a step with %s ends or is refused', (_, metric, args, problem) => {
    const built = build([{ metrics: [metric], args }]);
    expect(built.ok ? undefined : built.problem.slice(-endless.length)).toBe(problem);
    expect(build([{ metrics: [metric], args }], {}, true).ok).toBe(true);
  });
});

describe('a text with arguments', () => {
  it('is read once, however many spaces are in it', () => {
    const began = performance.now();
    expect(substitute('{{ args.a }}', [{ name: 'a', value: 'b' }])).toBe('b');
    expect(substitute(`{{args.${' '.repeat(100_000)}`, [])).toHaveLength(100_007);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
