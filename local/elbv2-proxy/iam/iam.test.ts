import { describe, expect, it } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import type { RawRequest } from '../protocol/request.ts';
import { aWorld, forwardTo, groupArn, listenerArn, ruleArn } from '../world/sample.ts';
import { update } from '../world/update.ts';
import { accessesOf } from './accesses.ts';
import { judgeAccess, judgeOther } from './judge.ts';
import { allows, policySchema, type Policy } from './policy.ts';

type Given = Readonly<Record<string, unknown>>;

const policyOf = (...Statement: readonly Given[]): Policy =>
  policySchema.parse({
    Version: '2012-10-17',
    Statement: Statement.map((one) => ({ Effect: 'Allow', Resource: '*', ...one })),
  });

const rules = 'arn:aws:elasticloadbalancing:*:*:listener-rule/app/*';
const owned = { Null: { 'aws:ResourceTag/owner': 'false' } };

const policy = policyOf(
  { Action: 'elasticloadbalancing:Describe*' },
  { Action: ['elasticloadbalancing:ModifyRule'], Resource: rules, Condition: owned },
  {
    Action: 'elasticloadbalancing:CreateRule',
    Resource: 'arn:aws:elasticloadbalancing:*:*:listener/app/*',
    Condition: { Null: { 'aws:RequestTag/owner': 'false' } },
  },
  {
    Action: 'elasticloadbalancing:AddTags',
    Resource: rules,
    Condition: { StringEquals: { 'elasticloadbalancing:CreateAction': 'CreateRule' } },
  },
  {
    Action: 'elasticloadbalancing:AddTags',
    Resource: rules,
    Condition: {
      'ForAllValues:StringEquals': { 'aws:TagKeys': ['owner'] },
      Null: { 'aws:TagKeys': 'false', 'elasticloadbalancing:CreateAction': 'true' },
    },
  },
  { Action: ['elasticloadbalancing:RegisterTargets', 'ec2:DescribeInstances'] },
);

const tags = (...keys: readonly string[]): Fields => ({
  Tags: keys.map((Key) => ({ Key, Value: 'me' })),
});

const tagging = (...keys: readonly string[]): Fields => ({
  ResourceArns: [ruleArn('web', 'a10')],
  ...tags(...keys),
});

const world = update(aWorld(), {
  action: 'AddTags',
  parameters: { ...tagging('owner'), ResourceArns: [ruleArn('other', 'a10')] },
  result: {},
});

const asked = (action: string, parameters: Fields) => ({
  action,
  parameters,
  world,
  account: '123456789012',
  region: 'us-east-1',
});

const judged = (action: string, parameters: Fields): string | undefined =>
  judgeAccess(policy, asked(action, parameters), 'AKIA')?.message;

const modify = (name: string): Fields => ({
  RuleArn: ruleArn(name, 'a10'),
  Actions: [forwardTo({ a: 1 })],
});

describe('a policy', () => {
  it.each<[string, string, Fields]>([
    ['a read', 'DescribeRules', { ListenerArn: listenerArn('web') }],
    ['a write to a rule with the tag', 'ModifyRule', modify('other')],
    ['a rule that gets the tag', 'CreateRule', { ListenerArn: listenerArn('web'), ...tags('owner') }],
    ['that tag alone for a rule that is there', 'AddTags', tagging('owner')],
  ])('allows %s', (_, action, parameters) => {
    expect(judged(action, parameters)).toBeUndefined();
  });

  it.each<[string, string, Fields, string]>([
    ['a write to a rule without the tag', 'ModifyRule', modify('web'), 'ModifyRule on resource: arn:aws'],
    ['a rule without the tag', 'CreateRule', { ListenerArn: listenerArn('web') }, 'CreateRule on resource'],
    ['a rule elsewhere', 'CreateRule', { ListenerArn: listenerArn('net'), ...tags('owner') }, 'CreateRule'],
    ['another tag', 'AddTags', tagging('owner', 'more'), 'AddTags on resource'],
    ['what it does not name', 'DeleteRule', { RuleArn: ruleArn('other', 'a10') }, 'DeleteRule on resource'],
    [
      'what AWS reads for a call',
      'RegisterTargets',
      { TargetGroupArn: groupArn('a') },
      'ec2:DescribeSubnets on resource: *',
    ],
  ])('does not allow %s', (_, action, parameters, message) => {
    expect(judged(action, parameters)).toContain(message);
  });

  it('is judged for everything that a call needs', () => {
    const needed = accessesOf(
      asked('CreateTargetGroup', { Name: 'a', Tags: [{ Key: 'owner', Value: 'me' }] }),
    );
    expect(needed.map(({ action, resource }) => [action, resource.split(':').at(-1)])).toEqual([
      ['elasticloadbalancing:CreateTargetGroup', 'targetgroup/a/new'],
      ['elasticloadbalancing:AddTags', 'targetgroup/a/new'],
      ['ec2:DescribeVpcs', '*'],
      ['ec2:DescribeInternetGateways', '*'],
    ]);
  });

  it('denies what a statement denies, whatever another allows', () => {
    const both = policyOf({ Action: 'a:*' }, { Effect: 'Deny', Action: 'a:Delete?' });
    const may = (action: string): boolean => allows(both, { action, resource: 'x', context: {} });
    expect([may('a:Delete'), may('a:DeleteX'), may('A:Get')]).toEqual([true, false, true]);
  });

  it('is refused where it has an operator that is not known', () => {
    const unknown = { DateLessThan: { 'aws:CurrentTime': '2026-01-01T00:00:00Z' } };
    expect(() => policyOf({ Action: '*', Condition: unknown })).toThrow('DateLessThan');
  });
});

describe('calls to other services', () => {
  const policies = new Map([
    ['AKIA', policyOf({ Action: 'eks:ListClusters' }, { Action: 'sts:AssumeRole' })],
  ]);
  const request = (service: string, change: Partial<RawRequest>, key = 'AKIA'): RawRequest => ({
    method: 'GET',
    path: '/',
    headers: {
      authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/${service}/aws4_request`,
    },
    body: Buffer.from(''),
    ...change,
  });
  const form = (action: string): Partial<RawRequest> => ({
    method: 'POST',
    body: Buffer.from(`Action=${action}`),
  });

  const inJson = (service: string, target: string): RawRequest => {
    const { headers, ...rest } = request(service, { method: 'POST' });
    return { ...rest, headers: { ...headers, 'x-amz-target': target } };
  };

  it.each([
    ['what is allowed', request('eks', { path: '/clusters?maxResults=100' })],
    ['a role', request('sts', form('AssumeRole'))],
    ['who one is', request('sts', form('GetCallerIdentity'))],
    ['a caller without policy', request('eks', { path: '/clusters/a' }, 'other')],
    ['a call without signature', { ...request('sts', form('AssumeRoleWithWebIdentity')), headers: {} }],
  ])('let %s through', (_, raw) => {
    expect(judgeOther(policies, raw)).toBeUndefined();
  });

  it.each([
    ['eks:DescribeCluster', request('eks', { path: '/clusters/a' })],
    ['eks:DELETE /clusters/a', request('eks', { method: 'DELETE', path: '/clusters/a' })],
    ['ec2:DescribeVpcs', request('ec2', form('DescribeVpcs'))],
    ['cloudwatch:GetMetricData', inJson('monitoring', 'GraniteServiceVersion20100801.GetMetricData')],
  ])('refuse %s', (action, raw) => {
    expect(judgeOther(policies, raw)).toMatchObject({ code: 'AccessDenied', status: 403 });
    expect(judgeOther(policies, raw)?.message).toContain(`perform: ${action} on`);
  });
});
