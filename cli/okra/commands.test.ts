import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { EKSCluster } from '../../clients/aws/eks.ts';
import { fieldsIn } from '../../domain/model/fields.ts';
import { runOkractl } from '../okractl/testing/shell.ts';
import { aCell, aTargetGroup } from '../okractl/testing/objects.ts';
import { aSecret } from './testing/objects.ts';
import { runOkra, type FakeObject } from './testing/shell.ts';
import { aRolloutStatus } from '../../domain/testing/builders.ts';

const LISTENER =
  'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/app/web/0123456789abcdef/0123456789abcdef';

const anEKSCluster = (name: string, tags: Readonly<Record<string, string>>): EKSCluster => ({
  name,
  arn: `arn:aws:eks:ap-northeast-1:111122223333:cluster/${name}`,
  region: 'ap-northeast-1',
  status: 'ACTIVE',
  endpoint: `https://${name}.example.com`,
  caData: 'Zm9v',
  tags,
});
const secrets = (objects: readonly FakeObject[]): readonly string[] =>
  objects.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
const decoded = (text: unknown): string => Buffer.from(String(text), 'base64').toString('utf8');

describe('okra create, get and delete cluster', () => {
  const asked = ['create', 'cluster', '--name', 'cdk1', '--namespace', 'default', '--labels', 'service=demo'];

  it('A-L01 prints the secret of a cluster with --dry-run, and writes nothing', async () => {
    const said = await runOkra([...asked, '--dry-run', '--endpoint', 'https://x', '--ca-data', 'Zm9v']);
    expect(said).toMatchObject({ code: 0, err: '', objects: [] });
    const secret: unknown = parse(said.out);
    expect(secret).toMatchObject({
      kind: 'Secret',
      metadata: {
        name: 'cdk1',
        namespace: 'default',
        labels: { service: 'demo', 'argocd.argoproj.io/secret-type': 'cluster' },
      },
    });
    const { name, server, config } = fieldsIn(fieldsIn(secret)['data']);
    expect([decoded(name), decoded(server)]).toEqual(['cdk1', 'https://x']);
    expect(JSON.parse(decoded(config))).toMatchObject({ tlsClientConfig: { caData: 'Zm9v' } });
  });

  it('asks EKS for what it is not told, shows the cluster, and deletes its secret', async () => {
    const eksClusters = [anEKSCluster('cdk1', {}), anEKSCluster('cdk2', {})];
    const created = await runOkra(asked, { eksClusters });
    expect(created).toMatchObject({ code: 0, out: 'Secret default/cdk1 created.\n' });
    const { objects } = created;
    expect(await runOkra(asked, { eksClusters, objects })).toMatchObject({ code: 1 });
    const shown = await runOkra(['get', 'cluster', '--selector', 'service=demo'], { objects });
    expect(shown.out).toBe('NAME   SECRET   LABELS\ncdk1   cdk1     service=demo\n');
    const dry = await runOkra(['delete', 'cluster', 'cdk1', '--dry-run'], { objects });
    expect([dry.out, secrets(dry.objects)]).toEqual(['---\n# would delete Secret default/cdk1\n', ['cdk1']]);
    expect(secrets((await runOkra(['delete', 'cluster', 'cdk1'], { objects })).objects)).toEqual([]);
  });

  it.each([
    ['two secrets are of it', [aSecret('a-live', {}, 'prod'), aSecret('b-old', {}, 'prod')]],
    ['another cluster has a secret of its name', [aSecret('prod', {}, 'blue'), aSecret('zeta', {}, 'prod')]],
  ])('deletes no secret when %s', async (_, objects) => {
    const said = await runOkra(['delete', 'cluster', 'prod'], { objects });
    expect([said.code, secrets(said.objects)]).toEqual([1, secrets(objects)]);
    expect(said.err).toContain('prod is ambiguous in namespace default: Secret');
  });

  it('lists the clusters that there are when EKS does not know the one', async () => {
    const eksClusters = [anEKSCluster('cdk2', {}), anEKSCluster('cdk1', {})];
    const said = await runOkra(['create', 'cluster', 'other'], { eksClusters });
    expect(said).toMatchObject({ code: 1, objects: [] });
    expect(said.err).toContain('EKS cluster other not found in ap-northeast-1. Existing: cdk1, cdk2.');
  });

  it.each([
    [['create', 'cluster'], 'the name of the EKS cluster is missing.'],
    [['create', 'cluster', 'a', '--name', 'b'], 'two names given'],
    [
      ['create', 'cluster', 'a', '--endpoint', 'https://x'],
      '--endpoint and --ca-data must be given together',
    ],
    [['create', 'cluster', 'a', '--labels', 'x'], 'It must be key=value,…'],
  ])('refuses %s', async (words, message) => {
    const said = await runOkra(words);
    expect([said.code, said.objects]).toEqual([2, []]);
    expect(said.err).toContain(message);
  });
});

describe('okra get', () => {
  const objects = [
    aTargetGroup('a1', '1.0.0'),
    aTargetGroup('b1', '2.0.0'),
    aTargetGroup('b2', '2.0.0'),
    {
      ...aTargetGroup('x', '3.0.0'),
      metadata: { name: 'x', namespace: 'default', labels: { role: 'other' } },
    },
  ];
  const asked = [
    'get',
    'latestawstargetgroups',
    '--namespace',
    'default',
    '--selector',
    'role=web',
    '-o',
    'name',
  ];

  it('A-L03 shows the target groups of the newest version, or of the one that is asked for', async () => {
    expect((await runOkra(asked, { objects })).out).toBe('awstargetgroup/b1\nawstargetgroup/b2\n');
    expect((await runOkra([...asked, '--version', '1.0.0'], { objects })).out).toBe('awstargetgroup/a1\n');
    const said = await runOkra([...asked, '--version', '9.0.0'], { objects });
    expect([said.code, said.err]).toEqual([
      1,
      'no AWSTargetGroup of version 9.0.0 found. Existing versions: 2.0.0, 1.0.0.',
    ]);
  });

  it('shows all target groups with a label', async () => {
    const said = await runOkra(['get', 'awstargetgroups', '--selector', 'role=other', '-o', 'name'], {
      objects,
    });
    expect(said.out).toBe('awstargetgroup/x\n');
  });
});

describe('okra sync clusterset', () => {
  const eksClusters = [anEKSCluster('new', { Service: 'demo' }), anEKSCluster('other', {})];
  const asked = ['sync', 'clusterset', '--eks-tags', 'Service=demo', '--labels', 'service=demo'];
  /** What a sync has left when the cluster `old` was there as well. */
  const before = async () =>
    (await runOkra(asked, { eksClusters: [...eksClusters, anEKSCluster('old', { Service: 'demo' })] }))
      .objects;

  it('makes a secret for each cluster with the tags, and deletes those of clusters that are gone', async () => {
    const objects = await before();
    expect(secrets(objects)).toEqual(['new', 'old']);
    const said = await runOkra(asked, { eksClusters, objects });
    expect(said).toMatchObject({ code: 0, err: '', out: '1 clusters have a secret.\n' });
    expect(secrets(said.objects)).toEqual(['new']);
  });

  it('says with --dry-run what it would do to those that there are, and no more', async () => {
    const environment = { OKRA_GRACE_PERIOD: '0' };
    const objects = await before();
    const dry = await runOkra([...asked, '--dry-run'], { eksClusters, objects, environment });
    expect(dry.out.match(/^# would (?!apply ClusterSet).*/gm)).toEqual(['# would delete Secret default/old']);
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.objects).toEqual(objects);
  });

  it('A-L05 creates only with --delete=false', async () => {
    const objects = (await before()).filter(({ metadata }) => metadata.name !== 'new');
    const said = await runOkra([...asked, '--delete=false'], { eksClusters, objects });
    expect(secrets(said.objects)).toEqual(['old', 'new']);
    expect(said).toMatchObject({ code: 0 });
    expect(said.err).toContain('Not deleted: Secret old (--delete=false)');
  });

  it('creates nothing with --create=false', async () => {
    const said = await runOkra([...asked, '--create=false'], { eksClusters });
    expect([said.code, secrets(said.objects)]).toEqual([0, []]);
  });

  it('writes nothing with --dry-run, and prints what it would write as YAML', async () => {
    const said = await runOkra([...asked, '--dry-run'], { eksClusters });
    expect([said.code, said.err, said.objects]).toEqual([0, '', []]);
    const kinds = parseAllDocuments(said.out).map((one) => fieldsIn(one.toJS())['kind']);
    expect(kinds).toEqual(['ClusterSet', 'Secret']);
  });

  it('says that there is no such ClusterSet', async () => {
    const said = await runOkra(['sync', 'clusterset', 'web']);
    expect([said.code, said.err]).toEqual([1, 'ClusterSet default/web not found.']);
  });
});

describe('okra upsert', () => {
  const asked = ['upsert', 'cell', '--name', 'c', '--listener-arn', LISTENER, '--match-label', 'role=web'];

  it('A-L06 makes a Cell with exactly the steps that it is told', async () => {
    const steps = 'weight=20,pause=5s,analysis=success-rate:service-name=foo';
    const said = await runOkra([...asked, '--listener-rule-host', 'example.com', '--canary-steps', steps]);
    expect(said).toMatchObject({ code: 0, out: 'Cell default/c created.\n' });
    expect(said.objects).toMatchObject([
      {
        spec: {
          ingress: {
            awsApplicationLoadBalancer: {
              listenerARN: LISTENER,
              listener: { rule: { priority: 10, hosts: ['example.com'] } },
              targetGroupSelector: { matchLabels: { role: 'web' } },
            },
          },
          updateStrategy: {
            canary: {
              steps: [
                { setWeight: 20 },
                { pause: { duration: '5s' } },
                {
                  analysis: {
                    templates: [{ templateName: 'success-rate' }],
                    args: [{ name: 'service-name', value: 'foo' }],
                  },
                },
              ],
            },
          },
        },
      },
    ]);
  });

  it.each([
    ['weight=2x', 'must be weight=NUMBER'],
    ['weight=120', 'setWeight'],
    ['wait=5s', 'must be weight=NUMBER'],
  ])('refuses the steps %s before anything is written', async (steps, message) => {
    const said = await runOkra([...asked, '--listener-rule-host', 'example.com', '--canary-steps', steps]);
    expect([said.code, said.objects]).toEqual([2, []]);
    expect(said.err).toContain(message);
  });

  it('makes an AWSTargetGroupSet', async () => {
    const words = ['upsert', 'awstargetgroupset', 'web', '--cluster-selector', 'service=demo'];
    const said = await runOkra([
      ...words,
      '--targetgroupbinding-selector',
      'role=web',
      '--labels',
      'role=web',
    ]);
    expect(said.out).toBe('AWSTargetGroupSet default/web created.\n');
    expect(said.objects).toMatchObject([
      {
        spec: {
          generators: [
            {
              awseks: {
                clusterSelector: { matchLabels: { service: 'demo' } },
                bindingSelector: { matchLabels: { role: 'web' } },
              },
            },
          ],
          template: { metadata: { labels: { role: 'web' } } },
        },
      },
    ]);
  });
});

describe('okra sync cell', () => {
  const inRollout = {
    rollout: aRolloutStatus({ startedAt: '2026-11-22T09:55:00Z', runId: '1' }),
  };
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'default', name: 'okra' },
    spec: { holderIdentity: 'okrad-1', leaseDurationSeconds: 15, renewTime: '2026-11-22T09:59:50Z' },
  };

  const renewed = (renewTime: string) => ({ ...lease, spec: { ...lease.spec, renewTime } });

  it.each([
    ['a workflow rolls it out', [aCell(inRollout)], 'workflow cell/default/web'],
    ['okrad runs', [aCell(), lease], 'okrad (okrad-1) holds Lease'],
    [
      'okrad may run, by a clock that may be wrong',
      [aCell(), renewed('2026-11-22T09:55:30Z')],
      'okrad (okrad-1) holds Lease',
    ],
  ])('is refused while %s, and writes nothing', async (_, objects, message) => {
    const said = await runOkra(['sync', 'cell', 'web'], { objects });
    expect([said.code, said.objects]).toEqual([3, objects]);
    expect(said.err).toContain(message);
  });

  it.each([
    ['was released', { ...lease, spec: { ...lease.spec, holderIdentity: '' } }],
    ['has run out for minutes', renewed('2026-11-22T09:54:00Z')],
  ])('continues where the Lease %s', async (_, held) => {
    const said = await runOkra(['sync', 'cell', 'web'], { objects: [aCell(), held] });
    expect(said.err).not.toContain('okrad-1');
  });

  it('says that there is no such Cell', async () => {
    expect(await runOkra(['sync', 'cell', 'web'])).toMatchObject({
      code: 1,
      err: 'Cell default/web not found. See okractl get -A.',
    });
  });

  it('refuses what makes no sense to ask', async () => {
    const said = await runOkra(['sync', 'cell', 'web', '--request', 'resume'], { objects: [aCell()] });
    expect(said).toMatchObject({ code: 3 });
  });
});

describe('okractl', () => {
  it('A-L07 has no sync', async () => {
    const { code, err } = await runOkractl(['sync', 'cell', 'web']);
    expect([code, err]).toEqual([2, expect.stringContaining("unknown command 'sync'")]);
  });
});
