import { createServer, type Server, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  EKS_TARGET_GROUP_BINDING,
  SECRET,
  TARGET_GROUP_BINDING,
} from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupSet, AWSTargetGroupSetStatus } from '../../crds/aws-target-group-set.ts';
import type { Metadata } from '../../crds/resource.ts';
import { defaultVPC } from '../../local/aws-fixture.ts';
import {
  installAutoModeBindings,
  installTargetGroupBindings,
  targetGroupBinding,
} from '../../local/target-group-bindings.ts';
import { startWorkloadCluster } from '../../local/workload-cluster.ts';
import { SOURCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { gettingStarted } from '../support/samples/getting-started.ts';
import { bindingsOf, type Bindings } from './bindings.ts';
import { workloadOf, type Workload } from './workload.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const VERSION = 'okra.mumo.co/version';

// The interval at which everything is looked at again is a minute: what happens sooner was watched.
describe('an AWSTargetGroupSet', () => {
  let stage: Stage;
  let one: Workload;
  let two: Workload;
  let vpcID: string;

  beforeAll(async () => {
    // Long enough to bring back what was missed, on a busy machine as well.
    stage = await Stage.open(inject('stack'), { OKRA_GRACE_PERIOD: '5' });
    const suffix = stage.namespace.slice(-6);
    vpcID = await defaultVPC(stage.elbv2);
    const start = async (name: string, tags: Record<string, string>): Promise<Workload> => {
      const of = { ...tags, of: stage.namespace };
      const { secretAccessKey } = stage;
      const wanted = { name: `${name}-${suffix}`, tags: of, secretAccessKey, vpcID };
      const cluster = await startWorkloadCluster(stage.stack, wanted);
      stage.secrets.push(cluster.kubernetes.token, cluster.client.key);
      await installTargetGroupBindings(cluster.kubernetes);
      return workloadOf(cluster);
    };
    [one, two] = await Promise.all([
      start('cdk1', { Service: 'demo', version: '1.0.0', role: 'web' }),
      start('cdk2', { Service: 'demo', version: 'v2', role: 'web' }),
    ]);
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'ClusterSet',
      metadata: { name: 'demo' },
      spec: {
        generators: [{ awseks: { selector: { matchTags: { Service: 'demo', of: stage.namespace } } } }],
        template: { metadata: { labels: { service: 'demo', which: '{{.awseks.cluster.name}}' } } },
      },
    });
    await until('both secrets', async () => (await secretOf(one)) && (await secretOf(two)));
  });
  afterAll(async () => {
    await stage.close();
    await Promise.all([one, two].map(({ cluster }) => cluster[Symbol.asyncDispose]()));
  });
  // Every change in a cluster has each set look at all; later tests and Cells need only these.
  const lasting = ['t03', 't09', 't11', 'nodes', 'pods'];
  afterEach(async () => {
    const { namespace } = stage;
    const all = await stage.kubernetes.list<AWSTargetGroupSet>(AWS_TARGET_GROUP_SET, { namespace });
    const over = all.map(({ metadata }) => metadata.name).filter((name) => !lasting.includes(name));
    await Promise.all(over.map((name) => stage.kubernetes.delete(AWS_TARGET_GROUP_SET, { namespace, name })));
  });

  const secretOf = ({ cluster }: Workload): Promise<object | undefined> =>
    stage.kubernetes.get(SECRET, { namespace: stage.namespace, name: cluster.name });
  const arn = (name: string): string =>
    `arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/${name}/0123456789abcdef`;
  const bind = async (
    { kubernetes }: Workload,
    name: string,
    labels: Record<string, string>,
    targetGroupARN = arn(name),
  ): Promise<void> => {
    await kubernetes.apply(targetGroupBinding({ name, labels, targetGroupARN }), { force: true });
  };
  const unbind = ({ kubernetes }: Workload, name: string): Promise<void> =>
    kubernetes.delete(TARGET_GROUP_BINDING, { namespace: 'default', name });
  const set = (name: string, spec: object = {}, cluster: object = { service: 'demo' }): object => ({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSTargetGroupSet',
    metadata: { name },
    spec: {
      generators: [
        {
          awseks: {
            clusterSelector: { matchLabels: cluster },
            bindingSelector: { matchLabels: { set: name } },
          },
        },
      ],
      ...spec,
    },
  });
  const groups = async (of: string): Promise<readonly AWSTargetGroup[]> =>
    (await stage.kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: stage.namespace })).filter(
      ({ metadata }) => metadata.ownerReferences?.[0]?.name === of,
    );
  const namesOf = async (of: string): Promise<string[]> =>
    (await groups(of)).map(({ metadata }) => metadata.name).toSorted();
  const untilNames = (of: string, names: readonly string[], timeoutMs = 60_000): Promise<unknown> =>
    until(
      `AWSTargetGroupSet ${of} to have ${names.join(', ') || 'none'}`,
      async () => JSON.stringify(await namesOf(of)) === JSON.stringify(names),
      { timeoutMs, seen: async () => [await namesOf(of), await statusOf(of)] },
    );
  const group = async (name: string): Promise<AWSTargetGroup | undefined> =>
    stage.kubernetes.get<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: stage.namespace, name });
  const statusOf = async (name: string): Promise<AWSTargetGroupSetStatus> =>
    (
      await stage.kubernetes.get<AWSTargetGroupSet>(AWS_TARGET_GROUP_SET, {
        namespace: stage.namespace,
        name,
      })
    )?.status ?? {};
  const untilProblems = (name: string, reasons: readonly string[]): Promise<AWSTargetGroupSetStatus> =>
    until(
      `AWSTargetGroupSet ${name} to report ${reasons.join(', ') || 'nothing'}`,
      async () => {
        const status = await statusOf(name);
        const found = (status.problems ?? []).map(({ reason }) => reason).toSorted();
        // Groups are made before the first status is written.
        return status.phase !== undefined && JSON.stringify(found) === JSON.stringify(reasons) && status;
      },
      { seen: () => statusOf(name) },
    );

  it('A-T01, A-T02 makes an AWSTargetGroup of a TargetGroupBinding that it selects, and of no other', async () => {
    const { targetGroupBinding: bound, targetGroup } = gettingStarted();
    const labels = { ...bound.metadata.labels, set: 't01' };
    await one.kubernetes.apply({ ...bound, metadata: { ...bound.metadata, labels } });
    await bind(one, 'api1', { role: 'api' });
    await stage.apply(set('t01', {}, { which: one.cluster.name }));
    await untilNames('t01', ['default-web1']);
    const made = await group('default-web1');
    expect(made?.spec).toEqual(targetGroup.spec);
    expect(made?.metadata.labels).toMatchObject({
      ...targetGroup.metadata.labels,
      'okra.mumo.co/target-group-binding-cluster': one.cluster.name,
      'okra.mumo.co/target-group-binding-namespace': 'default',
      'okra.mumo.co/target-group-binding-name': 'web1',
    });
    expect(made?.metadata.ownerReferences).toMatchObject([
      { kind: 'AWSTargetGroupSet', name: 't01', controller: true },
    ]);
    const status = await untilProblems('t01', []);
    expect(status).toMatchObject({
      phase: 'Synced',
      targetGroups: 1,
      clusters: { names: [one.cluster.name] },
      lastSyncTime: expect.any(String),
    });
    expect(one.cluster.authenticator.verdicts.length).toBeGreaterThan(0);
    // The other cluster is not looked into: nobody has shown it a token.
    expect(two.cluster.authenticator.verdicts).toEqual([]);
  });

  it('A-T03, A-T04 follows bindings of all clusters as they come and go, and leaves groups that it did not make', async () => {
    await bind(one, 'come1', { set: 't03' });
    await stage.apply(set('t03'));
    await untilNames('t03', ['default-come1']);
    await bind(two, 'come2', { set: 't03' });
    await untilNames('t03', ['default-come1', 'default-come2']);
    const uidsOf = async (): Promise<object> =>
      Object.fromEntries((await groups('t03')).map(({ metadata }) => [metadata.name, metadata.uid]));
    const uids = await uidsOf();
    for (const sync of ['1', '2', '3', '4', '5']) {
      await stage.apply(set('t03', { template: { metadata: { labels: { sync } } } }));
      await until(`sync ${sync} of both clusters`, async () =>
        (await groups('t03')).every(({ metadata }) => metadata.labels?.['sync'] === sync),
      );
      expect(await uidsOf()).toEqual(uids);
    }
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSTargetGroup',
      metadata: { name: 'byhand', labels: { set: 't03' } },
      spec: { arn: arn('byhand') },
    });
    await unbind(one, 'come1');
    await untilNames('t03', ['default-come2']);
    expect(await group('byhand')).toBeDefined();
  });

  it('A-T07 gives groups of one name that of their cluster', async () => {
    await bind(one, 'same', { set: 't07' }, arn('same1'));
    await bind(two, 'same', { set: 't07' }, arn('same2'));
    await stage.apply(set('t07'));
    const names = [one, two].map(({ cluster }) => `${cluster.name}-default-same`);
    await untilNames('t07', names);
    const arns = await Promise.all(names.map(async (name) => (await group(name))?.spec.arn));
    expect(arns).toEqual([arn('same1'), arn('same2')]);
    await untilProblems('t07', []);
  });

  /** Creates a target group in AWS, and says that a set will make its AWSTargetGroup. */
  async function inAWS(name: string): Promise<string> {
    await stage.targetGroups(undefined, [name]);
    const target = stage.arns.get(name) ?? '';
    stage.arns.delete(name);
    stage.arns.set(`default-${name}`, target);
    await stage.kubernetes.delete(AWS_TARGET_GROUP, { namespace: stage.namespace, name });
    return target;
  }

  it('A-T11 takes a version that the binding does not say from the tags of the cluster, and the Cell goes by it', async () => {
    await bind(one, 'tag1', { set: 't11', role: 't11' }, await inAWS('tag1'));
    await stage.apply(set('t11'));
    await stage.apply(stage.cell('t11', { role: 't11', priority: 80 }));
    await stage.untilPhase('t11', 'Completed', '1.0.0');
    await bind(two, 'tag2', { set: 't11', role: 't11' }, await inAWS('tag2'));
    const status = await stage.untilPhase('t11', 'Completed', '2.0.0');
    expect(status.desiredVersion).toBe('2.0.0');
    expect(await stage.weights(80)).toEqual({ 'default-tag1': 0, 'default-tag2': 100 });
  });

  it('A-T08, A-T11 takes labels, and a version that the binding does not say, from the tags of the cluster', async () => {
    await bind(two, 'tagged', { set: 't08' });
    const labels = { role: '{{.awseks.cluster.tags.role}}', cluster: '{{.awseks.cluster.name}}' };
    await stage.apply(set('t08', { template: { metadata: { labels } } }));
    await untilNames('t08', ['default-tagged']);
    expect((await group('default-tagged'))?.metadata.labels).toMatchObject({
      role: 'web',
      cluster: two.cluster.name,
      [VERSION]: 'v2',
    });
  });

  it('A-T09 follows the version of a binding, and the Cell with it', async () => {
    const target = await inAWS('cell1');
    await bind(one, 'cell1', { set: 't09', role: 't09', [VERSION]: '1.0.0' }, target);
    await stage.apply(set('t09'));
    await stage.apply(stage.cell('t09', { role: 't09', priority: 90 }));
    await stage.untilPhase('t09', 'Completed', '1.0.0');
    await bind(one, 'cell1', { set: 't09', role: 't09', [VERSION]: '1.0.1' }, target);
    await stage.untilPhase('t09', 'Completed', '1.0.1');
  });

  it('makes good what someone else has done to its groups', async () => {
    await bind(one, 'mine', { set: 'good', colour: 'green' });
    await stage.apply(set('good'));
    await untilNames('good', ['default-mine']);
    await stage.label(AWS_TARGET_GROUP, 'default-mine', { colour: 'red' });
    await until(
      'the label to be as it was',
      async () => (await group('default-mine'))?.metadata.labels?.['colour'] === 'green',
    );
    await stage.delete(AWS_TARGET_GROUP, 'default-mine');
    await untilNames('good', ['default-mine']);
  });

  it('takes the TargetGroupBindings of EKS Auto Mode as well, as soon as a cluster has that kind', async () => {
    await bind(one, 'old1', { set: 'auto' });
    await stage.apply(set('auto', {}, { which: one.cluster.name }));
    await untilNames('auto', ['default-old1']);
    await untilProblems('auto', []);
    await installAutoModeBindings(one.cluster.kubernetes);
    const { apiVersion } = EKS_TARGET_GROUP_BINDING;
    const auto = (name: string, targetGroupARN: string): Promise<unknown> =>
      one.kubernetes.apply(targetGroupBinding({ apiVersion, name, labels: { set: 'auto' }, targetGroupARN }));
    await auto('new1', arn('new1'));
    await untilNames('auto', ['default-new1', 'default-old1']);
    const uid = (await group('default-old1'))?.metadata.uid;
    await auto('old1', arn('old1'));
    await unbind(one, 'old1');
    await until('the group to be that of the other kind', async () => {
      const found = (await group('default-old1'))?.metadata;
      return found?.uid === uid && found?.annotations?.[SOURCE_ANNOTATION]?.endsWith('/eks.amazonaws.com');
    });
    await untilProblems('auto', []);
  });

  it('reports bindings without an ARN, and names that another set has, which it takes over when that is deleted', async () => {
    await bind(one, 'both', { set: 'first', also: 'second' });
    await stage.apply(set('first'));
    await untilNames('first', ['default-both']);
    await one.kubernetes.apply(targetGroupBinding({ name: 'bare', labels: { also: 'second' } }), {
      force: true,
    });
    const selector = { clusterSelector: { matchLabels: { service: 'demo' } } };
    const bindingSelector = { matchLabels: { also: 'second' } };
    await stage.apply(set('second', { generators: [{ awseks: { ...selector, bindingSelector } }] }));
    const status = await untilProblems('second', ['MissingTargetGroupARN', 'NameTaken']);
    expect(status.phase).toBe('Degraded');
    expect(await namesOf('first')).toEqual(['default-both']);
    expect(await namesOf('second')).toEqual([]);
    const before = await group('default-both');
    await stage.delete(AWS_TARGET_GROUP_SET, 'first');
    await untilNames('second', ['default-both']);
    await stage.apply(
      set('second', {
        generators: [{ awseks: { ...selector, bindingSelector } }],
        template: { metadata: { labels: { by: 'second' } } },
      }),
    );
    const after = await until('the group to be that of the second', async () => {
      const found = await group('default-both');
      return found?.metadata.labels?.['by'] === 'second' && found;
    });
    expect(after.metadata.uid).toBe(before?.metadata.uid);
    expect(after.metadata.ownerReferences).toMatchObject([{ name: 'second', controller: true }]);
  });

  describe('with a bindingTemplate', () => {
    const instance = (digits: string): string => `i-${digits.padStart(17, '0')}`;
    let bindings: Bindings;
    beforeAll(() => {
      bindings = bindingsOf(stage);
    });
    const templated = (name: string, target: object, targetGroup: object = {}): object =>
      set(name, {
        generators: [{ awseks: { clusterSelector: { matchLabels: { service: 'demo' } } } }],
        template: { metadata: { labels: { role: '{{.awseks.cluster.tags.role}}' } } },
        bindingTemplate: {
          metadata: {
            name: `${name}-{{.awseks.cluster.name}}`,
            labels: { role: '{{.awseks.cluster.tags.role}}' },
          },
          spec: {
            deletionPolicy: 'Delete',
            targetGroup,
            targets: [{ name: 'all', clusterName: '{{.awseks.cluster.name}}', port: 8080, ...target }],
          },
        },
      });

    it('A-B06 makes a binding for each cluster, with a target group in its VPC whose targets follow the nodes', async () => {
      await one.addNode('node1', instance('1'), { labels: { type: 'node' } });
      await stage.apply(templated('nodes', { nodeSelector: { type: 'node' } }));
      const names = [one, two].map(({ cluster }) => `nodes-${cluster.name}`);
      await untilNames('nodes', names);
      const [first = ''] = names;
      const groupARN = (await bindings.untilSynced(first)).targetGroupARN ?? '';
      const made = await group(first);
      expect(made?.spec.arn).toBe(groupARN);
      const { TargetGroups } = await stage.elbv2.describeTargetGroups({ TargetGroupArns: [groupARN] });
      expect(TargetGroups?.[0]?.VpcId).toBe(vpcID);
      expect(made?.metadata.labels).toMatchObject({ role: 'web', [VERSION]: '1.0.0' });
      const binding = await stage.kubernetes.get<AWSTargetGroup>(AWS_TARGET_GROUP_BINDING, {
        namespace: stage.namespace,
        name: first,
      });
      expect(binding?.metadata).toMatchObject({
        labels: { role: 'web' },
        ownerReferences: [{ kind: 'AWSTargetGroupSet', name: 'nodes', controller: true }],
      });
      await bindings.untilRegistered(groupARN, [`${instance('1')}:8080`]);
      await one.addNode('node2', instance('2'), { labels: { type: 'node' } });
      await bindings.untilRegistered(groupARN, [`${instance('1')}:8080`, `${instance('2')}:8080`]);
      await one.removeNode('node1');
      await bindings.untilRegistered(groupARN, [`${instance('2')}:8080`]);
    });

    it('has the targets follow the pods', async () => {
      const target = { podSelector: { matchLabels: { app: 'web' } }, podNamespace: 'default' };
      await stage.apply(templated('pods', target, { targetType: 'ip' }));
      const name = `pods-${one.cluster.name}`;
      await until('the target group', async () => (await bindings.status(name)).targetGroupARN);
      const groupARN = (await bindings.untilSynced(name)).targetGroupARN ?? '';
      await one.addPod('web-1', '10.0.0.21', { app: 'web' });
      await bindings.untilRegistered(groupARN, ['10.0.0.21:8080']);
      await one.addPod('db-1', '10.0.0.22', { app: 'db' });
      await one.addPod('web-2', '10.0.0.23', { app: 'web' });
      await bindings.untilRegistered(groupARN, ['10.0.0.21:8080', '10.0.0.23:8080']);
      await one.removePod('web-1');
      await bindings.untilRegistered(groupARN, ['10.0.0.23:8080']);
    });

    it('changes its bindings with the template, and deletes them, with what was created, when it is deleted', async () => {
      const name = `nodes-${one.cluster.name}`;
      const groupARN = (await bindings.status(name)).targetGroupARN ?? '';
      await stage.apply(templated('nodes', { nodeSelector: { type: 'none' } }));
      await bindings.untilRegistered(groupARN, []);
      await Promise.all(['nodes', 'pods'].map((of) => stage.delete(AWS_TARGET_GROUP_SET, of)));
      await bindings.untilGone(name);
      await bindings.untilGone(`pods-${one.cluster.name}`);
      await until('the target group to go', async () =>
        stage.elbv2.describeTargetGroups({ TargetGroupArns: [groupARN] }).then(
          () => false,
          (error: Error) => error.name === 'TargetGroupNotFoundException',
        ),
      );
    });
  });

  describe('with clusters that are in trouble', () => {
    let hanging: Server;
    beforeAll(async () => {
      hanging = createServer().listen(0, '127.0.0.1');
      await once(hanging, 'listening');
    });
    afterAll(() => void hanging.close());

    const secret = (name: string, data: Record<string, string>): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: { 'argocd.argoproj.io/secret-type': 'cluster', service: 'trouble' } },
      stringData: { name, ...data },
    });
    const login = ({ cluster }: Workload, caData = cluster.caData): string =>
      JSON.stringify({ bearerToken: cluster.kubernetes.token, tlsClientConfig: { caData } });

    it('A-T06 continues with the others, says what is wrong with each, and keeps what it has', async () => {
      await bind(one, 'kept', { set: 't06' });
      const { url: server } = two.cluster.kubernetes;
      const port = (hanging.address() as AddressInfo).port;
      await stage.apply(secret('good', { server: one.cluster.kubernetes.url, config: login(one) }));
      await stage.apply(secret('hangs', { server: `https://127.0.0.1:${port}`, config: login(one) }));
      await stage.apply(secret('gone', { server: 'https://127.0.0.1:2', config: login(one) }));
      await stage.apply(secret('tls', { server, config: login(two, one.cluster.caData) }));
      await stage.apply(secret('malformed', { server, config: '{"bearerToken":' }));
      await stage.apply(
        secret('refuses', { server, config: JSON.stringify({ bearerToken: 'no', ...tlsOf(two) }) }),
      );
      await stage.apply(set('t06', {}, { service: 'trouble' }));
      await untilNames('t06', ['default-kept']);
      const status = await until(
        'every cluster to be reported',
        async () => {
          const now = await statusOf('t06');
          const reported = new Set((now.problems ?? []).map(({ cluster }) => cluster));
          return ['hangs', 'gone', 'tls', 'malformed', 'refuses'].every((name) => reported.has(name)) && now;
        },
        { seen: () => statusOf('t06') },
      );
      expect(status.phase).toBe('Degraded');
      const reasons = Object.fromEntries(
        (status.problems ?? []).map(({ cluster, reason }) => [cluster ?? '', reason]),
      );
      expect(reasons).toMatchObject({
        gone: 'Unreachable',
        tls: 'Unreachable',
        malformed: 'InvalidSecret',
        refuses: 'AccessDenied',
      });
      expect(['ClusterSlow', 'Unreachable']).toContain(reasons['hangs']);
      // One that hangs holds up nobody.
      const before = Date.now();
      await bind(one, 'soon', { set: 't06' });
      await untilNames('t06', ['default-kept', 'default-soon']);
      expect(Date.now() - before).toBeLessThan(20_000);
    });

    const tlsOf = ({ cluster }: Workload) => ({ tlsClientConfig: { caData: cluster.caData } });

    it('A-T06 keeps the groups of a cluster that is down, and continues with it when it is back', async () => {
      await bind(two, 'down1', { set: 'down' });
      await stage.apply(set('down', {}, { which: two.cluster.name }));
      await untilNames('down', ['default-down1']);
      await two.cluster.kill('SIGKILL');
      // An edit has the set look at once, and not only after its interval.
      await stage.annotate(AWS_TARGET_GROUP, 'default-down1', { touched: 'yes' });
      await untilProblems('down', ['Unreachable']);
      expect(await namesOf('down')).toEqual(['default-down1']);
      await two.cluster.start();
      await bind(two, 'down2', { set: 'down' });
      await untilNames('down', ['default-down1', 'default-down2']);
      await untilProblems('down', []);
    });

    it('keeps the groups of a cluster that has lost the kind', async () => {
      // While the definition is being deleted the cluster lists ever fewer of them.
      const lost = ['lost1', 'lost2', 'lost3', 'lost4', 'lost5', 'lost6', 'lost7', 'lost8'];
      for (const name of lost) await bind(two, name, { set: 'lost' });
      const names = lost.map((name) => `default-${name}`);
      await stage.apply(set('lost', {}, { which: two.cluster.name }));
      await untilNames('lost', names);
      const definition = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        plural: 'customresourcedefinitions',
        namespaced: false,
      };
      await two.kubernetes.delete(definition, { name: 'targetgroupbindings.elbv2.k8s.aws' });
      await until('the kind to go', async () => {
        const reading = two.kubernetes.list(TARGET_GROUP_BINDING).then(
          () => false,
          () => true,
        );
        return await reading;
      });
      await stage.patch(AWS_TARGET_GROUP_SET, 'lost', {
        spec: { template: { metadata: { labels: { a: 'b' } } } },
      });
      await untilProblems('lost', ['KindNotInstalled']);
      expect(await namesOf('lost')).toEqual(names);
      await installTargetGroupBindings(two.cluster.kubernetes);
      // Nobody brings them back within the grace. A watch need not have seen that the kind was gone for a moment; then it is
      // the next look at everything that finds it.
      await untilNames('lost', [], 120_000);
    });
  });

  it('A-T05 deletes the groups of a cluster whose secret is gone, not replaced, and of a set that is deleted', async () => {
    await bind(one, 'end1', { set: 't05' });
    await stage.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'end', labels: { 'argocd.argoproj.io/secret-type': 'cluster', service: 't05' } },
      stringData: {
        name: 'end',
        server: one.cluster.kubernetes.url,
        config: JSON.stringify({
          tlsClientConfig: {
            caData: one.cluster.caData,
            certData: one.cluster.client.certificate,
            keyData: one.cluster.client.key,
          },
        }),
      },
    });
    await stage.apply(set('t05', {}, { service: 't05' }));
    await untilNames('t05', ['default-end1']);
    const before = await group('default-end1');
    const key = { namespace: stage.namespace, name: 'end' };
    const secret = await stage.kubernetes.get<{ metadata: Metadata; data: object }>(SECRET, key);
    await stage.delete(SECRET, 'end');
    await untilProblems('t05', ['ClusterMissing']);
    const { labels = {} } = secret?.metadata ?? {};
    const data = secret?.data;
    await stage.kubernetes.create({ apiVersion: 'v1', kind: 'Secret', metadata: { ...key, labels }, data });
    await bind(one, 'end2', { set: 't05' });
    await untilNames('t05', ['default-end1', 'default-end2']);
    expect((await group('default-end1'))?.metadata.uid).toBe(before?.metadata.uid);
    await stage.delete(SECRET, 'end');
    await untilNames('t05', []);
    await stage.delete(AWS_TARGET_GROUP_SET, 't03');
    await untilNames('t03', []);
    await stage.untilClosed(`target-group-set/${stage.namespace}/t03`);
  });
});
