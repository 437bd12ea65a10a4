import { describe, expect, it } from 'vitest';
import { endOf, isOver } from './analysis.ts';
import { runOkractl, type FakeObject } from './testing/shell.ts';

const template = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AnalysisTemplate',
  metadata: { name: 'success-rate', namespace: 'default' },
  spec: {
    args: [{ name: 'service-name' }, { name: 'query', value: 'up' }, { name: 'token' }],
    metrics: [{ name: 'rate', provider: { web: { url: 'http://x' } } }],
  },
} as FakeObject;
const given = ['--args', 'service-name=foo', '--args-from-secrets', 'token=api.key'];
const create = (...words: readonly string[]) =>
  runOkractl(['create', 'analysisrun', '--template-name', 'success-rate', ...words], { objects: [template] });

describe('create analysisrun', () => {
  it('A-L04 makes a run with the arguments and the defaults of the template', async () => {
    const { done, out, code } = await create(...given);
    expect(code).toBe(0);
    expect(done).toMatchObject([
      {
        create: {
          kind: 'AnalysisRun',
          metadata: {
            name: expect.stringMatching(/^success-rate-[0-9a-f]{5}$/) as unknown,
            namespace: 'default',
            labels: { 'okra.mumo.co/timestamp': '20261122100000' },
          },
          spec: {
            args: [
              { name: 'service-name', value: 'foo' },
              { name: 'query', value: 'up' },
              { name: 'token', valueFrom: { secretKeyRef: { name: 'api', key: 'key' } } },
            ],
          },
        },
      },
    ]);
    expect(out).toContain('kind: AnalysisRun');
  });

  it('only shows it with --dry-run', async () => {
    expect(await create(...given, '--dry-run', 'r1')).toMatchObject({ code: 0, done: [] });
  });

  it.each([
    [['--args', 'service=foo'], 1, /argument service does not exist in analysisrun template success-rate/],
    [[], 1, /Argument service-name of .* has no value/],
    [['--args', 'foo'], 2, /invalid --args "foo": must be NAME=VALUE/],
    [['--args-from-secrets', 'token=api'], 2, /must be NAME=SECRET\.KEY/],
  ])('A-L04 says what is wrong with %j', async (words, code, said) => {
    const outcome = await create(...words);
    expect(outcome.err).toMatch(said);
    expect([outcome.code, outcome.done]).toEqual([code, []]);
  });

  it('keeps commas that are within a value', async () => {
    const { done } = await create('--args', 'query=sum(a,b),service-name=foo,token=x');
    expect(JSON.stringify(done)).toContain('{"name":"query","value":"sum(a,b)"}');
  });
});

describe('update analysisrun', () => {
  const run = (phase: string) =>
    ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: { name: 'r1', namespace: 'default' },
      status: { phase },
    }) as FakeObject;
  const update = (phase: string, ...words: readonly string[]) =>
    runOkractl(['update', 'analysisrun', 'r1', ...words], { objects: [run(phase)] });

  it('gives it the phase, in any case, with who has judged', async () => {
    const { done, out } = await update('Running', '--phase', 'failed');
    expect(done).toMatchObject([{ patch: { status: { phase: 'Failed', message: 'Set by ann.' } } }]);
    expect(out).toBe('AnalysisRun default/r1 set to Failed.\n');
    expect((await update('Running')).out).toContain('Successful');
  });

  it('refuses another phase, and a run that is over', async () => {
    expect(await update('Running', '--phase', 'good')).toMatchObject({ code: 2, done: [] });
    expect(await update('Successful', '--phase', 'failed')).toMatchObject({ code: 1, done: [] });
  });
});

describe('the end of an AnalysisRun', () => {
  const metadata = { name: 'r1', namespace: 'default' };
  const error = {
    phase: 'Error',
    message: 'too many errors',
    metricResults: [
      { name: 'ok', phase: 'Successful', measurements: [{ message: 'unimportant' }] },
      {
        name: 'rate',
        phase: 'Error',
        measurements: [{ message: 'first' }, { message: 'connection refused' }],
      },
    ],
  };

  it('A-L09 has the message of the last measurement', () => {
    expect(endOf({ metadata, status: error })).toEqual({
      isGood: false,
      message: 'AnalysisRun r1 is Error: too many errors',
      said: ['rate: connection refused'],
    });
    expect(endOf({ metadata, status: { phase: 'Successful' } })).toMatchObject({ isGood: true, said: [] });
  });

  it('A-L09 is no good one without a successful measurement', () => {
    const metricResults = [{ name: 'smoke', phase: 'Successful' }];
    expect(endOf({ metadata, status: { phase: 'Successful', metricResults } })).toMatchObject({
      isGood: false,
      message: expect.stringContaining('r1 is Inconclusive: cannot decide: metric smoke') as string,
    });
  });

  it.each([
    ['Running', false],
    ['Inconclusive', true],
    [undefined, false],
  ])('is there in phase %s: %s', (phase, over) =>
    expect(isOver(phase === undefined ? {} : { status: { phase } })).toBe(over),
  );
});
