import { type Fields, items, pairs, text, texts } from '../protocol/fields.ts';
import type { World } from '../world/world.ts';
import type { Access, Context } from './policy.ts';

/** A call with what its account has, and where. */
export interface Asked {
  readonly action: string;
  readonly parameters: Fields;
  readonly world: World;
  readonly account: string;
  readonly region: string;
}

/*
 * What is checked of a call, by
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_awselasticloadbalancingv2.html
 */

const prefixed = (prefix: string, tags: Readonly<Record<string, string>>): Context =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`${prefix}/${key}`, [value]]));

const requested = (parameters: Fields): Context => {
  const tags = pairs(parameters, 'Tags');
  const keys = [...Object.keys(tags), ...texts(parameters, 'TagKeys')];
  return { ...prefixed('aws:RequestTag', tags), ...(keys.length === 0 ? {} : { 'aws:TagKeys': keys }) };
};

const tagged = (world: World, arn: string): Context => prefixed('aws:ResourceTag', world.tags.get(arn) ?? {});

/** What a new resource will be called, as far as that is known. */
function createdArn({ action, parameters, account, region }: Asked): string | undefined {
  const prefix = `arn:aws:elasticloadbalancing:${region}:${account}`;
  if (action === 'CreateRule')
    return `${(text(parameters, 'ListenerArn') ?? '').replace(':listener/', ':listener-rule/')}/new`;
  if (action === 'CreateTargetGroup') return `${prefix}:targetgroup/${text(parameters, 'Name') ?? ''}/new`;
  return undefined;
}

const subjects = ['RuleArn', 'ListenerArn', 'TargetGroupArn', 'LoadBalancerArn'];

function resourcesOf(asked: Asked): readonly string[] {
  const { action, parameters } = asked;
  if (/^(Describe|Get)/.test(action)) return ['*'];
  if (action === 'CreateTargetGroup') return [createdArn(asked) ?? '*'];
  const named = [
    ...texts(parameters, 'ResourceArns'),
    ...items(parameters, 'RulePriorities').map((pair) => text(pair, 'RuleArn') ?? ''),
  ];
  if (named.length > 0) return named;
  const subject = subjects.map((name) => text(parameters, name)).find((arn) => arn !== undefined);
  return [subject ?? '*'];
}

const networkReads: Readonly<Record<string, readonly string[]>> = {
  CreateTargetGroup: ['DescribeVpcs', 'DescribeInternetGateways'],
  RegisterTargets: ['DescribeInstances', 'DescribeSubnets', 'DescribeVpcs', 'DescribeInternetGateways'],
};

/** Lists what a call needs: its own action, the tags of what it creates, and the reads that AWS makes for it. */
export function accessesOf(asked: Asked): readonly Access[] {
  const { action, parameters, world } = asked;
  const request = requested(parameters);
  const own = resourcesOf(asked).map((resource) => ({
    action: `elasticloadbalancing:${action}`,
    resource,
    context: { ...request, ...tagged(world, resource) },
  }));
  const created = items(parameters, 'Tags').length > 0 ? createdArn(asked) : undefined;
  const tagging = {
    action: 'elasticloadbalancing:AddTags',
    resource: created ?? '',
    context: { ...request, 'elasticloadbalancing:CreateAction': [action] },
  };
  const reads = (networkReads[action] ?? []).map((read) => ({
    action: `ec2:${read}`,
    resource: '*',
    context: {},
  }));
  return [...own, ...(created === undefined ? [] : [tagging]), ...reads];
}
