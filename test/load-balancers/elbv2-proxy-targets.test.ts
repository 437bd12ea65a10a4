import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { createRule, errorOf, healthOf } from './elbv2-proxy/calls.ts';
import { callService, createSite, startFixture, type Fixture } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;
let elb: ElasticLoadBalancingV2;
let vpc: string;
let created = 0;

beforeAll(async () => {
  fixture = await startFixture();
  elb = fixture.elb;
  const vpcs = await callService(fixture.url, 'ec2', 'Action=DescribeVpcs&Version=2016-11-15');
  vpc = /<vpcId>([^<]+)</.exec(vpcs)?.[1] ?? '';
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

async function aGroup(TargetType: 'ip' | 'instance' = 'ip'): Promise<string> {
  created += 1;
  const input = { Name: `group${created}`, Protocol: 'HTTP', Port: 80, VpcId: vpc, TargetType } as const;
  const made = await elb.createTargetGroup({ ...input, Tags: [{ Key: 'okra', Value: 'yes' }] });
  return made.TargetGroups?.[0]?.TargetGroupArn ?? '';
}

async function targetsOf(TargetGroupArn: string): Promise<readonly string[]> {
  const { TargetHealthDescriptions = [] } = await elb.describeTargetHealth({ TargetGroupArn });
  return TargetHealthDescriptions.map(({ Target }) => `${Target?.Id}:${Target?.Port}`).toSorted();
}

describe('targets', () => {
  it('are known by id and port', async () => {
    const TargetGroupArn = await aGroup();
    const Targets = [{ Id: '10.0.0.1' }, { Id: '10.0.0.1', Port: 8080 }, { Id: '10.0.0.2', Port: 8080 }];
    await elb.registerTargets({ TargetGroupArn, Targets });
    expect(await targetsOf(TargetGroupArn)).toEqual(['10.0.0.1:80', '10.0.0.1:8080', '10.0.0.2:8080']);
    await elb.deregisterTargets({ TargetGroupArn, Targets: [{ Id: '10.0.0.1', Port: 8080 }] });
    expect(await targetsOf(TargetGroupArn)).toEqual(['10.0.0.1:80', '10.0.0.2:8080']);
    expect(await healthOf(elb, TargetGroupArn)).toEqual(['unused Target.NotInUse', 'unused Target.NotInUse']);
  });

  it('that are not registered may be deregistered', async () => {
    const TargetGroupArn = await aGroup();
    await elb.deregisterTargets({ TargetGroupArn, Targets: [{ Id: '10.0.0.9', Port: 80 }] });
    expect(await targetsOf(TargetGroupArn)).toEqual([]);
  });

  it('are all refused with one that is not of the type', async () => {
    const TargetGroupArn = await aGroup('instance');
    const Targets = [{ Id: 'i-0123456789abcdef0' }, { Id: '10.0.0.1' }];
    const error = await errorOf(elb.registerTargets({ TargetGroupArn, Targets }));
    expect(error.name).toBe('ValidationError');
    expect(await targetsOf(TargetGroupArn)).toEqual([]);
  });

  it('with a public address are refused by an error of its own', async () => {
    const TargetGroupArn = await aGroup();
    const error = await errorOf(elb.registerTargets({ TargetGroupArn, Targets: [{ Id: '198.51.100.7' }] }));
    expect(error.name).toBe('InvalidTargetException');
  });

  it('of a group that is gone are refused', async () => {
    const TargetGroupArn = `${(await aGroup()).slice(0, -4)}0000`;
    const error = await errorOf(elb.registerTargets({ TargetGroupArn, Targets: [{ Id: '10.0.0.1' }] }));
    expect(error.name).toBe('TargetGroupNotFoundException');
  });
});

describe('a target group', () => {
  it('is found by its name and its tags, and not by another name', async () => {
    const arn = await aGroup();
    const { TargetGroups } = await elb.describeTargetGroups({ Names: [`group${created}`] });
    expect(TargetGroups?.map((group) => group.TargetGroupArn)).toEqual([arn]);
    const { TagDescriptions } = await elb.describeTags({ ResourceArns: [arn] });
    expect(TagDescriptions?.[0]?.Tags).toEqual([{ Key: 'okra', Value: 'yes' }]);
    const error = await errorOf(elb.describeTargetGroups({ Names: ['none-of-this-name'] }));
    expect(error.name).toBe('TargetGroupNotFoundException');
  });

  it('is changed in its health check', async () => {
    const TargetGroupArn = await aGroup();
    await elb.modifyTargetGroup({ TargetGroupArn, HealthCheckPath: '/up', HealthyThresholdCount: 3 });
    const { TargetGroups } = await elb.describeTargetGroups({ TargetGroupArns: [TargetGroupArn] });
    expect(TargetGroups?.[0]).toMatchObject({ HealthCheckPath: '/up', HealthyThresholdCount: 3 });
  });

  it('is deleted unless a rule names it, and may be deleted twice', async () => {
    const site = await createSite(fixture);
    const [TargetGroupArn = ''] = site.groups;
    const RuleArn = await createRule(elb, site);
    expect((await errorOf(elb.deleteTargetGroup({ TargetGroupArn }))).name).toBe('ResourceInUseException');
    await elb.deleteRule({ RuleArn });
    await elb.deleteTargetGroup({ TargetGroupArn });
    const again = await errorOf(elb.deleteTargetGroup({ TargetGroupArn }));
    expect(['nothing', 'TargetGroupNotFoundException']).toContain(again.name);
  });
});
