import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import { limitRate, unlimited, type RateLimiter } from '../../clients/rate-limiter.ts';
import { ProviderError, unavailable } from '../../clients/provider-error.ts';
import type { CheckStatus } from '../../crds/check.ts';
import type { Answer } from '../../domain/checks/judge.ts';
import { anAnalysis } from '../../domain/testing/checks.ts';
import { checkActivities, type CheckDependencies } from './check.ts';
import { asActivity, Objects } from './testing/objects.ts';

const keys = { apiKey: 'the-api-key', appKey: 'the-app-key' };
const key = { namespace: 'shop', name: 'dd' };
const value = (...values: number[]): Answer => ({
  is: 'Values',
  values: values.map((one, index) => ({ group: values.length === 1 ? '' : `g:${index}`, value: one })),
});

/** A Check whose providers give these answers, one after the other. */
function measuring(written: object, answers: (Answer | Error)[], over: Partial<CheckDependencies> = {}) {
  const objects = new Objects();
  const kubernetes = objects.client();
  const asked: { url: string; query: string | undefined }[] = [];
  const next = (): Promise<Answer> => {
    const answer = answers.shift() ?? value(0);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const write = (analysis: object, hash = 'one'): void =>
    objects.put({
      kind: 'Check',
      metadata: { ...key, uid: 'uid', generation: 1, annotations: { 'analysis-hash': hash } },
      spec: { analysis: anAnalysis({ max: 1, ...analysis }) },
    });
  write(written);
  const { runCheck } = checkActivities({
    kubernetes,
    policies: accessPolicies(kubernetes),
    datadog: {
      own: { site: 'datadoghq.com', ...keys },
      ask: ({ url }, { question }) => {
        asked.push({ url, query: question.query });
        return next();
      },
    },
    askCloudWatch: ({ region, roleARN }) => {
      asked.push({ url: `${region} ${roleARN ?? 'itself'}`, query: undefined });
      return next();
    },
    askPrometheus: ({ address }) => {
      asked.push({ url: address, query: undefined });
      return next();
    },
    queries: limitRate({ perSecond: 1000, burst: 1000 }),
    elbv2: ((arn: string) => ({
      targetHealth: () =>
        Promise.resolve(Array.from({ length: arn.includes('stable') ? 4 : 1 }, () => healthy)),
    })) as never,
    region: 'eu-west-1',
    ...over,
  });
  const run = (throttled?: number) => asActivity(() => runCheck(key, throttled));
  const status = (): CheckStatus => objects.status('Check', 'dd');
  return { objects, run, write, status, asked, last: () => status().analysis?.results?.at(-1) };
}

const healthy = { TargetHealth: { State: 'healthy' } };
const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/${name}/1`;
const compare = {
  to: 'stable',
  normalise: 'perTarget',
  maxRatio: 2,
  baselines: [{ query: 'sum:errors{v:1}' }],
  targetGroupARNs: { canary: [arnOf('canary')], stable: [arnOf('stable')] },
};

describe('a look at a Check', () => {
  it('takes a sample, says what it came to, and when the next is due', async () => {
    const check = measuring({ interval: '20s' }, [value(0.5)]);
    expect(await check.run()).toMatchObject({ isPresent: true, againInSeconds: 20 });
    expect(check.status()).toMatchObject({
      phase: 'Running',
      lastPassed: true,
      analysis: { observedHash: 'one', passed: 1 },
    });
    expect(check.last()).toMatchObject({
      outcome: 'Passed',
      value: 0.5,
      query: 'avg:errors{*}',
      threshold: 'max 1',
    });
    expect(check.asked).toEqual([{ url: 'https://api.datadoghq.com', query: 'avg:errors{*}' }]);
  });

  it.each<[string, Answer | Error, object]>([
    ['passes', value(1), { phase: 'Successful' }],
    ['fails', value(1.1), { phase: 'Failed', message: expect.stringContaining('got 1.1') as string }],
    ['has no data', value(), { phase: 'Inconclusive' }],
    ['has several series', value(0, 0), { phase: 'Running', lastPassed: false }],
    ['is not answered', unavailable('Nobody is there.'), { phase: 'Running', lastPassed: false }],
  ])('ends with the verdict when the only sample %s', async (_, answer, status) => {
    const check = measuring({ count: 1 }, [answer]);
    const { isPresent } = await check.run();
    expect(check.status()).toMatchObject(status);
    expect(isPresent).toBe(check.status().phase === 'Running');
  });

  it('is over, and keeps what the last sample came to, when it is terminated', async () => {
    const check = measuring({ count: 2 }, [value(0.5)]);
    await check.run();
    check.objects.put({
      kind: 'Check',
      metadata: { ...key, uid: 'uid', generation: 2, annotations: { 'analysis-hash': 'one' } },
      spec: { analysis: anAnalysis({ max: 1, count: 2 }), terminate: true },
      status: check.status(),
    });
    expect(await check.run()).toMatchObject({ isPresent: false });
    expect(check.status()).toMatchObject({
      phase: 'Terminated',
      reason: 'Terminated',
      lastPassed: true,
      analysis: { observedHash: 'one', passed: 1 },
      conditions: [{ type: 'Ready', status: 'False' }, { status: 'False' }, { status: 'False' }],
    });
  });

  it('fails for an infinite value, which the message alone shows, as JSON has no such number', async () => {
    const check = measuring({ count: 1, max: 2, noData: 'pass' }, [value(Infinity)]);
    await check.run();
    expect(check.status()).toMatchObject({ phase: 'Failed' });
    expect(check.last()).toMatchObject({ outcome: 'Failed', message: 'Expected max 2, got Infinity.' });
    expect(check.last()).not.toHaveProperty('value');
  });

  it('keeps a verdict that another attempt has come to while what this one tells was on its way', async () => {
    const check = measuring({ count: 1 }, [value(0), value(9)]);
    check.objects.onTheWay = () => check.run();
    await expect(check.run()).rejects.toThrow('was not written: a later one is there');
    expect(check.status()).toMatchObject({ phase: 'Failed', analysis: { passed: 0, failed: 1 } });
  });

  it('tells of a sample though the Check is edited meanwhile', async () => {
    const check = measuring({ count: 1 }, [value(9)]);
    check.objects.onTheWay = () => Promise.resolve(check.write({ count: 1 }));
    await check.run();
    expect(check.status()).toMatchObject({ phase: 'Failed' });
  });

  it('counts an error as no sample, and tells no key', async () => {
    const check = measuring({ count: 1 }, [unavailable('Expected the-api-key and the-app-key to do.')]);
    await check.run();
    expect(check.last()).toMatchObject({ outcome: 'Error', message: 'Expected … and … to do.' });
    expect(check.status().analysis).toMatchObject({ passed: 0, failed: 0, errors: 1 });
  });

  it('comes back when a provider says so, and takes that for no error', async () => {
    const limited = new ProviderError({ is: 'RateLimited', retryAfterMs: 7_000 }, 'Not now.');
    const check = measuring({ count: 1 }, [limited]);
    expect(await check.run()).toMatchObject({ isPresent: true, againInSeconds: 7, message: 'Not now.' });
    expect(check.status()).toMatchObject({ phase: 'Running', message: 'Not now.', analysis: { errors: 0 } });
  });

  it('is asked for less often the longer AWS throttles', async () => {
    const throttling = Object.assign(new Error('Rate exceeded'), {
      name: 'ThrottlingException',
      $metadata: {},
    });
    const check = measuring(
      { count: 1 },
      Array.from({ length: 6 }, () => throttling),
    );
    const waits: (number | undefined)[] = [];
    for (let throttled: number | undefined, look = 0; look < 6; look += 1) {
      const run = await check.run(throttled);
      waits.push(run.againInSeconds);
      throttled = run.throttled;
    }
    expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
    expect(await check.run(6)).not.toHaveProperty('throttled');
  });

  it('is tried again later when it waits for the rate limit for long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const queries = limitRate({ perSecond: 0.001, burst: 1 });
    await measuring({ count: 2, interval: '1s' }, [], { queries }).run();
    const other = measuring({ count: 1 }, [], { queries });
    const run = other.run();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await run).toMatchObject({ isPresent: true, throttled: 1, againInSeconds: 5 });
    expect(other.asked).toEqual([]);
  });

  it('asks for traffic in the same window, and measures again while there is too little', async () => {
    const check = measuring({ count: 1, minSamples: { query: 'sum:hits{*}', atLeast: 100 } }, [
      value(0),
      value(99),
    ]);
    await check.run();
    expect(check.asked.map(({ query }) => query)).toEqual(['avg:errors{*}', 'sum:hits{*}']);
    expect(check.last()).toMatchObject({ outcome: 'Extended', samples: 99 });
    expect(check.status().analysis?.extendedSince).toBeDefined();
  });

  it('compares with the other side, for each healthy target', async () => {
    const check = measuring({ count: 1, max: undefined, compare }, [value(3), value(8)]);
    await check.run();
    expect(check.last()).toMatchObject({ outcome: 'Passed', value: 3, baseline: 2 });
  });

  it('takes a canary without healthy targets for an error, and not for one without data', async () => {
    const health = (arn: string) => Promise.resolve(arn.includes('stable') ? [healthy] : []);
    const elbv2 = ((arn: string) => ({ targetHealth: () => health(arn) })) as never;
    const check = measuring({ count: 1, noData: 'pass', compare }, [value(90_000), value(4)], { elbv2 });
    await check.run();
    expect(check.last()).toMatchObject({
      outcome: 'Error',
      message: expect.stringContaining('healthy targets'),
    });
    expect(check.status()).toMatchObject({ phase: 'Running', analysis: { passed: 0, errors: 1 } });
  });

  it.each([
    ['TargetGroupNotFoundException', { phase: 'Running', analysis: { errors: 1 } }],
    // Not that of the provider, whose rate stays as it is.
    ['ThrottlingException', { analysis: { errors: 0 } }],
  ])('tells of ELBv2 that does not count the targets: %s', async (name, status) => {
    const refusal = Object.assign(new Error('Not now.'), { name, $metadata: {} });
    const held: string[] = [];
    const check = measuring({ count: 1, compare }, [value(1), value(1)], {
      queries: { ...unlimited, pause: (quota) => void held.push(quota) },
      elbv2: (() => ({ targetHealth: () => Promise.reject(refusal) })) as never,
    });
    expect(await check.run()).toMatchObject({ isPresent: true });
    expect(check.status()).toMatchObject(status);
    expect(held).toEqual([]);
  });

  it('finishes a sample that it has begun before others begin theirs', async () => {
    const waits: boolean[] = [];
    const queries: RateLimiter = {
      ...unlimited,
      wait: (_, { urgent }) => Promise.resolve(void waits.push(urgent)),
    };
    const more = { compare: { ...compare, normalise: undefined } };
    const check = measuring({ count: 1, ...more }, [value(1), value(1)], { queries });
    await check.run();
    expect(check.status()).toMatchObject({ phase: 'Successful' });
    expect(waits).toEqual([false, true]);
  });

  it('says what is wrong with the way it is written, and measures nothing', async () => {
    const check = measuring({ max: undefined, pass: 'valu < 1' }, []);
    expect(await check.run()).toMatchObject({ isPresent: false });
    expect(check.status()).toMatchObject({ phase: 'Error', reason: 'InvalidObject' });
    expect(check.asked).toEqual([]);
  });

  it('does nothing about one that has come to its end, until it is edited', async () => {
    const check = measuring({ count: 1 }, [value(0), value(2)]);
    await check.run();
    expect(await check.run()).toMatchObject({ isPresent: false });
    expect(check.asked).toHaveLength(1);
    check.write({ count: 1 }, 'two');
    await check.run();
    expect(check.status()).toMatchObject({ phase: 'Failed', analysis: { observedHash: 'two' } });
  });

  it('is over when the Check is gone', async () => {
    const check = measuring({}, []);
    check.objects.all.clear();
    expect(await check.run()).toEqual({ isPresent: false, message: 'The Check is gone.' });
  });
});

describe('whom a Check asks', () => {
  const secret = (name: string, data: Record<string, string>) => ({
    kind: 'Secret',
    metadata: { name },
    data: Object.fromEntries(
      Object.entries(data).map(([field, text]) => [field, Buffer.from(text).toString('base64')]),
    ),
  });
  const policy = (spec: object) => ({
    kind: 'AccessPolicy',
    metadata: { name: 'shops' },
    spec: { namespaces: ['shop'], ...spec },
  });
  const cloudWatch = (more: object) => ({
    provider: {
      cloudWatch: { metrics: [{ id: 'm', namespace: 'n', metricName: 'x', stat: 'Sum' }], ...more },
    },
    query: undefined,
  });
  const role = 'arn:aws:iam::111122223333:role/metrics';
  const prometheus = (more = {}) => ({
    provider: { prometheus: { address: 'http://prometheus:9090', ...more } },
  });
  const elsewhere = { provider: { datadog: { site: 'datadoghq.eu', secretRef: { name: 'keys' } } } };

  it.each<[string, object, string]>([
    ['Datadog with the keys of okrad', {}, 'https://api.datadoghq.com'],
    ['Datadog with those of a Secret', elsewhere, 'https://api.datadoghq.eu'],
    ['CloudWatch as itself', cloudWatch({}), 'eu-west-1 itself'],
    [
      'CloudWatch of another account',
      cloudWatch({ region: 'us-east-1', roleARN: role }),
      `us-east-1 ${role}`,
    ],
    ['Prometheus', prometheus(), 'http://prometheus:9090'],
  ])('is %s', async (_, written, url) => {
    const check = measuring(written, []);
    check.objects.put(secret('keys', { 'api-key': 'a', 'app-key': 'b' }));
    await check.run();
    expect(check.asked).toMatchObject([{ url }]);
  });

  it.each<[string, object, object, string]>([
    ['the keys of okrad', {}, {}, 'metrics of datadog/datadoghq.com'],
    ['CloudWatch as okrad', cloudWatch({}), {}, 'metrics of cloudwatch/eu-west-1'],
    ['a role', cloudWatch({ roleARN: role }), { metrics: ['*'] }, `role ${role}`],
    [
      'a Prometheus',
      prometheus(),
      { metrics: ['prometheus/other:9090'] },
      'metrics of prometheus/prometheus:9090',
    ],
  ])('is not %s when an AccessPolicy keeps it from the namespace', async (_, written, spec, what) => {
    const check = measuring(written, []);
    check.objects.put(policy(spec));
    await check.run();
    expect(check.asked).toEqual([]);
    expect(check.last()).toMatchObject({
      outcome: 'Error',
      message: expect.stringContaining(what) as string,
    });
    expect(check.status()).toMatchObject({ phase: 'Running', reason: 'NotAllowed' });
    expect(check.status().conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason: 'NotAllowed' }),
    );
  });

  it.each([
    ['a Secret that is missing', elsewhere, 'Secret shop/keys not found'],
    ['a key that is missing', prometheus({ secretRef: { name: 'half' } }), 'has no key token'],
  ])('is nobody with %s', async (_, written, message) => {
    const check = measuring(written, []);
    check.objects.put(secret('half', { other: 'x' }));
    await check.run();
    expect(check.asked).toEqual([]);
    expect(check.last()?.message).toContain(message);
  });
});
