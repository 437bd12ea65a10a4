import { describe } from 'vitest';
import { groupArn, listenerArn, ruleArn } from '../world/sample.ts';
import { requestRules, tagQuotaRules } from './requests.ts';
import { create, invalid, itRefuses, itTakes, manyTags, tag } from './sample.ts';

describe('tags and reads', () => {
  itRefuses(
    [...requestRules, ...tagQuotaRules],
    [
      [
        'a tag key that begins with aws:',
        'CreateRule',
        create({ Tags: [tag('aws:x')] }),
        'tag-text',
        invalid,
      ],
      [
        'a tag key of 129 characters',
        'CreateRule',
        create({ Tags: [tag('k'.repeat(129))] }),
        'tag-text',
        invalid,
      ],
      [
        'a tag value of 257 characters',
        'CreateRule',
        create({ Tags: [tag('k', 'v'.repeat(257))] }),
        'tag-text',
        invalid,
      ],
      [
        'a tag key twice',
        'CreateRule',
        create({ Tags: [tag('k'), tag('k')] }),
        'tag-keys-once',
        'DuplicateTagKeys',
      ],
      ['51 tags', 'CreateRule', create({ Tags: manyTags }), 'fifty-tags', 'TooManyTags'],
      [
        '21 resources',
        'DescribeTags',
        { ResourceArns: Array.from({ length: 21 }, () => groupArn('a')) },
        'twenty-described-tags',
        invalid,
      ],
      ['neither listener nor rules', 'DescribeRules', {}, 'listener-or-rules', invalid],
      [
        'listener and rules',
        'DescribeRules',
        { ListenerArn: listenerArn('web'), RuleArns: [ruleArn('web', 'a10')] },
        'listener-or-rules',
        invalid,
      ],
      ['neither load balancer nor listeners', 'DescribeListeners', {}, 'load-balancer-or-listeners', invalid],
      [
        'two filters of groups',
        'DescribeTargetGroups',
        { Names: ['a'], TargetGroupArns: [groupArn('a')] },
        'one-target-group-filter',
        invalid,
      ],
      ['a page of 401', 'DescribeTargetGroups', { PageSize: '401' }, 'page-size', invalid],
      [
        'a page of 0',
        'DescribeRules',
        { ListenerArn: listenerArn('web'), PageSize: '0' },
        'page-size',
        invalid,
      ],
    ],
  );
  itTakes([['fifty tags', 'CreateRule', create({ Tags: manyTags.slice(1) })]]);
});
