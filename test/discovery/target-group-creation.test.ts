import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { AWS_TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import { bindingsOf, type Bindings } from './bindings.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('A-B05 an AWSTargetGroupBinding without targetGroupARN', () => {
  let stage: Stage;
  let bindings: Bindings;
  let named: string;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_SYNC_INTERVAL: '1' });
    bindings = bindingsOf(stage);
    named = await bindings.group('named', 'ip');
  });
  afterAll(async () => {
    // There is no Cell here.
    await stage.close({ writes: false });
  });

  const targets = [{ name: 'ips', ids: ['10.0.0.9'], port: 8080 }];
  const vpcOf = async (): Promise<string> => (await find(named))?.VpcId ?? '';
  const find = async (arn: string) =>
    (await stage.elbv2.describeTargetGroups({ TargetGroupArns: [arn] }).catch(() => undefined))
      ?.TargetGroups?.[0];
  const spec = async (more: object = {}, of: object = {}): Promise<object> => ({
    targetGroup: { vpcID: await vpcOf(), targetType: 'ip', ...more },
    targets,
    ...of,
  });
  const arnOf = async (name: string): Promise<string> =>
    (await bindings.untilSynced(name)).targetGroupARN ?? '';

  /** Has the status of an object no longer say what it has created. */
  const forgetStatus = (name: string): Promise<void> => {
    const status = { targetGroupARN: null, created: null };
    return stage.patch(AWS_TARGET_GROUP_BINDING, name, { status }, { subresource: 'status' });
  };

  it('creates the target group that is asked for, tagged, and changes what can be changed of it', async () => {
    await bindings.applySpec('made', await spec({ healthCheck: { path: '/healthz', intervalSeconds: 10 } }));
    const arn = await arnOf('made');
    await bindings.untilRegistered(arn, ['10.0.0.9:8080']);
    expect(await bindings.status('made')).toMatchObject({ created: true });
    expect(await find(arn)).toMatchObject({
      Protocol: 'HTTP',
      Port: 8080,
      TargetType: 'ip',
      HealthCheckPath: '/healthz',
      HealthCheckIntervalSeconds: 10,
    });
    const { TagDescriptions } = await stage.elbv2.describeTags({ ResourceArns: [arn] });
    expect(TagDescriptions?.[0]?.Tags).toContainEqual({
      Key: 'okra.mumo.co/owner',
      Value: `${stage.namespace}/made`,
    });
    await bindings.applySpec('made', await spec({ healthCheck: { path: '/up', intervalSeconds: 10 } }));
    await until('the health check to be changed', async () => (await find(arn))?.HealthCheckPath === '/up');
    await bindings.applySpec('made', {
      ...(await spec({ healthCheck: { protocol: 'TCP' } })),
      targets: [{ name: 'ips', ids: ['10.0.0.9', '10.0.0.8'], port: 8080 }],
    });
    const refused = await bindings.untilProblem('made', 'Refused');
    expect(refused.problems).toMatchObject([{ object: 'spec.targetGroup.healthCheck' }]);
    await bindings.untilRegistered(arn, ['10.0.0.8:8080', '10.0.0.9:8080']);
    await bindings.applySpec('made', await spec({ protocol: 'HTTPS' }));
    const { problems } = await bindings.untilProblem('made', 'ImmutableTargetGroup');
    expect(problems).toMatchObject([{ object: 'spec.targetGroup.protocol' }]);
    expect(await bindings.registered(arn)).toEqual(['10.0.0.9:8080']);
  });

  describe('that names no VPC', () => {
    // Nobody is there: the target group is created before the cluster is looked into.
    const cluster = (name: string, vpcID?: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster', role: 'vpc' },
        ...(vpcID === undefined ? {} : { annotations: { 'okra.mumo.co/cluster-vpc-id': vpcID } }),
      },
      stringData: {
        name,
        server: 'https://127.0.0.1:9',
        config: JSON.stringify({ bearerToken: 'none', tlsClientConfig: { insecure: true } }),
      },
    });
    const inCluster = { name: 'nodes', clusterName: 'vpc1', nodeSelector: { type: 'node' }, port: 8080 };
    const { clusterName: _one, ...nodes } = inCluster;
    const inAll = { ...nodes, clusterSelector: { matchLabels: { role: 'vpc' } } };
    const asked = (target: object): object => ({ targetGroup: {}, targets: [target] });
    const untilCreated = (name: string): Promise<string> =>
      until(`${name} to have a target group`, async () => (await bindings.status(name)).targetGroupARN, {
        seen: () => bindings.status(name),
      });

    it('creates the target group in that of its cluster, as soon as its secret says it', async () => {
      await stage.apply(cluster('vpc1'));
      await bindings.applySpec('invpc', asked(inCluster));
      const { message } = await bindings.untilProblem('invpc', 'VPCUnknown');
      expect(message).toContain('the secrets of vpc1 name no VPC. Set spec.targetGroup.vpcID');
      await stage.apply(cluster('vpc1', await vpcOf()));
      const arn = await untilCreated('invpc');
      expect((await find(arn))?.VpcId).toBe(await vpcOf());
    });

    it('names the clusters that are in several', async () => {
      await stage.apply(cluster('vpc1', await vpcOf()));
      await stage.apply(cluster('vpc2', 'vpc-0123456789abcdef0'));
      await bindings.applySpec('several', asked(inAll));
      const { message } = await bindings.untilProblem('several', 'DifferentVPCs');
      expect(message).toContain(`${await vpcOf()} (vpc1)`);
      expect(message).toContain('vpc-0123456789abcdef0 (vpc2)');
      expect((await bindings.status('several')).targetGroupARN).toBeUndefined();
      await stage.apply(cluster('vpc2', await vpcOf()));
      expect((await find(await untilCreated('several')))?.VpcId).toBe(await vpcOf());
    });
  });

  it('finds what it has created when its status does not say so', async () => {
    await bindings.applySpec('again', await spec());
    const arn = await arnOf('again');
    await forgetStatus('again');
    await until(
      'the status to say it again',
      async () => (await bindings.status('again')).targetGroupARN === arn,
    );
    const calls = await stage.proxy.calls({ action: 'CreateTargetGroup' });
    const own = calls.filter(({ parameters }) =>
      JSON.stringify(parameters).includes(`${stage.namespace}/again`),
    );
    expect(own.filter(({ applied }) => applied)).toHaveLength(1);
  });

  it('leaves a target group of its name that has not its tags', async () => {
    await bindings.applySpec('taken', await spec());
    const arn = await arnOf('taken');
    await stage.elbv2.removeTags({ ResourceArns: [arn], TagKeys: ['okra.mumo.co/uid'] });
    await forgetStatus('taken');
    await bindings.untilProblem('taken', 'ForeignTargetGroup');
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'taken');
    await bindings.untilGone('taken');
    expect(await find(arn)).toBeDefined();
  });

  it('deletes it with the object when that is asked for, as soon as no load balancer uses it', async () => {
    await bindings.applySpec('deleted', await spec({}, { deletionPolicy: 'Delete' }));
    const arn = await arnOf('deleted');
    const { Rules } = await stage.elbv2.createRule({
      ListenerArn: stage.listenerARN,
      Priority: 77,
      Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/x'] } }],
      Actions: [{ Type: 'forward', TargetGroupArn: arn }],
    });
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'deleted', { wait: false });
    const { message } = await bindings.untilProblem('deleted', 'TargetGroupInUse');
    expect(message).toContain(`Cannot deregister the targets of target group ${arn}`);
    // Its targets go with the traffic, and not before.
    expect(await bindings.registered(arn)).toEqual(['10.0.0.9:8080']);
    await stage.elbv2.deleteRule({ RuleArn: Rules?.[0]?.RuleArn });
    await bindings.untilGone('deleted');
    expect(await find(arn)).toBeUndefined();
  });

  it('keeps it, without its targets, by default', async () => {
    await bindings.applySpec('kept', await spec());
    const arn = await arnOf('kept');
    await bindings.untilRegistered(arn, ['10.0.0.9:8080']);
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'kept');
    await bindings.untilGone('kept');
    expect(await find(arn)).toBeDefined();
    expect(await bindings.registered(arn)).toEqual([]);
  });
});
