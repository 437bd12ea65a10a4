import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { CHECK } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../clients/kubernetes/kubernetes.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import type { Check } from '../../crds/check.ts';
import { serveDatadog, type DatadogServer } from '../../local/datadog/server.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';
import { serveWebhook, writeNotifications, type WebhookServer } from '../support/webhook.ts';

const keys = { apiKey: 'api-key-of-checks', appKey: 'app-key-of-checks' };

/** As often as a test wants to wait; Datadog's own buckets are of 20 s when so little is asked for. */
const timing = { interval: '1s', window: '40s', bucket: '20s', lag: '0s', alignTo: 'none' };
const plain = { ...timing, aggregator: 'avg', max: 0.1 };

describe('a check', () => {
  let stage: Stage;
  let datadog: DatadogServer;
  let webhook: WebhookServer;
  let priority = 0;
  beforeAll(async () => {
    datadog = await serveDatadog({ ...keys, rate: { limit: 10_000, periodSeconds: 3600 } });
    webhook = await serveWebhook();
    stage = await Stage.open(inject('stack'), {
      OKRA_NOTIFICATIONS: writeNotifications({ webhooks: [{ url: webhook.url }] }),
      OKRA_DATADOG_ENDPOINT: datadog.url,
      DD_API_KEY: keys.apiKey,
      DD_APP_KEY: keys.appKey,
      OKRA_DATADOG_QUERIES_PER_SECOND: '100',
      OKRA_DATADOG_EVENTS: 'true',
    });
    stage.secrets.push(keys.apiKey, keys.appKey);
  });
  afterAll(async () => {
    await stage.close();
    await datadog[Symbol.asyncDispose]();
    await webhook[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    priority += 10;
    datadog.known.clear();
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  const read = (name: string): Promise<Check | undefined> =>
    connectKubernetes(inject('stack').kubeconfig).get<Check>(CHECK, { namespace: stage.namespace, name });
  const untilCheck = async (name: string, what: string, holds: (check: Check) => boolean): Promise<Check> => {
    let seen: Check | undefined;
    await until(
      `Check ${name} to be ${what}`,
      async () => {
        seen = await read(name);
        return seen !== undefined && holds(seen);
      },
      { seen: () => Promise.resolve(seen?.status) },
    );
    return seen!;
  };
  const aCheck = (name: string, hash: string, analysis: object): object => ({
    apiVersion: CHECK.apiVersion,
    kind: CHECK.kind,
    metadata: { name, annotations: { 'analysis-hash': hash } },
    spec: { analysis: { ...plain, ...analysis } },
  });
  /** What the webhook was notified of for a Cell, until a last kind. */
  const untilNotified = async (name: string, last: string): Promise<readonly unknown[]> => {
    const kinds = (): readonly unknown[] =>
      webhook.got
        .map(({ body }) => (JSON.parse(body) as { readonly data: Readonly<Record<string, unknown>> }).data)
        .filter((data) => data['name'] === name)
        .map(({ kind }) => kind);
    await until(`${name} to be notified as ${last}`, () => Promise.resolve(kinds().includes(last)));
    return kinds();
  };
  /** A Cell that serves 1.0.0, and then sees 2.0.0, of which a check asks at 20. */
  async function rollOut(name: string, analysis: object): Promise<void> {
    const check = { name: 'dd', analysis: { ...plain, ...analysis } };
    const steps = [{ setWeight: 20 }, { check }] as unknown as CanaryStep[];
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  }

  it('A-K03, A-K04, A-K06 says whether the last sample passed, of which query, and asks again after an error', async () => {
    datadog.known.set('avg:errors{v:1}', 0.05);
    await stage.apply(aCheck('k03', 'one', { query: 'avg:errors{v:1}' }));
    const passed = await untilCheck('k03', 'passed', ({ status }) => status?.lastPassed === true);
    expect(passed.status).toMatchObject({
      phase: 'Running',
      lastRunTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      analysis: { observedHash: 'one' },
    });
    expect(passed.status?.analysis?.results?.at(-1)).toMatchObject({
      outcome: 'Passed',
      query: 'avg:errors{v:1}',
      value: 0.05,
      threshold: 'max 0.1',
    });
    datadog.known.set('avg:errors{v:1}', 0.2);
    await untilCheck('k03', 'not passed', ({ status }) => status?.lastPassed === false);

    datadog.known.set('avg:errors{v:2}', 0);
    await stage.apply(aCheck('k03', 'two', { query: 'avg:errors{v:2}' }));
    const other = await untilCheck(
      'k03',
      'about the other',
      ({ status }) => status?.analysis?.observedHash === 'two',
    );
    expect(other.status).toMatchObject({ lastPassed: true, analysis: { passed: 1, failed: 0 } });

    datadog.instead.push({ status: 500, body: '<html>Internal Server Error</html>' });
    const failed = await untilCheck('k03', 'unanswered', ({ status }) => status?.lastPassed === false);
    expect(failed.status?.analysis?.results?.at(-1)).toMatchObject({ outcome: 'Error' });
    await untilCheck('k03', 'answered again', ({ status }) => status?.lastPassed === true);
  });

  it('of a step continues when it passes, and tells Datadog and a webhook of the rollout', async () => {
    datadog.known.set('avg:errors{version:2.0.0}', 0);
    await rollOut('ckp', { query: 'avg:errors{version:{{.Vars.version}}}', count: 2 });
    await stage.untilPhase('ckp', 'Completed', '2.0.0');
    expect(await stage.weights(priority)).toEqual({ ckpa: 0, ckpb: 100 });
    const titles = (): string[] =>
      datadog.events.filter(({ tags }) => tags.includes('okra_cell:ckp')).map(({ title }) => title);
    await until('Datadog to know of the end', () =>
      Promise.resolve(titles().some((title) => title.includes('RolloutCompleted'))),
    );
    expect(titles().some((title) => title.includes('RolloutStarted'))).toBe(true);
    expect(await untilNotified('ckp', 'Completed')).toEqual(['Started', 'Completed']);
  });

  it('of a step that fails takes everything back by one write, and blocks the version', async () => {
    datadog.known.set('avg:errors{version:2.0.0}', 0.5);
    await rollOut('ckf', { query: 'avg:errors{version:{{.Vars.version}}}' });
    const { blockedVersions } = await stage.untilPhase('ckf', 'Reverted', '1.0.0');
    expect(blockedVersions).toMatchObject([
      {
        version: '2.0.0',
        cause: expect.stringMatching(/^Check ckf-dd-1-\S+ ended as Failed.*got 0\.5/) as string,
      },
    ]);
    expect(await stage.writes()).toEqual([
      { ckfa: 100, ckfb: 0 },
      { ckfa: 80, ckfb: 20 },
      { ckfa: 100, ckfb: 0 },
    ]);
    expect(await untilNotified('ckf', 'Reverted')).toEqual(['Started', 'Failed', 'Reverted']);
  });

  it('of a step that is inconclusive waits for a person', async () => {
    await rollOut('cki', { query: 'avg:errors{version:{{.Vars.version}}}' });
    const held = await stage.untilStatus('cki', 'undecided', ({ reason }) => reason === 'WaitingForVerdict');
    expect(held.message).toMatch(/^Check cki-dd-1-\S+ is inconclusive/);
    await stage.signal('cki', 'promote');
    await stage.untilPhase('cki', 'Completed', '2.0.0');
  });

  it('of a step is ended by an abort', async () => {
    datadog.known.set('avg:errors{version:2.0.0}', 0);
    await rollOut('cka', { query: 'avg:errors{version:{{.Vars.version}}}', count: 1000 });
    const { check } = await stage.untilStatus('cka', 'checking', (status) => status.check !== undefined);
    await stage.signal('cka', 'abort');
    await stage.untilPhase('cka', 'Reverted', '1.0.0');
    await untilCheck(check?.name ?? '', 'ended', ({ status }) => status?.phase === 'Terminated');
  });

  it('with a variable that nobody knows is refused', async () => {
    await expect(rollOut('ckv', { query: 'avg:errors{version:{{.Vars.versio}}}' })).rejects.toThrow(/query/);
  });

  // The emulator knows no arithmetic; what is sent is the same.
  it('asks CloudWatch for an expression over metrics', async () => {
    const { aws } = inject('stack');
    const client = new CloudWatchClient({
      endpoint: aws.endpoint,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const minutes = Array.from({ length: 10 }, (_, index) => new Date(Date.now() - index * 60_000));
    const metric = (MetricName: string, Value: number) =>
      minutes.map((Timestamp) => ({
        MetricName,
        Value,
        Timestamp,
        Dimensions: [{ Name: 'Group', Value: 'a' }],
      }));
    await client.send(
      new PutMetricDataCommand({
        Namespace: 'Okra',
        MetricData: [...metric('errors', 5), ...metric('hits', 100)],
      }),
    );
    const of = (id: string) => ({
      id,
      namespace: 'Okra',
      metricName: id,
      stat: 'Sum',
      dimensions: [{ name: 'Group', value: 'a' }],
    });
    const provider = { cloudWatch: { region: 'eu-west-1', metrics: [of('errors'), of('hits')] } };
    await stage.apply(
      aCheck('kcw', 'one', {
        provider,
        query: 'errors',
        max: 6,
        bucket: '60s',
        window: '3m',
        count: 1,
      }),
    );
    const { status } = await untilCheck('kcw', 'over', (check) => check.status?.phase === 'Successful');
    expect(status?.analysis?.results?.at(-1)).toMatchObject({ value: 5, outcome: 'Passed' });
  });
});
