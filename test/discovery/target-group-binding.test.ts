import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { openLedger } from '../../activities/discovery/target-group-binding/ledger.ts';
import { startLifetimeOf } from '../../activities/discovery/lifetime.ts';
import { AWS_TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import { bindingsOf, type Bindings } from './bindings.ts';
import { startWorkload, type Workload } from './workload.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const web = { role: 'web' };
const instance = (digits: string): string => `i-${digits.padStart(17, '0')}`;

describe('an AWSTargetGroupBinding', () => {
  let stage: Stage;
  let bindings: Bindings;
  let c1: Workload;
  let c2: Workload;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_SYNC_INTERVAL: '1' });
    bindings = bindingsOf(stage);
    [c1, c2] = await Promise.all([
      startWorkload(stage, 'webcluster1', web),
      startWorkload(stage, 'webcluster2', web),
    ]);
    await c1.addNode('ip-10-0-0-1', instance('1'), { labels: web });
    await c1.addNode('ip-10-0-0-2', instance('2'), { labels: web });
    await c1.addNode('ip-10-0-0-3', instance('3'), { labels: { role: 'db' } });
    await c2.addNode('ip-10-1-0-1', instance('11'), { labels: web });
  }, 480_000);
  afterAll(async () => {
    // There is no Cell here.
    await stage.close({ writes: false });
    await Promise.all([c1[Symbol.asyncDispose](), c2[Symbol.asyncDispose]()]);
  });
  // Each looks at its targets every second; later tests need only these.
  const lasting = ['b01', 'b03'];
  afterEach(async () => {
    const { namespace } = stage;
    const all = await stage.kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace });
    const over = all.map(({ metadata }) => metadata.name).filter((name) => !lasting.includes(name));
    await Promise.all(
      over.map((name) => stage.kubernetes.delete(AWS_TARGET_GROUP_BINDING, { namespace, name })),
    );
  });

  it('A-B01 registers ids, and says so', async () => {
    const arn = await bindings.group('b01', 'ip');
    await bindings.apply('b01', arn, [{ name: 'specificips', ids: ['10.0.0.9'], port: 8080 }]);
    await bindings.untilRegistered(arn, ['10.0.0.9:8080']);
    const status = await bindings.untilSynced('b01');
    expect(status).toMatchObject({
      targetGroupARN: arn,
      created: false,
      targets: [{ name: 'specificips', port: 8080, ids: ['10.0.0.9'] }],
      message: `1 target is registered in ${arn}.`,
    });
    expect(status.conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Degraded', status: 'False' },
    ]);
  });

  it('writes nothing while nothing changes', async () => {
    const arn = stage.arns.get('b01') ?? '';
    await bindings.untilSynced('b01');
    const since = await stage.proxy.lastCall();
    const calls = await until('three more looks', async () => {
      const found = await stage.proxy.calls({ since, targetGroup: arn });
      return found.filter(({ action }) => action === 'DescribeTargetHealth').length >= 3 && found;
    });
    expect(new Set(calls.map(({ action }) => action))).toEqual(
      new Set(['DescribeTargetGroups', 'DescribeTargetHealth']),
    );
  });

  it('A-B02 registers one node of one cluster, and says so', async () => {
    const arn = await bindings.group('b02', 'instance');
    await bindings.apply('b02', arn, [
      { name: 'node', clusterName: 'webcluster1', nodeName: 'ip-10-0-0-1', port: 80 },
    ]);
    await bindings.untilRegistered(arn, [`${instance('1')}:80`]);
    const ids = [instance('1')];
    expect(await bindings.untilSynced('b02')).toMatchObject({
      targetGroupARN: arn,
      targets: [{ name: 'node', port: 80, ids, byCluster: [{ cluster: 'webcluster1', ids }] }],
      problems: [],
    });
  });

  it('A-B03, A-B04 registers the nodes of many clusters, as they come and go, and leaves what is not its own', async () => {
    const foreign = instance('99');
    const arn = await bindings.group('b03', 'instance', [foreign]);
    await bindings.apply('b03', arn, [
      {
        name: 'webnodes',
        clusterSelector: { matchLabels: web },
        nodeSelector: { matchLabels: web },
        port: 80,
      },
    ]);
    const others = [`${foreign}:8080`];
    const at80 = (...digits: string[]) => digits.map((one) => `${instance(one)}:80`);
    await bindings.untilRegistered(arn, [...others, ...at80('1', '2', '11')]);
    expect((await bindings.untilSynced('b03')).targets).toEqual([
      {
        name: 'webnodes',
        port: 80,
        ids: ['1', '2', '11'].map(instance).toSorted(),
        clusters: ['webcluster1', 'webcluster2'],
        byCluster: [
          { cluster: 'webcluster1', ids: ['1', '2'].map(instance) },
          { cluster: 'webcluster2', ids: [instance('11')] },
        ],
      },
    ]);
    await c2.addNode('ip-10-1-0-2', instance('12'), { labels: web, isReady: false });
    await c2.addNode('ip-10-1-0-3', instance('13'), { labels: web });
    await bindings.untilRegistered(arn, [...others, ...at80('1', '2', '11', '13')]);
    await c2.setReady('ip-10-1-0-2', true);
    await bindings.untilRegistered(arn, [...others, ...at80('1', '2', '11', '12', '13')]);
    await c1.removeNode('ip-10-0-0-2');
    await bindings.untilRegistered(arn, [...others, ...at80('1', '11', '12', '13')]);
  });

  it('keeps what a cluster has that cannot be read, while the others continue', async () => {
    const arn = stage.arns.get('b03') ?? '';
    const before = await bindings.registered(arn);
    await c2.cluster.kill('SIGKILL');
    const { problems } = await bindings.untilProblem('b03', 'Unreachable');
    expect(problems).toMatchObject([{ cluster: 'webcluster2', object: 'webnodes', reason: 'Unreachable' }]);
    await c1.addNode('ip-10-0-0-4', instance('4'), { labels: web });
    await bindings.untilRegistered(arn, [...before, `${instance('4')}:80`]);
    await c1.removeNode('ip-10-0-0-1');
    const after = [...before.filter((one) => one !== `${instance('1')}:80`), `${instance('4')}:80`];
    await bindings.untilRegistered(arn, after);
    await c2.cluster.start();
    await bindings.untilSynced('b03');
    expect(await bindings.registered(arn)).toEqual(after.toSorted());
  });

  it('A-B07 takes a node selector in each of its three spellings', async () => {
    const selectors = { bare: web, labels: { labels: web }, match: { matchLabels: web } };
    const found = await Promise.all(
      Object.entries(selectors).map(async ([spelling, nodeSelector]) => {
        const name = `b07-${spelling}`;
        const arn = await bindings.group(name, 'instance');
        await bindings.apply(name, arn, [{ name: 'n', clusterName: 'webcluster1', nodeSelector, port: 80 }]);
        await bindings.untilSynced(name);
        return bindings.registered(arn);
      }),
    );
    const want = [`${instance('4')}:80`];
    expect(found).toEqual([want, want, want]);
  });

  it('registers pods by their addresses, until they end, and one target with several ports', async () => {
    const arn = await bindings.group('pods', 'ip');
    await c1.addPod('web-1', '10.0.1.1', web);
    await c1.addPod('db-1', '10.0.1.9', { role: 'db' });
    const pods = { clusterName: 'webcluster1', podSelector: { matchLabels: web }, podNamespace: 'default' };
    await bindings.apply('pods', arn, [
      { name: 'http', ...pods, port: 8080 },
      { name: 'admin', ...pods, port: 9090 },
    ]);
    await bindings.untilRegistered(arn, ['10.0.1.1:8080', '10.0.1.1:9090']);
    await c1.addPod('web-2', '10.0.1.2', web);
    await c1.removePod('web-1');
    await bindings.untilRegistered(arn, ['10.0.1.2:8080', '10.0.1.2:9090']);
  });

  it('says which target AWS refuses, and registers the others', async () => {
    const arn = await bindings.group('refused', 'ip');
    const ids = ['10.0.2.1', '198.51.100.7', '10.0.2.2', '10.0.2.3'];
    await bindings.apply('refused', arn, [{ name: 'ips', ids, port: 80 }]);
    const { problems, targets } = await bindings.untilProblem('refused', 'InvalidTarget');
    await bindings.untilRegistered(arn, ['10.0.2.1:80', '10.0.2.2:80', '10.0.2.3:80']);
    expect(problems).toMatchObject([{ object: '198.51.100.7', reason: 'InvalidTarget' }]);
    expect(targets).toEqual([{ name: 'ips', port: 80, ids: ['10.0.2.1', '10.0.2.2', '10.0.2.3'] }]);
    await bindings.apply('refused', arn, [{ name: 'ips', ids: ids.slice(2), port: 80 }]);
    await bindings.untilRegistered(arn, ['10.0.2.2:80', '10.0.2.3:80']);
    await bindings.untilSynced('refused');
  });

  it('says that AWS does not know the target group, and what cluster is missing', async () => {
    const arn = await bindings.group('known', 'ip');
    await bindings.apply('lost', `${arn.slice(0, -6)}000000`, [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }]);
    await bindings.untilProblem('lost', 'TargetGroupNotFound');
    await bindings.apply('late', arn, [{ name: 'n', clusterName: 'nowhere', nodeName: 'a', port: 80 }]);
    await bindings.untilProblem('late', 'ClusterNotFound');
    await bindings.apply('late', arn, [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }]);
    await bindings.untilRegistered(arn, ['10.0.0.9:80']);
    expect((await bindings.untilSynced('late')).problems).toEqual([]);
  });

  it('writes down what it is about to register, so that a crash leaves nothing unknown', async () => {
    const arn = await bindings.group('claims', 'ip');
    const match = { action: 'RegisterTargets', contains: arn } as const;
    await stage.proxy.addFault({ kind: 'delay', delayMs: 3_000, match });
    await bindings.apply('claims', arn, [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }]);
    await until('the status to name the target', async () => {
      const { targets = [] } = await bindings.status('claims');
      return targets.some(({ ids = [] }) => ids.includes('10.0.0.9'));
    });
    expect(await bindings.registered(arn)).toEqual([]);
    await bindings.untilRegistered(arn, ['10.0.0.9:80']);
  });

  it('forgets nothing because of an attempt that was given up, and has read an older object', async () => {
    const key = { namespace: stage.namespace, name: 'b01' };
    const { targets } = await bindings.untilSynced('b01');
    const object = await stage.kubernetes.get<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, key);
    const { uid = '', resourceVersion = '' } = object?.metadata ?? {};
    await stage.kubernetes.patch(AWS_TARGET_GROUP_BINDING, key, { metadata: { labels: { later: 'yes' } } });
    const life = startLifetimeOf(new AbortController().signal);
    const status = object?.status ?? {};
    const givenUp = openLedger(stage.kubernetes, { key, uid, resourceVersion, status, life });
    await expect(givenUp.write({ targets: [] })).rejects.toMatchObject({ status: 409 });
    expect((await bindings.untilSynced('b01')).targets).toEqual(targets);
  });

  it('deregisters nothing while AWS cannot be read or does not take what is to come', async () => {
    const arn = await bindings.group('faulty', 'ip');
    const ids = (...some: string[]) => [{ name: 'ips', ids: some, port: 80 }];
    await bindings.apply('faulty', arn, ids('10.0.0.7'));
    await bindings.untilRegistered(arn, ['10.0.0.7:80']);
    const health = { action: 'DescribeTargetHealth', contains: arn } as const;
    const unread = await stage.proxy.addFault({ kind: 'throttle', times: 'always', match: health });
    await bindings.apply('faulty', arn, ids('10.0.0.8'));
    const { targets } = await bindings.untilProblem('faulty', 'Throttled');
    expect(targets).toEqual(ids('10.0.0.7'));
    const registers = { action: 'RegisterTargets', contains: arn } as const;
    const code = 'AccessDenied';
    const denied = await stage.proxy.addFault({
      kind: 'error',
      status: 403,
      code,
      times: 'always',
      match: registers,
    });
    await stage.proxy.removeFault(unread);
    await bindings.untilProblem('faulty', 'AccessDenied');
    expect(await bindings.registered(arn)).toEqual(['10.0.0.7:80']);
    await stage.proxy.removeFault(denied);
    await bindings.untilRegistered(arn, ['10.0.0.8:80']);
    await bindings.untilSynced('faulty');
  });

  it('keeps the target group that it was created with', async () => {
    const [one, other] = [await bindings.group('one', 'ip'), await bindings.group('other', 'ip')];
    const targets = [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }];
    await bindings.apply('stays', one, targets);
    await bindings.untilRegistered(one, ['10.0.0.9:80']);
    await expect(bindings.apply('stays', other, targets)).rejects.toThrow('spec.targetGroupARN is immutable');
    await expect(bindings.applySpec('stays', { targets })).rejects.toThrow(
      'spec.targetGroupARN is immutable',
    );
  });

  it('deregisters what it has registered when it is deleted, and nothing else', async () => {
    const arn = await bindings.group('ends', 'ip', ['10.0.0.1']);
    await bindings.apply('ends', arn, [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }]);
    await bindings.untilRegistered(arn, ['10.0.0.1:8080', '10.0.0.9:80']);
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'ends');
    await bindings.untilGone('ends');
    expect(await bindings.registered(arn)).toEqual(['10.0.0.1:8080']);
    await stage.untilClosed(`target-group-binding/${stage.namespace}/ends`);
  });

  it('hands over what another object wants as well, without deregistering it in between', async () => {
    const arn = await bindings.group('shared', 'ip', ['10.0.0.1']);
    const targets = [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }];
    await bindings.apply('former', arn, targets);
    await bindings.untilRegistered(arn, ['10.0.0.1:8080', '10.0.0.9:80']);
    await bindings.apply('latter', arn, targets);
    expect((await bindings.untilSynced('latter')).targets).toMatchObject([{ ids: ['10.0.0.9'] }]);
    const since = await stage.proxy.lastCall();
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'former');
    await bindings.untilGone('former');
    const calls = await stage.proxy.calls({ since, targetGroup: arn });
    expect(calls.map(({ action }) => action)).not.toContain('DeregisterTargets');
    await bindings.apply('latter', arn, [{ name: 'ips', ids: ['10.0.0.8'], port: 80 }]);
    await bindings.untilRegistered(arn, ['10.0.0.1:8080', '10.0.0.8:80']);
  });

  it('is let go when its target group is gone before', async () => {
    const arn = await bindings.group('early', 'ip');
    await bindings.apply('early', arn, [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }]);
    await bindings.untilSynced('early');
    await stage.elbv2.deleteTargetGroup({ TargetGroupArn: arn });
    await bindings.untilProblem('early', 'TargetGroupNotFound');
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'early');
    await bindings.untilGone('early');
  });

  it('I11 tells neither its workflow nor its log nor its status how a cluster is reached', async () => {
    const id = `target-group-binding/${stage.namespace}/b03`;
    const history = await stage.temporal('workflow', 'show', '--workflow-id', id, '-o', 'json');
    expect(history).toContain('syncTargetGroupBinding');
    const told = [
      history,
      await readFile(stage.okrad.log, 'utf8'),
      JSON.stringify(await bindings.status('b03')),
    ];
    for (const secret of [c1, c2].flatMap(({ cluster }) => [
      cluster.client.key,
      cluster.client.certificate,
    ])) {
      for (const text of told) expect(text).not.toContain(secret);
    }
  });
});
