import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reduce } from '../../domain/checks/judge.ts';
import { connectCloudWatch } from './cloud-watch.ts';

const MINUTE = 60_000;
const from = 1_800_000_000_000;
const window = { from, to: from + 3 * MINUTE, bucketMs: MINUTE };
const metric = {
  id: 'errors',
  namespace: 'AWS/ApplicationELB',
  metricName: 'HTTPCode_Target_5XX_Count',
  stat: 'Sum',
  dimensions: [{ name: 'TargetGroup', value: 'targetgroup/web/1' }],
};

/** A CloudWatch that gives one page after the other, and what it was asked. */
async function aCloudWatch(...pages: object[]) {
  const asked: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((parts: Buffer[]) => {
      asked.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(pages[asked.length - 1] ?? {}));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const credentials = () => Promise.resolve({ accessKeyId: 'a', secretAccessKey: 'b' });
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = connectCloudWatch({ endpoint, credentials });
  return {
    asked,
    ask: (question: object) =>
      ask({ region: 'eu-west-1' }, { question, window }, new AbortController().signal),
  };
}

const at = (minutes: number): number => (from + minutes * MINUTE) / 1000;
const result = (more: object): object => ({
  Id: 'okra_result',
  Label: 'rate',
  StatusCode: 'Complete',
  ...more,
});

describe('CloudWatch', () => {
  it('has given no answer when it says of the whole that it has read a part of it', async () => {
    const Messages = [{ Code: 'MaxMetricsExceeded', Value: 'Maximum number of allowed metrics exceeded' }];
    const MetricDataResults = [result({ Timestamps: [at(0)], Values: [0] })];
    const { ask } = await aCloudWatch({ Messages, MetricDataResults });
    await expect(ask({ query: "SEARCH('Errors', 'Sum')" })).rejects.toMatchObject({
      name: 'ProviderError',
      trouble: { is: 'Unavailable' },
      message: expect.stringContaining('Maximum number of allowed metrics exceeded'),
    });
  });

  it('is asked for an expression over metrics, and read page by page', async () => {
    const { ask, asked } = await aCloudWatch(
      {
        NextToken: 'more',
        MetricDataResults: [result({ StatusCode: 'PartialData', Timestamps: [at(0)], Values: [1] })],
      },
      { MetricDataResults: [result({ Timestamps: [at(1), at(2), at(3)], Values: [2, 3, 100] })] },
    );
    const answer = await ask({ query: '100 * errors', metrics: [metric] });
    expect(reduce(answer, window, 'sum')).toEqual([{ group: '', value: 6 }]);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toMatchObject({ NextToken: 'more' });
    expect(asked[0]).toMatchObject({
      StartTime: at(0),
      EndTime: at(3),
      MetricDataQueries: [
        {
          Id: 'errors',
          ReturnData: false,
          MetricStat: { Period: 60, Stat: 'Sum', Metric: { MetricName: 'HTTPCode_Target_5XX_Count' } },
        },
        { Id: 'okra_result', ReturnData: true, Expression: '100 * errors' },
      ],
    });
  });

  it('is asked for one metric without an expression', async () => {
    const { ask, asked } = await aCloudWatch({
      MetricDataResults: [{ Id: 'errors', StatusCode: 'Complete', Timestamps: [at(0)], Values: [1] }],
    });
    expect(reduce(await ask({ metrics: [metric] }), window, 'max')).toEqual([{ group: '', value: 1 }]);
    expect(asked[0]).toMatchObject({ MetricDataQueries: [{ Id: 'errors', ReturnData: true }] });
  });

  it('answers a search by group', async () => {
    const { ask } = await aCloudWatch({
      MetricDataResults: [
        result({ Label: 'a', Timestamps: [at(0)], Values: [1] }),
        result({ Label: 'b', Timestamps: [at(0)], Values: [2] }),
      ],
    });
    expect(reduce(await ask({ query: "SEARCH('x', 'Sum', 60)" }), window, 'max')).toEqual([
      { group: 'a', value: 1 },
      { group: 'b', value: 2 },
    ]);
  });

  it.each([
    ['PartialData', 'Unavailable', 'PartialData'],
    ['InternalError', 'Unavailable', 'InternalError'],
    ['Forbidden', 'Refused', 'cloudwatch:GetMetricData'],
  ])('that answers with %s has no value', async (StatusCode, is, message) => {
    const { ask } = await aCloudWatch({
      MetricDataResults: [result({ StatusCode, Timestamps: [at(0)], Values: [1] })],
    });
    await expect(ask({ query: 'a' })).rejects.toMatchObject({
      trouble: { is },
      message: expect.stringContaining(message) as string,
    });
  });

  it.each(['InternalError', 'Forbidden'])(
    'that answers with %s on an earlier page has no value',
    async (StatusCode) => {
      const { ask } = await aCloudWatch(
        { NextToken: 'more', MetricDataResults: [result({ StatusCode, Timestamps: [at(0)], Values: [1] })] },
        { MetricDataResults: [result({ Timestamps: [at(1)], Values: [2] })] },
      );
      await expect(ask({ query: 'a' })).rejects.toThrow(StatusCode);
    },
  );

  it.each([
    ['no results', {}, 'returned no results'],
    ['no status', { MetricDataResults: [result({ StatusCode: undefined, Values: [] })] }, 'no status'],
    [
      'one label for two series',
      { MetricDataResults: [result({}), result({})] },
      'two series with one label',
    ],
  ])('that answers with %s has not answered', async (_, page, message) => {
    const { ask } = await aCloudWatch(page);
    await expect(ask({ query: 'a' })).rejects.toMatchObject({
      trouble: { is: 'Unavailable' },
      message: expect.stringContaining(message) as string,
    });
  });

  it('without any result has no data', async () => {
    const { ask } = await aCloudWatch({ MetricDataResults: [] });
    expect(reduce(await ask({ query: 'a' }), window, 'max')).toEqual([]);
  });
});
