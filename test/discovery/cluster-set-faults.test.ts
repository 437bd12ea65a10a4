import { DeleteClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { CLUSTER_SET, SECRET } from '../../clients/kubernetes/kinds.ts';
import type { ClusterSet, ClusterSetStatus } from '../../crds/cluster-set.ts';
import type { Metadata } from '../../crds/resource.ts';
import {
  changeCluster,
  connectEmulatedEKS,
  createCluster,
  type ClusterFacts,
} from '../../local/eks-fixture.ts';
import { serveFaultyEKS, type EKSAnswer, type EKSFault, type FaultyEKS } from '../support/faulty-eks.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const throttled: EKSAnswer = { status: 429, error: 'ThrottlingException', body: { message: 'Slow down.' } };
const broken: EKSAnswer = { status: 500, error: 'ServerException', body: { message: 'It broke.' } };

describe('a ClusterSet', () => {
  const { aws } = inject('stack');
  let api: FaultyEKS;
  let stage: Stage;
  let eks: EKSClient;
  beforeAll(async () => {
    api = await serveFaultyEKS(aws.endpoint);
    stage = await Stage.open(inject('stack'), { OKRA_SYNC_INTERVAL: '1', AWS_ENDPOINT_URL_EKS: api.url });
    eks = connectEmulatedEKS(aws);
  });
  afterAll(async () => {
    // There is no Cell here.
    await stage.close({ writes: false });
    await api[Symbol.asyncDispose]();
    eks.destroy();
  });
  beforeEach(() => {
    api.fault = undefined;
  });
  // Every set looks at every cluster each second.
  afterEach(async () => {
    const { namespace } = stage;
    for (const name of applied) await stage.kubernetes.delete(CLUSTER_SET, { namespace, name });
    applied.clear();
    for (const name of created) await remove(name);
  });

  const applied = new Set<string>();
  const created = new Set<string>();
  const create = async (name: string, of: string, facts: ClusterFacts = {}): Promise<void> => {
    await createCluster(aws, { name, tags: { of: stage.namespace, Service: of }, ...facts });
    created.add(name);
  };
  const remove = async (name: string): Promise<void> => {
    created.delete(name);
    await eks.send(new DeleteClusterCommand({ name }));
  };
  const generator = (of: string) => ({
    awseks: { selector: { matchTags: { of: stage.namespace, Service: of } } },
  });
  const apply = async (name: string, ...generators: readonly object[]): Promise<void> => {
    applied.add(name);
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'ClusterSet',
      metadata: { name },
      spec: { generators },
    });
  };
  const secret = (name: string): Promise<{ readonly metadata: Metadata } | undefined> =>
    stage.kubernetes.get(SECRET, { namespace: stage.namespace, name });
  const ownerOf = async (name: string): Promise<string | undefined> =>
    (await secret(name))?.metadata.ownerReferences?.[0]?.name;
  const statusOf = async (name: string): Promise<ClusterSetStatus> =>
    (await stage.kubernetes.get<ClusterSet>(CLUSTER_SET, { namespace: stage.namespace, name }))?.status ?? {};
  const untilStatus = (name: string, what: string, holds: (status: ClusterSetStatus) => boolean) =>
    until(
      `ClusterSet ${name} to be ${what}`,
      async () => {
        const status = await statusOf(name);
        return holds(status) && status;
      },
      { seen: () => statusOf(name) },
    );
  const untilSynced = (name: string, ...names: readonly string[]): Promise<ClusterSetStatus> =>
    untilStatus(
      name,
      `synced with ${names.join(', ')}`,
      ({ phase, clusters }) =>
        phase === 'Synced' && JSON.stringify(clusters?.names ?? []) === JSON.stringify(names),
    );

  it('A-S07 waits for a cluster that is being created, and makes the secret when it is ACTIVE', async () => {
    await create('s07a', 's07');
    await create('s07b', 's07', { status: 'CREATING' });
    await apply('s07', generator('s07'));
    const waiting = await untilSynced('s07', 's07a');
    expect(waiting.message).toContain('s07b is CREATING.');
    expect(await secret('s07b')).toBeUndefined();
    await changeCluster(aws, 's07b', { status: 'ACTIVE' });
    await untilSynced('s07', 's07a', 's07b');
    expect(await ownerOf('s07b')).toBe('s07');
    await changeCluster(aws, 's07b', { status: 'UPDATING' });
    await untilStatus('s07', 'waiting', ({ message }) => message?.includes('s07b is UPDATING.') === true);
    expect(await ownerOf('s07b')).toBe('s07');
    await changeCluster(aws, 's07b', { status: 'DELETING' });
    await untilSynced('s07', 's07a');
    expect(await secret('s07b')).toBeUndefined();
  });

  it('A-S03 takes a cluster that is deleted between list and description for gone', async () => {
    await create('mid1', 'mid');
    await create('mid2', 'mid');
    await apply('mid', generator('mid'));
    await untilSynced('mid', 'mid1', 'mid2');
    let asked = 0;
    api.fault = async ({ cluster }) => {
      if (cluster !== 'mid1') return undefined;
      asked += 1;
      if (asked === 1) await remove('mid1');
      return undefined;
    };
    const status = await untilSynced('mid', 'mid2');
    expect(asked).toBeGreaterThan(0);
    expect(status.problems ?? []).toEqual([]);
    expect(await secret('mid1')).toBeUndefined();
  });

  const lists = (answer: EKSAnswer): EKSFault => {
    const { region } = aws;
    return (call) => (call.action === 'ListClusters' && call.region === region ? answer : undefined);
  };
  it.each<[string, string, EKSFault, string]>([
    ['throttles', 'slow', lists(throttled), 'Throttled'],
    ['answers 500', 'sick', lists(broken), 'Unavailable'],
    ['answers an empty page', 'void', lists({ status: 200, body: { clusters: [] } }), 'Unavailable'],
    ['answers without a list', 'none', lists({ status: 200, body: {} }), 'Unavailable'],
    [
      'answers 500 about one cluster',
      'half',
      ({ cluster }) => (cluster === 'half1' ? broken : undefined),
      'Unavailable',
    ],
  ])('keeps what there is while EKS %s, says so, and recovers', async (_, name, fault, reason) => {
    await create(`${name}1`, name);
    await create(`${name}2`, name);
    await apply(name, generator(name));
    await untilSynced(name, `${name}1`, `${name}2`);
    api.fault = fault;
    await remove(`${name}2`);
    const degraded = await untilStatus(name, 'Degraded', ({ phase }) => phase === 'Degraded');
    expect(degraded.problems).toMatchObject([{ object: 'spec.generators[0]', reason }]);
    expect(degraded.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason,
      message: expect.stringContaining('nothing is deleted in the meantime') as string,
    });
    expect(degraded.clusters?.names).toEqual([`${name}1`, `${name}2`]);
    expect(await secret(`${name}1`)).toBeDefined();
    expect(await secret(`${name}2`)).toBeDefined();
    api.fault = undefined;
    await untilSynced(name, `${name}1`);
    await until('the secret to go', async () => (await secret(`${name}2`)) === undefined);
  });

  it('says which cluster EKS does not describe to it, and continues with all others', async () => {
    await create('deny1', 'deny');
    await create('deny2', 'deny');
    await apply('deny', generator('deny'), { awseks: { ...generator('deny').awseks, region: aws.region } });
    await untilSynced('deny', 'deny1', 'deny2');
    const body = { message: 'You may not.' };
    api.fault = ({ cluster }) =>
      cluster === 'deny1' ? { status: 403, error: 'AccessDeniedException', body } : undefined;
    await remove('deny2');
    await create('deny3', 'deny');
    const status = await untilStatus(
      'deny',
      'Degraded without deny2',
      ({ phase, clusters }) => phase === 'Degraded' && clusters?.names?.join(' ') === 'deny1 deny3',
    );
    expect(status.problems).toMatchObject([{ cluster: 'deny1', reason: 'AccessDenied' }]);
    expect(status.message).toContain('describe EKS cluster deny1');
    expect(await secret('deny1')).toBeDefined();
    expect(await secret('deny2')).toBeUndefined();
    api.fault = undefined;
    await untilSynced('deny', 'deny1', 'deny3');
  });

  it('continues with what another generator finds while one is throttled', async () => {
    await create('two1', 'two');
    const there = { awseks: { ...generator('two').awseks, region: 'eu-west-1' } };
    await apply('two', there, generator('two'));
    await untilSynced('two', 'two1');
    api.fault = ({ region }) => (region === 'eu-west-1' ? throttled : undefined);
    await create('two2', 'two');
    const status = await untilStatus('two', 'Degraded with both', ({ phase, clusters, problems }) => {
      const isThrottled = problems?.some(({ reason }) => reason === 'Throttled') === true;
      return phase === 'Degraded' && clusters?.names?.length === 2 && isThrottled;
    });
    expect(status.problems).toMatchObject([{ object: 'spec.generators[0]', reason: 'Throttled' }]);
    expect(await secret('two2')).toBeDefined();
    api.fault = undefined;
    await untilSynced('two', 'two1', 'two2');
  });

  it('leaves a name to the set that has it, says so, and takes it when it is free', async () => {
    await create('same1', 'same');
    await apply('first', generator('same'));
    await untilSynced('first', 'same1');
    await apply('second', generator('same'));
    const status = await untilStatus('second', 'Degraded', ({ phase }) => phase === 'Degraded');
    expect(status.problems).toMatchObject([{ cluster: 'same1', object: 'same1', reason: 'NameTaken' }]);
    expect(status.message).toContain('belongs to ClusterSet first');
    expect(await ownerOf('same1')).toBe('first');
    await stage.delete(CLUSTER_SET, 'first');
    await untilSynced('second', 'same1');
    expect(await ownerOf('same1')).toBe('second');
  });
});
