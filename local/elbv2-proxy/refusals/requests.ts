import { type Fields, given, items, text, texts } from '../protocol/fields.ts';
import { api, firstOf, guide, invalid, whole, within, type Refusal, type Rule } from './refusal.ts';

const pairName = (tag: Fields): string => text(tag, 'Key') ?? '';

const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

function judgeTag(tag: Fields): Refusal | undefined {
  const key = pairName(tag);
  const value = text(tag, 'Value') ?? '';
  if (key.length < 1 || key.length > 128)
    return invalid(`Tag key '${key}' must have between 1 and 128 characters`);
  if (value.length > 256) return invalid(`The value of tag '${key}' must have at most 256 characters`);
  if (/^aws:/i.test(key)) return invalid(`Tag key '${key}' must not begin with 'aws:'`);
  if (tagText.test(key) && tagText.test(value)) return undefined;
  return invalid(`Tag '${key}' may contain only letters, spaces, digits and _ . : / = + - @`);
}

const tagWrites = ['AddTags', 'CreateRule', 'CreateListener', 'CreateLoadBalancer', 'CreateTargetGroup'];

/** What AWS refuses in tags and in the form of a read. */
export const requestRules: readonly Rule[] = [
  {
    name: 'tag-text',
    actions: tagWrites,
    source: api('API_Tag'),
    refuse: ({ parameters }) => firstOf(items(parameters, 'Tags'), judgeTag),
  },
  {
    name: 'tag-keys-once',
    actions: tagWrites,
    source: api('API_AddTags'),
    refuse: ({ parameters }) => {
      const keys = items(parameters, 'Tags').map(pairName);
      const twice = keys.find((key, index) => keys.indexOf(key) !== index);
      if (twice === undefined) return undefined;
      return { code: 'DuplicateTagKeys', message: `Tag key '${twice}' was specified more than once` };
    },
  },
  {
    name: 'twenty-described-tags',
    actions: ['DescribeTags'],
    source: api('API_DescribeTags'),
    refuse: ({ parameters }) =>
      within(texts(parameters, 'ResourceArns').length, 1, 20)
        ? undefined
        : invalid('Cannot have more than 20 resources described'),
  },
  {
    name: 'listener-or-rules',
    actions: ['DescribeRules'],
    source: api('API_DescribeRules'),
    refuse: ({ parameters }) => {
      const isListener = text(parameters, 'ListenerArn') !== undefined;
      if (isListener !== given(parameters, 'RuleArns')) return undefined;
      return isListener
        ? invalid('Listener rule ARNs and a listener ARN cannot be specified at the same time')
        : invalid('You must specify either listener rule ARNs or a listener ARN');
    },
  },
  {
    name: 'load-balancer-or-listeners',
    actions: ['DescribeListeners'],
    source: api('API_DescribeListeners'),
    refuse: ({ parameters }) => {
      const isBalancer = text(parameters, 'LoadBalancerArn') !== undefined;
      if (isBalancer !== given(parameters, 'ListenerArns')) return undefined;
      return isBalancer
        ? invalid('Listener ARNs and a load balancer ARN cannot be specified at the same time')
        : invalid('You must specify either listener ARNs or a load balancer ARN');
    },
  },
  {
    name: 'one-target-group-filter',
    actions: ['DescribeTargetGroups'],
    source: api('API_DescribeTargetGroups'),
    refuse: ({ parameters }) => {
      const filters = ['LoadBalancerArn', 'TargetGroupArns', 'Names'].filter(
        (name) => (parameters[name] ?? '') !== '',
      );
      if (filters.length < 2) return undefined;
      return invalid(
        'Target group names, target group ARNs, and a load balancer ARN cannot be specified at the same time',
      );
    },
  },
  {
    name: 'page-size',
    actions: ['DescribeRules', 'DescribeTargetGroups', 'DescribeListeners', 'DescribeLoadBalancers'],
    source: api('API_DescribeRules'),
    refuse: ({ parameters }) => {
      const size = text(parameters, 'PageSize');
      if (size === undefined || within(whole(size), 1, 400)) return undefined;
      return invalid(
        `1 validation error detected: Value '${size}' at 'pageSize' failed to satisfy constraint: ` +
          'Member must have value between 1 and 400',
      );
    },
  },
];

/** What AWS refuses because of the tags that are there already. */
export const tagQuotaRules: readonly Rule[] = [
  {
    name: 'fifty-tags',
    actions: tagWrites,
    source: guide('application', 'load-balancer-tags'),
    refuse: ({ parameters, world }) => {
      const keys = items(parameters, 'Tags').map(pairName);
      const arns = texts(parameters, 'ResourceArns');
      return firstOf(arns.length > 0 ? arns : [''], (arn) => {
        const all = new Set([...Object.keys(world.tags.get(arn) ?? {}), ...keys]);
        if (all.size <= 50) return undefined;
        return {
          code: 'TooManyTags',
          message: 'The quota for the number of tags that can be assigned has been reached: 50',
        };
      });
    },
  },
];
