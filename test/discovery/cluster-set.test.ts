import { readFile } from 'node:fs/promises';
import { EKS } from '@aws-sdk/client-eks';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CLUSTER_SET, SECRET } from '../../clients/kubernetes/kinds.ts';
import type { ClusterSet, ClusterSetStatus } from '../../crds/cluster-set.ts';
import type { Metadata } from '../../crds/resource.ts';
import { changeCluster } from '../../local/eks-fixture.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

interface Secret {
  readonly type: string;
  readonly metadata: Metadata;
  readonly data: Readonly<Record<string, string>>;
}

const roleArn = 'arn:aws:iam::123456789012:role/eks';

describe('a ClusterSet', () => {
  let stage: Stage;
  let eks: EKS;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_SYNC_INTERVAL: '1' });
    eks = new EKS({
      region: stage.stack.aws.region,
      endpoint: stage.stack.aws.endpoint,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
  });
  afterAll(async () => {
    // There is no Cell here.
    await stage.close({ writes: false });
    eks.destroy();
  });

  const created = new Set<string>();
  afterAll(async () => {
    for (const name of created) await eks.deleteCluster({ name });
  });
  const create = async (name: string, tags: Record<string, string>): Promise<void> => {
    const resourcesVpcConfig = { subnetIds: [] };
    await eks.createCluster({ name, roleArn, resourcesVpcConfig, tags: { ...tags, of: stage.namespace } });
    created.add(name);
  };
  /** EKS in another region, whose clusters go at the end. */
  const connectElsewhere = (region: string) => {
    const client = new EKS({
      region,
      endpoint: stage.stack.aws.endpoint,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const names: string[] = [];
    return {
      create: async (name: string, tags: Record<string, string>): Promise<void> => {
        const of = { ...tags, of: stage.namespace };
        await client.createCluster({ name, roleArn, resourcesVpcConfig: { subnetIds: [] }, tags: of });
        names.push(name);
      },
      [Symbol.asyncDispose]: async () => {
        await Promise.all(names.map((name) => client.deleteCluster({ name })));
        client.destroy();
      },
    };
  };
  const remove = async (name: string): Promise<void> => {
    await eks.deleteCluster({ name });
    created.delete(name);
  };
  /** Ends a set, which would look at every cluster each second, and clusters of it. */
  const end = async (name: string, ...clusters: readonly string[]): Promise<void> => {
    await stage.delete(CLUSTER_SET, name);
    await Promise.all(clusters.map(remove));
  };

  const set = (name: string, matchTags: Record<string, string>, labels: object): object =>
    setOf(name, [{ awseks: { selector: { matchTags: { ...matchTags, of: stage.namespace } } } }], labels);
  const setOf = (name: string, generators: readonly object[], labels: object): object => ({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'ClusterSet',
    metadata: { name },
    spec: { generators, template: { metadata: { labels } } },
  });
  const secret = (name: string): Promise<Secret | undefined> =>
    stage.kubernetes.get<Secret>(SECRET, { namespace: stage.namespace, name });
  const untilSecret = (name: string): Promise<Secret> => until(`Secret ${name}`, () => secret(name));
  const untilGone = (name: string): Promise<true> =>
    until(`Secret ${name} to go`, async () => (await secret(name)) === undefined && true);
  const statusOf = async (name: string): Promise<ClusterSetStatus> =>
    (await stage.kubernetes.get<ClusterSet>(CLUSTER_SET, { namespace: stage.namespace, name }))?.status ?? {};
  const untilNames = (name: string, names: readonly string[]): Promise<ClusterSetStatus> =>
    until(
      `ClusterSet ${name} to have ${names.join(', ')}`,
      async () => {
        const status = await statusOf(name);
        return JSON.stringify(status.clusters?.names) === JSON.stringify(names) && status;
      },
      { seen: () => statusOf(name) },
    );
  const textOf = (found: Secret, key: string): string =>
    Buffer.from(found.data[key] ?? '', 'base64').toString('utf8');

  it('A-S01, A-S10 makes an Argo CD cluster secret of a cluster with the tags, and says so', async () => {
    await create('cdk1', { Service: 'demo' });
    await create('cdk2', { Service: 'other' });
    await stage.apply(set('s01', { Service: 'demo' }, { service: 'demo' }));
    const found = await untilSecret('cdk1');
    const { cluster } = await eks.describeCluster({ name: 'cdk1' });
    expect(found.type).toBe('Opaque');
    expect(found.metadata.labels).toEqual({ 'argocd.argoproj.io/secret-type': 'cluster', service: 'demo' });
    expect(found.metadata.ownerReferences).toMatchObject([
      { kind: 'ClusterSet', name: 's01', controller: true },
    ]);
    expect(found.metadata.annotations?.['okra.mumo.co/cluster-vpc-id']).toBeUndefined();
    expect(textOf(found, 'name')).toBe('cdk1');
    expect(textOf(found, 'server')).toBe(cluster?.endpoint);
    expect(JSON.parse(textOf(found, 'config'))).toMatchObject({
      awsAuthConfig: { clusterName: 'cdk1' },
      tlsClientConfig: { insecure: false, caData: cluster?.certificateAuthority?.data },
    });
    const status = await untilNames('s01', ['cdk1']);
    expect(status).toMatchObject({ phase: 'Synced', lastSyncTime: expect.any(String) });
    expect(await secret('cdk2')).toBeUndefined();
  });

  it('says in the secret which VPC EKS has the cluster in', async () => {
    const vpcID = 'vpc-0123456789abcdef0';
    await changeCluster(stage.stack.aws, 'cdk1', { vpcID });
    await until(
      'the annotation',
      async () => (await secret('cdk1'))?.metadata.annotations?.['okra.mumo.co/cluster-vpc-id'] === vpcID,
    );
  });

  it('A-S02 wants all tags', async () => {
    await create('prod1', { Service: 's02', env: 'prod' });
    await create('dev1', { Service: 's02', env: 'dev' });
    await stage.apply(set('s02', { Service: 's02', env: 'prod' }, {}));
    await untilNames('s02', ['prod1']);
    expect(await secret('dev1')).toBeUndefined();
    await end('s02', 'prod1', 'dev1');
  });

  it('A-S03, A-S04 follows clusters that come and go, and leaves secrets that it did not make', async () => {
    await create('come1', { Service: 's03' });
    await stage.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'byhand',
        labels: { 'argocd.argoproj.io/secret-type': 'cluster', service: 's03' },
      },
      stringData: { name: 'byhand', server: 'https://example.com', config: '{}' },
    });
    await stage.apply(set('s03', { Service: 's03' }, { service: 's03' }));
    await untilSecret('come1');
    await create('come2', { Service: 's03' });
    await untilNames('s03', ['come1', 'come2']);
    await remove('come1');
    await untilGone('come1');
    expect(await secret('byhand')).toBeDefined();
    await end('s03', 'come2');
  });

  it('reports a secret of the same name that it did not make, and leaves it', async () => {
    await stage.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'taken1' },
      stringData: { a: 'b' },
    });
    await create('taken1', { Service: 'taken' });
    await create('taken2', { Service: 'taken' });
    await stage.apply(set('taken', { Service: 'taken' }, {}));
    const status = await untilNames('taken', ['taken2']);
    expect(status).toMatchObject({
      phase: 'Degraded',
      problems: [{ cluster: 'taken1', reason: 'ForeignSecret' }],
    });
    expect(Object.keys((await secret('taken1'))?.data ?? {})).toEqual(['a']);
    await end('taken', 'taken1', 'taken2');
  });

  it('A-S05 follows the endpoint and the CA of a cluster', async () => {
    await create('edit1', { Service: 's05' });
    await stage.apply(set('s05', { Service: 's05' }, { old: 'yes' }));
    const { metadata } = await untilSecret('edit1');
    const endpoint = 'https://moved.example.com';
    const caData = Buffer.from('another CA').toString('base64');
    await changeCluster(stage.stack.aws, 'edit1', { endpoint, caData });
    const moved = await until('the secret to have the new endpoint', async () => {
      const now = await secret('edit1');
      return now !== undefined && textOf(now, 'server') === endpoint && now;
    });
    expect(JSON.parse(textOf(moved, 'config'))).toMatchObject({
      awsAuthConfig: { clusterName: 'edit1' },
      tlsClientConfig: { insecure: false, caData },
    });
    expect(moved.metadata.uid).toBe(metadata.uid);
    const renewed = Buffer.from('a third CA').toString('base64');
    await changeCluster(stage.stack.aws, 'edit1', { caData: renewed });
    await until('the secret to have the new CA', async () =>
      textOf((await secret('edit1')) ?? moved, 'config').includes(renewed),
    );
  });

  it('A-S05 makes a secret again what EKS and the template say', async () => {
    const server = Buffer.from('https://old.example.com').toString('base64');
    await stage.kubernetes.patch(SECRET, { namespace: stage.namespace, name: 'edit1' }, { data: { server } });
    await stage.apply(set('s05', { Service: 's05' }, { new: 'yes' }));
    const { cluster } = await eks.describeCluster({ name: 'edit1' });
    const found = await until('the secret to be as it is to be', async () => {
      const now = await secret('edit1');
      return now?.metadata.labels?.['new'] === 'yes' && textOf(now, 'server') === cluster?.endpoint && now;
    });
    expect(Object.keys(found.metadata.labels ?? {})).not.toContain('old');
    await end('s05', 'edit1');
  });

  it('A-S08, A-S09 takes the older spelling, labels by tags, and what any generator finds', async () => {
    await create('web1', { role: 'web' });
    await create('web2', { role: 'api' });
    const generators = ['web', 'api'].map((role) => ({
      awseks: { clusterSelector: { matchTags: { role, of: stage.namespace } } },
    }));
    await stage.apply(setOf('s08', generators, { role: '{{.awseks.cluster.tags.role}}' }));
    await untilNames('s08', ['web1', 'web2']);
    expect((await secret('web1'))?.metadata.labels?.['role']).toBe('web');
    expect((await secret('web2'))?.metadata.labels?.['role']).toBe('api');
    await end('s08', 'web1', 'web2');
  });

  it('A-S06 finds a cluster on a later page', async () => {
    // In a region of their own, so that no other set has to read them again and again.
    const region = 'eu-west-1';
    await using elsewhere = connectElsewhere(region);
    for (let begin = 0; begin < 100; begin += 10) {
      const names = Array.from({ length: 10 }, (_, index) => `many${begin + index}`);
      await Promise.all(names.map((name) => elsewhere.create(name, { Service: 'many' })));
    }
    await elsewhere.create('zlast', { Service: 's06' });
    const generator = {
      awseks: { region, selector: { matchTags: { Service: 's06', of: stage.namespace } } },
    };
    await stage.apply(setOf('s06', [generator], {}));
    await untilSecret('zlast');
    await stage.delete(CLUSTER_SET, 's06');
  });

  it('I11 tells neither its workflow nor its log how a cluster is reached, nor what signs the calls', async () => {
    const id = `cluster-set/${stage.namespace}/s01`;
    const history = await stage.temporal('workflow', 'show', '--workflow-id', id, '-o', 'json');
    const log = await readFile(stage.okrad.log, 'utf8');
    expect(history).toContain('syncClusterSet');
    expect(log).toContain('"msg":"watching"');
    for (const secretText of [stage.secretAccessKey, 'caData', 'awsAuthConfig']) {
      expect(history).not.toContain(secretText);
      expect(log).not.toContain(secretText);
    }
  });

  it('leaves nothing behind when it is deleted', async () => {
    await create('end1', { Service: 'end' });
    await stage.apply(set('end', { Service: 'end' }, {}));
    await untilSecret('end1');
    await stage.delete(CLUSTER_SET, 'end');
    await untilGone('end1');
    await stage.untilClosed(`cluster-set/${stage.namespace}/end`);
  });
});
