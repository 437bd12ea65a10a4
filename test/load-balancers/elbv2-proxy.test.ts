import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startProxy } from '../../local/elbv2-proxy/server.ts';
import { createUpstream } from '../../local/elbv2-proxy/upstream.ts';
import { createRule, errorOf, healthOf, ruleInput, setWeights } from './elbv2-proxy/calls.ts';
import { callService, createSite, startFixture, type Fixture } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

describe('the proxy', () => {
  it('refuses a call without signature', async () => {
    const form = {
      method: 'POST',
      body: new URLSearchParams({ Action: 'DescribeLoadBalancers', Version: '2015-12-01' }),
    };
    const answer = await fetch(fixture.url, form);
    expect([
      answer.status,
      (await answer.text()).includes('<Code>MissingAuthenticationToken</Code>'),
    ]).toEqual([403, true]);
  });

  it('passes other services on', async () => {
    const answer = await callService(fixture.url, 'sts', 'Action=GetCallerIdentity&Version=2011-06-15');
    expect(answer).toContain('<Account>123456789012</Account>');
    const clusters = await fetch(`${fixture.url}/clusters`, {
      headers: {
        authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/eks/aws4_request, Signature=0',
      },
    });
    expect(await clusters.json()).toMatchObject({ clusters: expect.any(Array) });
  });

  it('keeps its connection to the emulator, also after an answer that is an error', async () => {
    using opened = vi.spyOn(Agent.prototype, 'createConnection');
    const upstream = createUpstream(fixture.motoUrl);
    const ask = async (action: string): Promise<number> => {
      const body = Buffer.from(`Action=${action}&Version=2011-06-15`);
      const headers = {
        authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sts/aws4_request, Signature=0',
        'content-type': 'application/x-www-form-urlencoded',
      };
      return (await upstream({ method: 'POST', path: '/', headers, body })).status;
    };
    expect([await ask('GetCallerIdentity'), await ask('Nonsense'), await ask('GetCallerIdentity')]).toEqual([
      200, 500, 200,
    ]);
    expect(opened).toHaveBeenCalledOnce();
  });

  it('is told by the emulator how long an answer would be whose body it does not ask for', async () => {
    const upstream = createUpstream(fixture.motoUrl);
    const authorization = 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, Signature=0';
    const call = (method: string, path: string, body = '') =>
      upstream({
        method,
        path: `/bucket-${process.pid}${path}`,
        headers: { authorization, 'content-type': 'text/plain' },
        body: Buffer.from(body),
      });
    await call('PUT', '');
    await call('PUT', '/key', 'hello world');
    const { status, headers } = await call('HEAD', '/key');
    expect([status, headers['content-length']]).toEqual([200, '11']);
  });

  it('keeps regions apart', async () => {
    const { LoadBalancers } = await fixture.client({ region: 'eu-west-1' }).describeLoadBalancers({});
    expect(LoadBalancers).toEqual([]);
  });

  it('knows what was there before it started', async () => {
    const site = await createSite(fixture);
    await createRule(fixture.elb, site);
    const second = await startProxy({ upstream: fixture.motoUrl });
    const elb = fixture.client({ endpoint: second.url });
    expect((await errorOf(elb.createRule(ruleInput(site)))).name).toBe('PriorityInUseException');
    await second.close();
  });

  it('lets one of many rules at one priority through', async () => {
    const own = await createSite(fixture);
    const ends = Array.from({ length: 8 }, () => errorOf(fixture.elb.createRule(ruleInput(own))));
    const names = (await Promise.all(ends)).map((end) => end.name).toSorted();
    expect(names).toEqual([...Array.from({ length: 7 }, () => 'PriorityInUseException'), 'nothing']);
  });

  it('shows targets as unused until a rule names their group, at any weight', async () => {
    const own = await createSite(fixture);
    const [first, second] = own.groups;
    expect(await healthOf(fixture.elb, second)).toEqual(['unused Target.NotInUse', 'unused Target.NotInUse']);
    const arn = await createRule(fixture.elb, own);
    expect([await healthOf(fixture.elb, first), await healthOf(fixture.elb, second)]).toEqual([
      ['healthy', 'healthy'],
      ['healthy', 'healthy'],
    ]);
    await setWeights(fixture.elb, own, { arn, weights: [100] });
    expect(await healthOf(fixture.elb, second)).toEqual(['unused Target.NotInUse', 'unused Target.NotInUse']);
  });

  it('logs a rule that is deleted as it was, and not after', async () => {
    const own = await createSite(fixture);
    const Tags = [{ Key: 'owner', Value: 'me' }];
    const RuleArn = await createRule(fixture.elb, own, { Tags });
    await fixture.elb.deleteRule({ RuleArn });
    const [logged] = await fixture.control.calls({ listener: own.listener, action: 'DeleteRule' });
    expect(logged).toMatchObject({
      applied: true,
      before: [{ ruleArn: RuleArn, priority: '10', tags: { owner: 'me' } }],
      after: [],
    });
    expect(logged?.before?.[0]?.forward).toEqual([
      { arn: own.groups[0], weight: 100 },
      { arn: own.groups[1], weight: 0 },
    ]);
    expect((await errorOf(fixture.elb.describeRules({ RuleArns: [RuleArn] }))).name).toBe(
      'RuleNotFoundException',
    );
  });

  it('shows the load balancers that use a group now', async () => {
    const own = await createSite(fixture);
    const arn = await createRule(fixture.elb, own);
    await setWeights(fixture.elb, own, { arn, weights: [100] });
    const { TargetGroups } = await fixture.elb.describeTargetGroups({ LoadBalancerArn: own.loadBalancer });
    expect(TargetGroups?.map((group) => [group.TargetGroupArn, group.LoadBalancerArns])).toEqual([
      [own.groups[0], [own.loadBalancer]],
    ]);
  });
});
