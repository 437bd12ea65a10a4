import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { fieldsIn } from '../../domain/model/fields.ts';
import { aSecret } from './testing/objects.ts';
import { runOkra, type FakeObject } from './testing/shell.ts';

const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/${name}/0123456789abcdef`;

const aBinding = (name: string, labels: Readonly<Record<string, string>> = {}): FakeObject =>
  ({
    apiVersion: 'elbv2.k8s.aws/v1beta1',
    kind: 'TargetGroupBinding',
    metadata: { namespace: 'shop', name, labels },
    spec: { targetGroupARN: arnOf(name) },
  }) as FakeObject;

const cdk1 = aSecret('cdk1', { service: 'demo' });
const named = (objects: readonly FakeObject[], kind: string): readonly FakeObject[] =>
  objects.filter((one) => one.kind === kind);
const statusOf = (objects: readonly FakeObject[], kind: string): Readonly<Record<string, unknown>> =>
  fieldsIn(fieldsIn(named(objects, kind)[0])['status']);

describe('okra upsert targetgroupbinding', () => {
  const words = ['upsert', 'targetgroupbinding', 'web', '--namespace', 'shop', '--cluster-name', 'cdk1'];
  const whole = [
    ...words,
    '--cluster-namespace',
    'default',
    '--target-group-arn',
    arnOf('web'),
    '--labels',
    'role=web',
  ];
  const world = { objects: [cdk1], remote: { cdk1: [] } };

  it('makes it in the cluster, and changes it there', async () => {
    const made = await runOkra(whole, world);
    expect(made).toMatchObject({ code: 0, err: '', out: 'TargetGroupBinding shop/web created.\n' });
    expect(made.remote['cdk1']).toMatchObject([aBinding('web', { role: 'web' })]);
    expect(named(made.objects, 'TargetGroupBinding')).toEqual([]);
    const to = [...words, '--cluster-namespace', 'default', '--target-group-arn', arnOf('other')];
    const changed = await runOkra(to, made);
    expect(changed.out).toBe('TargetGroupBinding shop/web changed.\n');
    expect(changed.remote['cdk1']).toMatchObject([{ spec: { targetGroupARN: arnOf('other') } }]);
  });

  it('writes nothing with --dry-run, and prints what it would write', async () => {
    const dry = await runOkra([...whole, '--dry-run'], world);
    expect([dry.code, dry.remote]).toEqual([0, { cdk1: [] }]);
    expect(dry.out).toContain(`targetGroupARN: ${arnOf('web')}`);
  });

  it.each([
    [
      'a cluster that has no secret',
      { ...world, objects: [aSecret('cdk2')] },
      /cluster cdk1 not found in namespace default\. Existing: cdk2\. Create one with okra create cluster/,
    ],
    ['a cluster that does not answer', { objects: [cdk1] }, /Expected cluster cdk1 to answer/],
  ])('says what is wrong with %s', async (_, lacking, said) => {
    expect(await runOkra(whole, lacking)).toMatchObject({
      code: 1,
      err: expect.stringMatching(said) as string,
    });
  });
});

describe('okra get targetgroupbindings', () => {
  const words = ['get', 'targetgroupbindings', '--cluster-name', 'cdk1'];
  const world = { objects: [cdk1], remote: { cdk1: [aBinding('web', { role: 'web' }), aBinding('api')] } };

  it('shows those of the cluster, with their target groups and labels', async () => {
    const { out, code } = await runOkra(words, world);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/ +/))).toMatchObject([
      ['NAMESPACE', 'NAME', 'TARGETGROUP', 'API', 'LABELS'],
      ['shop', 'web', arnOf('web'), 'elbv2.k8s.aws', 'role=web'],
      ['shop', 'api', arnOf('api'), 'elbv2.k8s.aws'],
      [''],
    ]);
  });

  it('shows their names, and all of them to programs', async () => {
    expect((await runOkra([...words, '-o', 'name'], world)).out).toBe('shop/web\nshop/api\n');
    const { out } = await runOkra([...words, '-o', 'json'], world);
    expect(JSON.parse(out)).toMatchObject([{ name: 'web', arn: arnOf('web') }, { name: 'api' }]);
  });

  it('says that there are none', async () => {
    const said = await runOkra(words, { ...world, remote: { cdk1: [] } });
    expect(said).toMatchObject({ code: 0, out: '' });
    expect(said.err).toContain('No TargetGroupBindings found in cluster cdk1.');
  });
});

describe('okra sync awstargetgroupset', () => {
  const words = ['sync', 'awstargetgroupset', '--cluster-name', 'cdk1'];
  const more = ['--targetgroupbinding-selector', 'role=web', '--labels', 'role=web,service=demo'];
  const remote = { cdk1: [aBinding('web', { role: 'web', version: '1.0.0' }), aBinding('api')] };

  it('makes an AWSTargetGroupSet of the one cluster, and what it finds there', async () => {
    const { objects, code, err } = await runOkra([...words, ...more], { objects: [cdk1], remote });
    expect([code, err]).toEqual([0, '']);
    expect(named(objects, 'AWSTargetGroupSet')).toMatchObject([
      {
        metadata: { name: 'cdk1' },
        spec: {
          generators: [
            {
              awseks: {
                clusterSelector: { matchLabels: { service: 'demo' } },
                bindingSelector: { matchLabels: { role: 'web' } },
              },
            },
          ],
        },
      },
    ]);
    expect(named(objects, 'AWSTargetGroup')).toMatchObject([
      {
        metadata: { name: 'shop-web', labels: { role: 'web', service: 'demo' } },
        spec: { arn: arnOf('web') },
      },
    ]);
  });

  it.each([
    ['no labels', [aSecret('cdk1')], /cannot select cluster cdk1 alone: its secret has no labels/],
    ['the labels of another', [cdk1, aSecret('cdk2', { service: 'demo' })], /cdk2 has the same labels/],
  ])('refuses a cluster that has %s', async (_, objects, said) => {
    const refused = await runOkra(words, { objects, remote });
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(said) as string });
    expect(named(refused.objects, 'AWSTargetGroupSet')).toEqual([]);
  });

  it('wants the cluster with a selector', async () => {
    const { code, err } = await runOkra(['sync', 'awstargetgroupset', 'web', ...more]);
    expect([code, err]).toEqual([2, expect.stringContaining('need --cluster-name')]);
  });
});

describe('okra sync awstargetgroupbinding', () => {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node-a', labels: {} },
    spec: { providerID: 'aws:///ap-northeast-1a/i-0123456789abcdef0' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  } as FakeObject;
  const binding = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroupBinding',
    metadata: { namespace: 'default', name: 'web', uid: 'uid-web', generation: 1 },
    spec: {
      targetGroupARN: arnOf('web'),
      targets: [{ name: 'node', clusterName: 'cdk1', nodeName: 'node-a', port: 8080 }],
    },
  } as FakeObject;
  const words = ['sync', 'awstargetgroupbinding', 'web'];
  const world = (registered: unknown[]) => ({
    objects: [cdk1, binding],
    remote: { cdk1: [node] },
    elbv2: {
      targetGroups: () =>
        Promise.resolve([
          { TargetGroupArn: arnOf('web'), TargetType: 'instance', Protocol: 'HTTP', VpcId: 'vpc-1' },
        ]),
      targetHealth: () => Promise.resolve([]),
      tagsOf: () => Promise.resolve({}),
      registerTargets: (_: string, batch: readonly unknown[]) =>
        Promise.resolve(void registered.push(...batch)),
    } as unknown as ELBv2,
  });

  it('registers the targets, and says so in the status', async () => {
    const registered: unknown[] = [];
    const { code, err, out, objects } = await runOkra(words, world(registered));
    expect([code, err]).toEqual([0, '']);
    expect(registered).toEqual([{ id: 'i-0123456789abcdef0', port: 8080 }]);
    expect(out).toContain('1 target');
    expect(statusOf(objects, 'AWSTargetGroupBinding')).toMatchObject({ targetGroupARN: arnOf('web') });
  });

  it('ends at the first call that would write with --dry-run', async () => {
    const registered: unknown[] = [];
    const { code, out } = await runOkra([...words, '--dry-run'], world(registered));
    expect([code, registered]).toEqual([0, []]);
    expect(out).toMatch(
      /# would call RegisterTargets of ELBv2\n- .*\n- - id: i-0123456789abcdef0\n {4}port: 8080\n$/,
    );
  });

  it('says that there is none', async () => {
    const { code, err } = await runOkra(words);
    expect([code, err]).toEqual([1, expect.stringContaining('AWSTargetGroupBinding default/web not found')]);
  });
});

describe('okra sync awstargetgroups', () => {
  const group = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroup',
    metadata: { namespace: 'default', name: 'web', uid: 'uid-web', generation: 1 },
    spec: { arn: arnOf('web') },
  } as FakeObject;
  const answering = (tags: () => Promise<ReadonlyMap<string, Record<string, string>>>) =>
    ({
      targetGroups: () =>
        Promise.resolve([
          { TargetGroupArn: arnOf('web'), TargetType: 'ip', Protocol: 'HTTP', VpcId: 'vpc-1' },
        ]),
      tagsOfGroups: tags,
    }) as unknown as ELBv2;
  const sync = (elbv2: ELBv2) => runOkra(['sync', 'awstargetgroups'], { objects: [group], elbv2 });

  it('reports what AWS knows of them, with their tags', async () => {
    const tags = () => Promise.resolve(new Map([[arnOf('web'), { version: '2.0.0' }]]));
    const { code, out, objects } = await sync(answering(tags));
    expect([code, out]).toEqual([0, 'Looked up 1 of 1 target groups in AWS.\n']);
    expect(statusOf(objects, 'AWSTargetGroup')).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready' })]) as unknown,
    });
  });

  it('fails where AWS cannot be asked all of it', async () => {
    const { code, out } = await sync(answering(() => Promise.reject(new Error('no answer'))));
    expect([code, out]).toEqual([1, expect.stringContaining('tags of 1 target groups are kept: no answer')]);
  });
});

it('says what only okrad syncs', async () => {
  const said = await runOkra(['sync', 'stagedbindingpolicy', 'nginx']);
  expect([said.code, said.err]).toEqual([
    2,
    expect.stringContaining('Only okrad rolls out StagedBindingPolicies and Cells with applications'),
  ]);
});

describe('okra sync check', () => {
  /** A Prometheus that answers the queries with these values in turn, and the others with the last. */
  async function answering(...values: string[]): Promise<string> {
    const server = createServer((_, response) => {
      const at = Math.floor(Date.now() / 1000);
      const value = values.length > 1 ? values.shift() : values[0];
      const points = Array.from({ length: 40 }, (_point, index) => [at - index * 10, value]);
      const data = { resultType: 'matrix', result: [{ metric: {}, values: points }] };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 'success', data }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const aCheck = (address: string, analysis: object = {}, more: object = {}): FakeObject =>
    ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Check',
      metadata: { namespace: 'default', name: 'errors', uid: 'uid-errors', generation: 1 },
      spec: {
        analysis: {
          provider: { prometheus: { address } },
          query: 'errors',
          aggregator: 'max',
          max: 0.1,
          count: 1,
          window: '1m',
          bucket: '10s',
          lag: '0s',
          interval: '1s',
          ...analysis,
        },
        ...more,
      },
    }) as FakeObject;
  const synced = (objects: readonly FakeObject[], ...words: string[]) =>
    runOkra(['sync', 'check', 'errors', ...words], { objects, now: Date.now() });

  it.each([
    ['0.05', 'Successful', 0],
    ['0.5', 'Failed', 1],
    ['NaN', 'Inconclusive', 1],
  ])('takes the sample %s, and ends with the verdict %s', async (value, phase, code) => {
    const said = await synced([aCheck(await answering(value))]);
    expect(said.err).toBe('');
    expect(statusOf(said.objects, 'Check')).toMatchObject({ phase });
    expect(said.code).toBe(code);
    // A pipeline that is run again reads the same.
    expect(await synced(said.objects)).toMatchObject({ code, out: expect.stringMatching(/./) });
  });

  it('has no verdict before the last sample, unless it waits for it', async () => {
    const address = await answering('0.05', '0.05', '0.5');
    const objects = [aCheck(address, { count: 2, failureLimit: 0 })];
    const one = await synced(objects);
    expect(statusOf(one.objects, 'Check')).toMatchObject({ phase: 'Running' });
    expect(one.code).toBe(0);
    const waited = await synced(objects, '--wait');
    expect(statusOf(waited.objects, 'Check')).toMatchObject({ phase: 'Failed' });
    expect(waited).toMatchObject({ code: 1, err: '' });
  });

  it.each([
    ['cannot be measured as it is written', { aggregator: undefined, pass: 'valu < 1', max: undefined }, {}],
    ['was ended before', {}, { terminate: true }],
  ])('fails where a Check %s', async (_, analysis, more) => {
    const objects = [aCheck(await answering('0.05'), analysis, more)];
    for (const words of [[], ['--wait']]) expect(await synced(objects, ...words)).toMatchObject({ code: 1 });
  });

  it('neither waits for the verdict of a dry run, nor says that there is one', async () => {
    const said = await synced([aCheck(await answering('0.5'))], '--wait', '--dry-run');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(statusOf(said.objects, 'Check')).toEqual({});
  });

  it('fails where there is no such Check', async () => {
    for (const words of [[], ['--dry-run']])
      expect(await runOkra(['sync', 'check', 'errors', ...words])).toMatchObject({
        code: 1,
        err: 'Check default/errors not found.',
      });
  });
});

describe('okra create analysisrun and run analysis', () => {
  const template = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisTemplate',
    metadata: { name: 'success-rate', namespace: 'default' },
    spec: {
      args: [{ name: 'service-name' }, { name: 'query', value: 'up' }],
      metrics: [{ name: 'rate', provider: { web: { url: 'http://x' } } }],
    },
  } as FakeObject;
  const words = ['--template-name', 'success-rate', '--args'];

  it('A-L04 makes a run with the arguments and the defaults of the template', async () => {
    const { code, objects } = await runOkra(['create', 'analysisrun', ...words, 'service-name=foo'], {
      objects: [template],
    });
    expect(code).toBe(0);
    expect(named(objects, 'AnalysisRun')).toMatchObject([
      {
        spec: {
          args: [
            { name: 'service-name', value: 'foo' },
            { name: 'query', value: 'up' },
          ],
        },
      },
    ]);
  });

  it('A-L04 says which argument the template does not have', async () => {
    const said = await runOkra(['create', 'analysisrun', ...words, 'service=foo'], { objects: [template] });
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'argument service does not exist in analysisrun template success-rate',
      ) as string,
    });
    expect(named(said.objects, 'AnalysisRun')).toEqual([]);
  });

  it.each([
    ['Successful', [], 0, ''],
    [
      'Error',
      [{ name: 'rate', phase: 'Error', measurements: [{ message: 'connection refused' }] }],
      1,
      'rate: connection refused',
    ],
  ])('A-L09 waits until the run is over, here %s', async (phase, metricResults, code, err) => {
    const run = ['run', 'analysis', 'r1', ...words, 'service-name=foo', '--wait'];
    // Argo Rollouts measures as soon as the run is looked at.
    const measured = (objects: readonly FakeObject[]): readonly FakeObject[] =>
      named(objects, 'AnalysisRun').map(
        (one) => ({ ...one, status: { phase, metricResults } }) as FakeObject,
      );
    const said = await runOkra(run, { objects: [template], meanwhile: measured });
    expect([said.code, said.err]).toEqual([code, expect.stringContaining(err)]);
  });
});
