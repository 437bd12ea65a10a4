import { describe } from 'vitest';
import { forwardTo, groupArn, listenerArn, loadBalancerArn, pathOf, ruleArn } from '../world/sample.ts';
import { existenceRules, formRules } from './existence.ts';
import { groupRules } from './groups.ts';
import { priorityRangeRules, priorityRules } from './priorities.ts';
import { create, doing, invalid, itRefuses, itTakes, tag } from './sample.ts';

const table = [...formRules, ...existenceRules, ...groupRules, ...priorityRangeRules, ...priorityRules];

const elsewhere = ['hundred-rules-per-load-balancer', 'hundred-groups-per-load-balancer', 'priorities-free'];

describe('what is there already', () => {
  itRefuses(
    table,
    [
      ['no listener', 'CreateRule', create({ ListenerArn: undefined }), 'required-parameter', invalid],
      ['a listener that is no ARN', 'CreateRule', create({ ListenerArn: 'web' }), 'arn-shape', invalid],
      [
        'a rule ARN for a listener',
        'CreateRule',
        create({ ListenerArn: ruleArn('web', 'a10') }),
        'arn-shape',
        invalid,
      ],
      [
        'an unknown listener',
        'CreateRule',
        create({ ListenerArn: listenerArn('gone') }),
        'resource-exists',
        'ListenerNotFound',
      ],
      [
        'an unknown rule',
        'DeleteRule',
        { RuleArn: ruleArn('web', 'gone') },
        'resource-exists',
        'RuleNotFound',
      ],
      [
        'an unknown rule in a read',
        'DescribeRules',
        { RuleArns: [ruleArn('web', 'gone')] },
        'resource-exists',
        'RuleNotFound',
      ],
      [
        'an unknown group in a health read',
        'DescribeTargetHealth',
        { TargetGroupArn: groupArn('gone') },
        'resource-exists',
        'TargetGroupNotFound',
      ],
      [
        'an unknown load balancer',
        'DescribeListeners',
        { LoadBalancerArn: loadBalancerArn('gone') },
        'resource-exists',
        'LoadBalancerNotFound',
      ],
      [
        "the emulator's name of a Network Load Balancer",
        'DescribeListeners',
        { LoadBalancerArn: loadBalancerArn('net').replace('/net/', '/app/') },
        'resource-exists',
        'LoadBalancerNotFound',
      ],
      [
        "tags by the emulator's name of a listener",
        'DescribeTags',
        { ResourceArns: [listenerArn('net').replace('/net/', '/app/')] },
        'tagged-resource-exists',
        'ListenerNotFound',
      ],
      [
        'tags of an unknown group',
        'DescribeTags',
        { ResourceArns: [groupArn('gone')] },
        'tagged-resource-exists',
        'TargetGroupNotFound',
      ],
      [
        'tags of what is no ARN',
        'AddTags',
        { ResourceArns: ['web'], Tags: [tag('a')] },
        'tagged-resource-exists',
        invalid,
      ],
      [
        'the end of a default rule',
        'DeleteRule',
        { RuleArn: ruleArn('web', 'default') },
        'default-rule-stays',
        'OperationNotPermitted',
      ],
      [
        'conditions for a default rule',
        'ModifyRule',
        { RuleArn: ruleArn('web', 'default'), Conditions: [pathOf('/a')] },
        'default-rule-stays',
        'OperationNotPermitted',
      ],
      [
        'an unknown group',
        'CreateRule',
        doing(forwardTo({ gone: 1 })),
        'group-exists',
        'TargetGroupNotFound',
      ],
      [
        'an unknown group as default',
        'ModifyListener',
        { ListenerArn: listenerArn('web'), DefaultActions: [forwardTo({ gone: 1 })] },
        'group-exists',
        'TargetGroupNotFound',
      ],
      [
        'an HTTP group on a TCP listener',
        'ModifyListener',
        { ListenerArn: listenerArn('net'), DefaultActions: [forwardTo({ b: 1 })] },
        'protocol-family',
        'IncompatibleProtocols',
      ],
      [
        'a TCP group on an HTTP listener',
        'CreateRule',
        doing(forwardTo({ tcp: 1 })),
        'protocol-family',
        'IncompatibleProtocols',
      ],
      [
        'a group of another load balancer',
        'CreateRule',
        doing(forwardTo({ x: 1 })),
        'group-on-one-load-balancer',
        'TargetGroupAssociationLimit',
      ],
      [
        'the end of a group in use',
        'DeleteTargetGroup',
        { TargetGroupArn: groupArn('a') },
        'group-in-use',
        'ResourceInUse',
      ],
      ['priority 0', 'CreateRule', create({ Priority: '0' }), 'priority-range', invalid],
      ['priority 50001', 'CreateRule', create({ Priority: '50001' }), 'priority-range', invalid],
      ['a taken priority', 'CreateRule', create({ Priority: '10' }), 'priority-free', 'PriorityInUse'],
    ],
    elsewhere,
  );
  itTakes([
    [
      'a TCP group on a TCP listener',
      'ModifyListener',
      { ListenerArn: listenerArn('net'), DefaultActions: [forwardTo({ tcp: 1 })] },
    ],
    ['the end of a group that nobody uses', 'DeleteTargetGroup', { TargetGroupArn: groupArn('b') }],
    ['the end of a group that is gone', 'DeleteTargetGroup', { TargetGroupArn: groupArn('gone') }],
    ['the end of a rule', 'DeleteRule', { RuleArn: ruleArn('web', 'a10') }],
    [
      'the same priority on another listener',
      'CreateRule',
      create({ ListenerArn: listenerArn('secure'), Priority: '20', Actions: [forwardTo({ b: 1 })] }),
    ],
  ]);
});
