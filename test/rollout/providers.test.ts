import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHECK, POD } from '../../clients/kubernetes/kinds.ts';
import { connectPrometheus } from '../../clients/prometheus/client.ts';
import type { Check } from '../../crds/check.ts';
import { reduce, type Aggregator, type GroupValue } from '../../domain/checks/judge.ts';
import { serveDatadog, type Datadog } from './providers/datadog.ts';
import { guardPrometheus, type GuardedPrometheus } from './providers/prometheus.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const prometheusToken = 'token-of-prometheus';
const datadogKeys = { apiKey: 'api-key-of-datadog', appKey: 'app-key-of-datadog' };

/** The query of a metric for a version, as it arrives. */
const promQL = (version: string): string =>
  `sum(rate(http_requests_total{status!~"5..",version="${version}"}[1m])) / sum(rate(http_requests_total{version="${version}"}[1m]))`;
const ofDatadog = (version: string): string => `avg:requests.success.rate{version:${version}}`;

describe('an analysis', () => {
  let stage: Stage;
  let priority = 0;
  let prometheus: GuardedPrometheus;
  let datadog: Datadog;
  onStage({ totals: [20], prepare }, (opened, free) => {
    stage = opened;
    priority = free;
  });
  afterAll(async () => {
    await Promise.all([prometheus[Symbol.asyncDispose](), datadog[Symbol.asyncDispose]()]);
  });
  beforeEach(() => {
    datadog.values.clear();
  });

  const secret = (name: string, stringData: Readonly<Record<string, string>>): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    stringData,
  });

  /** Serves both providers, and applies the Secrets and AnalysisTemplates that name them. */
  async function prepare(opened: Stage): Promise<void> {
    [prometheus, datadog] = await Promise.all([guardPrometheus(prometheusToken), serveDatadog(datadogKeys)]);
    opened.secrets.push(prometheusToken, datadogKeys.apiKey, datadogKeys.appKey);
    const keys = { 'api-key': datadogKeys.apiKey, 'app-key': datadogKeys.appKey };
    await opened.apply(secret('prometheus', { token: prometheusToken }));
    await opened.apply(secret('datadog', { ...keys, address: datadog.url }));
    await opened.apply(secret('datadog-of-others', { ...keys, 'app-key': 'another', address: datadog.url }));
    await opened.apply(
      template('prometheus', 'result[0] >= 0.95', {
        prometheus: {
          address: prometheus.url,
          query: promQL('{{args.version}}'),
          headers: [{ key: 'Authorization', value: 'Bearer {{args.token}}' }],
        },
      }),
    );
    await opened.apply(template('datadog-v1', 'result >= 0.95', { datadog: datadogMetric('datadog') }));
    await opened.apply(
      template('datadog-v2', 'result >= 0.95', {
        datadog: {
          ...datadogMetric('datadog'),
          apiVersion: 'v2',
          query: undefined,
          queries: { good: 'sum:good{version:{{args.version}}}', all: 'sum:all{version:{{args.version}}}' },
          formula: 'good / all',
          aggregator: 'sum',
        },
      }),
    );
    await opened.apply(
      template('datadog-refused', 'result >= 0.95', { datadog: datadogMetric('datadog-of-others') }),
    );
  }

  const datadogMetric = (name: string): object => ({
    apiVersion: 'v1',
    interval: '2m',
    query: ofDatadog('{{args.version}}'),
    secretRef: { name, namespaced: true },
  });
  const template = (name: string, successCondition: string, provider: object): object => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name },
    spec: {
      args: [
        { name: 'version' },
        { name: 'token', valueFrom: { secretKeyRef: { name: 'prometheus', key: 'token' } } },
      ],
      metrics: [
        { name: 'rate', interval: '1s', count: 2, consecutiveErrorLimit: 1, successCondition, provider },
      ],
    },
  });

  /** A Cell that serves 1.0.0, and then sees another version, which a template measures at 20. */
  async function rollOut(name: string, templateName: string, version = '2.0.0'): Promise<void> {
    const args = [{ name: 'version', valueFrom: { fieldRef: { fieldPath: 'status.desiredVersion' } } }];
    const steps = [{ setWeight: 20 }, { analysis: { templates: [{ templateName }], args } }];
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups(version, [`${name}b`], { role: name });
  }
  async function completes(name: string): Promise<void> {
    const status = await stage.untilPhase(name, 'Completed', '2.0.0');
    expect(status.blockedVersions ?? []).toEqual([]);
    expect(await stage.weights(priority)).toEqual({ [`${name}a`]: 0, [`${name}b`]: 100 });
  }
  /** Everything goes back by one write, and the version is blocked with the cause. */
  async function reverts(name: string, cause: RegExp, version = '2.0.0'): Promise<void> {
    const { blockedVersions } = await stage.untilPhase(name, 'Reverted', '1.0.0');
    expect(blockedVersions).toMatchObject([{ version, cause: expect.stringMatching(cause) }]);
    const [a, b] = [`${name}a`, `${name}b`];
    expect(await stage.writes()).toEqual([
      { [a]: 100, [b]: 0 },
      { [a]: 80, [b]: 20 },
      { [a]: 100, [b]: 0 },
    ]);
  }

  describe('by Prometheus', () => {
    it('lets a version with a good rate through', async () => {
      await prometheus.count('2.0.0', 99);
      await rollOut('pgood', 'prometheus');
      await completes('pgood');
      expect(prometheus.asked.slice(-2)).toEqual([promQL('2.0.0'), promQL('2.0.0')]);
    });

    it('takes a version with a bad rate back', async () => {
      await prometheus.count('3.0.0', 50);
      await rollOut('pbad', 'prometheus', '3.0.0');
      const cause = /AnalysisRun pbad-1-prometheus-\S+ ended as Failed\. .*rate.* assessed Failed/;
      await reverts('pbad', cause, '3.0.0');
    });

    it('takes a version of which it knows nothing back', async () => {
      await rollOut('pnone', 'prometheus', '4.0.0');
      // Two vectors without series make one without, which Prometheus says by an empty result.
      await reverts('pnone', /ended as Error\. .*no data returned/, '4.0.0');
    });

    it('has a Check pass, with the token of its Secret', async () => {
      await prometheus.count('5.0.0', 99);
      await stage.apply({
        apiVersion: CHECK.apiVersion,
        kind: CHECK.kind,
        metadata: { name: 'pcheck' },
        spec: {
          analysis: {
            provider: { prometheus: { address: prometheus.url, secretRef: { name: 'prometheus' } } },
            query: promQL('5.0.0'),
            aggregator: 'min',
            min: 0.98,
            interval: '1s',
            window: '30s',
            bucket: '10s',
            lag: '0s',
            count: 1,
          },
        },
      });
      const check = await until('Check pcheck to have a verdict', async () => {
        const key = { namespace: stage.namespace, name: 'pcheck' };
        const found = await stage.kubernetes.get<Check>(CHECK, key);
        return found?.status?.phase === 'Running' ? undefined : found?.status;
      });
      expect(check).toMatchObject({
        phase: 'Successful',
        analysis: { results: [{ query: promQL('5.0.0') }] },
      });
      expect(check.analysis?.results?.[0]?.value).toBeCloseTo(0.99, 6);
    });

    describe('asked for a window', () => {
      const bucketMs = 60_000;
      const to = Math.floor(Date.now() / bucketMs) * bucketMs;
      const window = { from: to - 2 * bucketMs, to, bucketMs };
      const ask = (query: string, token = prometheusToken) =>
        connectPrometheus()(
          { address: prometheus.url, token },
          { query, window },
          new AbortController().signal,
        );
      beforeAll(() =>
        prometheus.push([
          {
            name: 'queue',
            labels: { pod: 'a' },
            points: [0, 1, 2].map((at) => [window.from + at * bucketMs, 1 + at]),
          },
          { name: 'queue', labels: { pod: 'b' }, points: [[window.to, 7]] },
        ]),
      );

      it.each<[string, string, Aggregator, readonly GroupValue[]]>([
        [
          'has the points whose buckets lie within it',
          'sum(queue{pod="a"})',
          'avg',
          [{ group: '', value: 2.5 }],
        ],
        [
          'answers by group',
          'sum by (pod) (queue)',
          'max',
          [
            { group: 'pod:a', value: 3 },
            { group: 'pod:b', value: 7 },
          ],
        ],
        ['has no value for what is not a number', '0 / (0 * sum(queue))', 'max', [{ group: '' }]],
        [
          'takes what is infinite for a value',
          '1 / (0 * sum(queue))',
          'max',
          [{ group: '', value: Infinity }],
        ],
        ['has no series of what it does not know', 'sum(nothing)', 'max', []],
        ['takes a number for a series', '4', 'sum', [{ group: '', value: 8 }]],
      ])('%s: %s', async (_, query, aggregator, values) => {
        expect(reduce(await ask(query), window, aggregator)).toEqual(values);
      });

      it.each([
        ['a query that it cannot read', 'sum(', 'unclosed left parenthesis'],
        ['a text', '"many"', 'invalid expression type "string"'],
        ['what it cannot compute', 'queue + on () queue', 'found duplicate series'],
      ])('refuses %s: %s', async (_, query, message) => {
        await expect(ask(query)).rejects.toMatchObject({
          trouble: { is: 'Refused' },
          message: expect.stringContaining(message) as string,
        });
      });

      it('refuses who has another token', async () => {
        await expect(ask('sum(queue)', 'another')).rejects.toThrow('Correct the Secret.');
      });
    });
  });

  describe('by Datadog', () => {
    it('lets a version with a good rate through, by its older API', async () => {
      datadog.values.set(ofDatadog('2.0.0'), 0.99);
      await rollOut('dgood', 'datadog-v1');
      await completes('dgood');
      expect(datadog.asked.at(-1)).toEqual({ version: 'v1', query: ofDatadog('2.0.0'), seconds: 120 });
    });

    it('takes a version with a bad rate back, by its older API', async () => {
      datadog.values.set(ofDatadog('2.0.0'), 0.5);
      await rollOut('dbad', 'datadog-v1');
      await reverts('dbad', /AnalysisRun dbad-1-datadog-v1-\S+ ended as Failed\. .*assessed Failed/);
    });

    const formula = 'sum:good{version:2.0.0} / sum:all{version:2.0.0}';

    it('lets a version with a good rate through, by a formula', async () => {
      datadog.values.set(formula, 0.99);
      await rollOut('fgood', 'datadog-v2');
      await completes('fgood');
      expect(datadog.asked.at(-1)).toEqual({ version: 'v2', query: formula, seconds: 120 });
    });

    it('takes a version with a bad rate back, by a formula', async () => {
      datadog.values.set(formula, 0.5);
      await rollOut('fbad', 'datadog-v2');
      await reverts('fbad', /AnalysisRun fbad-1-datadog-v2-\S+ ended as Failed\./);
    });

    it('takes a version back when it may not ask', async () => {
      await rollOut('dno', 'datadog-refused');
      await reverts('dno', /ended as Error\. .*authentication error response code: 403/);
    });
  });

  describe('by a Job', () => {
    const job = (name: string, spec: object, pod: object = {}): object =>
      template(name, '', {
        job: {
          spec: {
            backoffLimit: 0,
            ...spec,
            template: {
              spec: { restartPolicy: 'Never', containers: [{ name: 'test', image: 'test' }], ...pod },
            },
          },
        },
      });
    // Its pods get no node, so that the test is what plays the kubelet.
    const nowhere = { nodeSelector: { 'kubernetes.io/hostname': 'nowhere' } };
    const podOf = (image: string): Promise<{ name: string }> =>
      until(`a pod of a Job for ${image}`, async () => {
        const pods = await stage.kubernetes.list<PodOfJob>(POD, { namespace: stage.namespace });
        return pods.find(({ spec }) => spec.containers[0]?.image === image)?.metadata;
      });
    const setPod = (name: string, status: object): Promise<unknown> =>
      stage.kubernetes.patch(
        POD,
        { namespace: stage.namespace, name },
        { status },
        { subresource: 'status' },
      );

    it('lets a version through whose Job completes', async () => {
      await stage.apply(job('job-good', {}));
      await rollOut('jgood', 'job-good');
      await completes('jgood');
    });

    it('takes a version back whose Job fails', async () => {
      await stage.apply(
        job('job-bad', {}, { ...nowhere, containers: [{ name: 'test', image: 'test-that-fails' }] }),
      );
      await rollOut('jbad', 'job-bad');
      const { name } = await podOf('test-that-fails');
      const terminated = { exitCode: 1, reason: 'Error', startedAt: null, finishedAt: null };
      const state = { name: 'test', image: 'test-that-fails', imageID: '', ready: false, restartCount: 0 };
      await setPod(name, {
        phase: 'Failed',
        containerStatuses: [{ ...state, state: { terminated } }],
      });
      await reverts('jbad', /AnalysisRun jbad-1-job-bad-\S+ ended as Failed\./);
    });

    it('takes a version back whose Job does not end in time', async () => {
      await stage.apply(job('job-late', { activeDeadlineSeconds: 1 }, nowhere));
      await rollOut('jlate', 'job-late');
      await reverts('jlate', /AnalysisRun jlate-1-job-late-\S+ ended as Failed\./);
    });

    it('holds for a person when the image of its Job is not there', async () => {
      await stage.apply(
        job('job-lost', {}, { ...nowhere, containers: [{ name: 'test', image: 'test-that-is-lost' }] }),
      );
      await rollOut('jlost', 'job-lost');
      const { name } = await podOf('test-that-is-lost');
      const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
      const state = { name: 'test', image: 'test-that-is-lost', imageID: '', ready: false, restartCount: 0 };
      await setPod(name, { phase: 'Pending', containerStatuses: [{ ...state, state: { waiting } }] });
      const held = await stage.untilStatus(
        'jlost',
        'inconclusive',
        (status) => status.analysisRun?.phase === 'Inconclusive',
      );
      expect(held.message).toContain('is inconclusive');
      await stage.signal('jlost', 'abort', { by: 'ann', reason: 'no image' });
      await stage.untilPhase('jlost', 'Reverted', '1.0.0');
      expect(await stage.weights(priority)).toEqual({ jlosta: 100, jlostb: 0 });
    });
  });
});

interface PodOfJob {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}
