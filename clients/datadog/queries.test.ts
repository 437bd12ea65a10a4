import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveDatadog, type DatadogServer } from '../../local/datadog/server.ts';
import { reduce, type Answer } from '../../domain/checks/judge.ts';
import { askDatadog, type DatadogQuestion } from './queries.ts';

const MINUTE = 60_000;
const NOW = 1_800_000_000_000;
const window = { from: NOW - 5 * MINUTE, to: NOW, bucketMs: MINUTE };
const keys = { apiKey: 'the-api-key', appKey: 'the-app-key' };

const metrics = (name: string, query: string) => ({ name, dataSource: 'metrics' as const, query });
const errors = metrics('errors', 'sum:errors{*}');
const hits = metrics('hits', 'sum:hits{*}');

describe('Datadog', () => {
  let datadog: DatadogServer;
  const open = (async () => {
    datadog = await serveDatadog({ ...keys, now: () => NOW + MINUTE / 2 });
  })();
  beforeEach(async () => {
    await open;
    datadog.known.clear();
    datadog.instead.length = 0;
    datadog.asked.length = 0;
  });
  beforeAll(async () => {
    await open;
    await ask({ queries: [errors] });
  });
  afterAll(() => datadog[Symbol.asyncDispose]());

  const ask = (question: DatadogQuestion['question'], more: Partial<DatadogQuestion> = {}, access = {}) =>
    askDatadog(
      { url: datadog.url, ...keys, ...access },
      { question, response: 'Timeseries', aggregator: 'avg', window, ...more },
      new AbortController().signal,
    );
  const values = (answer: Answer) => reduce(answer, window, 'avg');

  it('answers a query of the API v1, and nothing for one that it does not know', async () => {
    datadog.known.set('avg:errors{cluster:a}', 0.05);
    expect(values(await ask({ query: 'avg:errors{cluster:a}' }))).toEqual([{ group: '', value: 0.05 }]);
    expect(values(await ask({ query: 'avg:errors{cluster:b}' }))).toEqual([]);
  });

  it('answers by group, with nulls where nothing was reported', async () => {
    datadog.known.set('avg:errors{*} by {pod}', { groups: { 'pod:a': 1, 'pod:b': null } });
    const answer = await ask({ query: 'avg:errors{*} by {pod}' });
    expect(values(answer)).toEqual([{ group: 'pod:a', value: 1 }, { group: 'pod:b' }]);
  });

  it('has a last bucket that is not complete, which never counts', async () => {
    datadog.known.set('avg:errors{*}', 60);
    const until = { from: NOW - MINUTE, to: NOW + MINUTE, bucketMs: MINUTE };
    const answer = await ask({ query: 'avg:errors{*}' }, { window: until });
    const points = answer.is === 'Series' ? (answer.series[0]?.points ?? []) : [];
    expect(points.at(-1)?.[1]).toBeLessThan(60);
    expect(reduce(answer, window, 'min')).toEqual([{ group: '', value: 60 }]);
  });

  describe('in buckets of 5 minutes, though asked for those of one', () => {
    const rolled = metrics('errors', 'sum:errors{*}.rollup(sum, 300)');
    const times = [NOW - 10 * MINUTE, NOW - 5 * MINUTE, NOW];
    const v1 = {
      status: 'ok',
      series: [{ interval: 300, pointlist: times.map((time) => [time, time / NOW]) }],
    };
    const attributes = { series: [{ group_tags: [] }], times, values: [times.map((time) => time / NOW)] };
    const v2 = { data: { type: 'timeseries_response', attributes } };
    const forms: [string, DatadogQuestion['question'], object][] = [
      ['v1', { query: 'sum:errors{*}.rollup(sum, 300)' }, v1],
      ['v2', { queries: [rolled] }, v2],
      ['v2, of one of the queries', { queries: [errors, rolled] }, v2],
      ['v2, as the times show', { queries: [errors] }, v2],
    ];

    it.each(forms)('counts those that are complete in the window (%s)', async (_, question, body) => {
      const wide = { from: NOW - 6 * MINUTE, to: NOW + 2 * MINUTE, bucketMs: MINUTE };
      datadog.instead.push({ status: 200, body: JSON.stringify(body) });
      const answer = await ask(question, { window: wide });
      expect(reduce(answer, wide, 'last')).toEqual([{ group: '', value: (NOW - 5 * MINUTE) / NOW }]);
    });

    it.each(forms)('says so where none is (%s)', async (_, question, body) => {
      const narrow = { from: NOW - 6 * MINUTE, to: NOW - MINUTE, bucketMs: MINUTE };
      datadog.instead.push({ status: 200, body: JSON.stringify(body) });
      await expect(ask(question, { window: narrow })).rejects.toMatchObject({
        trouble: { is: 'Refused' },
        message: expect.stringContaining('no bucket of 300 s is complete in the window of 300 s') as string,
      });
    });
  });

  it('counts the last of buckets that a rollup makes shorter', async () => {
    const times = [NOW - 10_000];
    const attributes = { series: [{ group_tags: [] }], times, values: [[7]] };
    const body = { data: { type: 'timeseries_response', attributes } };
    datadog.instead.push({ status: 200, body: JSON.stringify(body) });
    const answer = await ask({ queries: [metrics('a', "sum:errors{*}.as_count().rollup('sum',10)")] });
    expect(values(answer)).toEqual([{ group: '', value: 7 }]);
  });

  it('computes a formula over several queries of the API v2, as a series and as one value', async () => {
    datadog.known.set('sum:errors{*}', 5);
    datadog.known.set('sum:hits{*}', 100);
    const question = { queries: [errors, hits] };
    const formula = '100 * errors / hits';
    expect(values(await ask(question, { formula }))).toEqual([{ group: '', value: 5 }]);
    expect(values(await ask(question, { formula, response: 'Scalar', aggregator: 'sum' }))).toEqual([
      { group: '', value: 5 },
    ]);
  });

  it('has no value for a division by zero', async () => {
    datadog.known.set('sum:errors{*}', 0);
    datadog.known.set('sum:hits{*}', 0);
    expect(values(await ask({ queries: [errors, hits] }, { formula: 'errors / hits' }))).toEqual([
      { group: '' },
    ]);
  });

  it('groups series and values of the API v2', async () => {
    datadog.known.set('sum:errors{*}', { groups: { 'pod:a': 1, 'pod:b': 2 } });
    const both = [
      { group: 'pod:a', value: 1 },
      { group: 'pod:b', value: 2 },
    ];
    expect(values(await ask({ queries: [errors] }))).toEqual(both);
    expect(values(await ask({ queries: [errors] }, { response: 'Scalar', aggregator: 'max' }))).toEqual(both);
  });

  it('takes logs, traces and objectives', async () => {
    datadog.known.set('logs: status:error', 3);
    datadog.known.set('apm_metrics: shop hits', 4);
    datadog.known.set('slo: abc slo_status', 99);
    const queries = [
      {
        name: 'a',
        dataSource: 'logs' as const,
        query: 'status:error',
        compute: { aggregation: 'count' as const },
      },
      { name: 'b', dataSource: 'apm_metrics' as const, service: 'shop', stat: 'hits' as const },
      { name: 'c', dataSource: 'slo' as const, sloId: 'abc', measure: 'slo_status' as const },
    ];
    expect(values(await ask({ queries }, { formula: 'a + b + c' }))).toEqual([{ group: '', value: 106 }]);
  });

  const html = '<html><body>Bad Gateway</body></html>';
  it.each<[string, { status: number; body: string; headers?: Record<string, string> }, object, string]>([
    ['an HTML page', { status: 200, body: html }, { is: 'Unavailable' }, '200 "<html><body>Bad Gateway'],
    ['a page of a proxy', { status: 502, body: html }, { is: 'Unavailable' }, '502'],
    [
      'texts for numbers',
      { status: 200, body: '{"status":"ok","series":[{"scope":"*","pointlist":[[1,"2"]]}]}' },
      { is: 'Unavailable' },
      'cannot read the answer of Datadog',
    ],
    [
      'a query that it cannot compute',
      { status: 200, body: '{"status":"error","error":"no such metric"}' },
      { is: 'Refused' },
      'no such metric',
    ],
    [
      'a query that it cannot read',
      { status: 400, body: '{"errors":["Error parsing query"]}' },
      { is: 'Refused' },
      'Error parsing query',
    ],
    ['another list', { status: 200, body: '{"status":"ok","series":7}' }, { is: 'Unavailable' }, 'Datadog'],
    [
      'too little time',
      { status: 408, body: '{}' },
      { is: 'Unavailable' },
      'cannot query Datadog: 408 {}. Retrying.',
    ],
    ['nothing at this address', { status: 404, body: '{}' }, { is: 'Unavailable' }, '404 {}'],
    [
      'no more for now',
      { status: 429, body: '{"errors":["Rate limit"]}', headers: { 'x-ratelimit-reset': '7' } },
      { is: 'RateLimited', retryAfterMs: 7000 },
      'in 7 s',
    ],
    [
      'no more for a day',
      { status: 429, body: '{}', headers: { 'x-ratelimit-reset': '86400' } },
      { is: 'RateLimited', retryAfterMs: 300_000 },
      'in 300 s',
    ],
    [
      'no more, without a time',
      { status: 429, body: '{}' },
      { is: 'RateLimited', retryAfterMs: 30_000 },
      'in 30 s',
    ],
  ])('that answers with %s says so, once', async (_, substitute, trouble, message) => {
    datadog.instead.push(substitute);
    await expect(ask({ query: 'avg:errors{*}' })).rejects.toMatchObject({
      name: 'ProviderError',
      trouble,
      message: expect.stringContaining(message) as string,
    });
    expect(datadog.asked).toHaveLength(1);
  });

  const columns = (...of: object[]): object => ({
    data: { type: 'scalar_response', attributes: { columns: of } },
  });
  const series = (attributes: object): object => ({ data: { type: 'timeseries_response', attributes } });
  const pods = { name: 'pod', type: 'group', values: [['a'], ['b']] };
  it.each<[string, 'v1' | 'Scalar' | 'Timeseries', object, string]>([
    ['nothing', 'v1', {}, 'a list of series, got nothing'],
    ['series without points', 'v1', { status: 'ok', series: [{ scope: '*' }] }, 'a list of points'],
    ['nothing', 'Scalar', {}, 'attributes, got {}'],
    ['nothing', 'Timeseries', { data: null }, 'attributes, got {"data":null}'],
    ['an error inside', 'Scalar', { data: { errors: 'query exceeded' } }, 'query exceeded'],
    ['no columns', 'Scalar', { data: { attributes: {} } }, 'a list of columns, got nothing'],
    ['a text among numbers', 'Scalar', columns({ name: 'a', type: 'number', values: [1, 'oops'] }), 'oops'],
    ['values that are no list', 'Scalar', columns({ name: 'a', type: 'number', values: 'oops' }), 'oops'],
    ['groups without numbers', 'Scalar', columns(pods), 'one column of numbers'],
    [
      'fewer numbers than groups',
      'Scalar',
      columns(pods, { name: 'a', type: 'number', values: [1] }),
      'a number for each group, got "1 for 2 groups"',
    ],
    ['no times', 'Timeseries', series({ series: [], values: [] }), 'a list of times, got nothing'],
    [
      'a series without values',
      'Timeseries',
      series({ series: [{ group_tags: [] }], times: [], values: [] }),
      'values of each series, got nothing',
    ],
  ])(
    'that answers with %s (%s) has not answered, which is not the same as no data',
    async (_, form, body, message) => {
      datadog.instead.push({ status: 200, body: JSON.stringify(body) });
      const asking =
        form === 'v1' ? ask({ query: 'avg:errors{*}' }) : ask({ queries: [errors] }, { response: form });
      await expect(asking).rejects.toMatchObject({
        trouble: { is: 'Unavailable' },
        message: expect.stringContaining(message) as string,
      });
    },
  );

  it.each<['Scalar' | 'Timeseries', object]>([
    ['Scalar', columns({ name: 'a', type: 'number', values: [] })],
    ['Timeseries', series({ series: [], times: [], values: [] })],
  ])('has no data where it says so in the form of an answer: %s', async (response, body) => {
    datadog.instead.push({ status: 200, body: JSON.stringify(body) });
    expect(values(await ask({ queries: [errors] }, { response }))).toEqual([]);
  });

  it('that refuses the keys says so, without them', async () => {
    const asking = ask({ query: 'avg:errors{*}' }, {}, { appKey: 'another-key' });
    await expect(asking).rejects.toMatchObject({ trouble: { is: 'Refused' } });
    await expect(asking).rejects.not.toThrow(/another-key|the-api-key/);
  });

  it('that does not answer is given up with its caller', async () => {
    const given = new AbortController();
    given.abort(new Error('given up'));
    const access = { url: datadog.url, ...keys };
    const asked = {
      question: { query: 'avg:errors{*}' },
      response: 'Timeseries',
      aggregator: 'avg',
      window,
    } as const;
    await expect(askDatadog(access, asked, given.signal)).rejects.toThrow('given up');
  });
});
