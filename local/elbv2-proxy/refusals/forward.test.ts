import { describe } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { forwardTo, groupArn, listenerArn, loadBalancerArn } from '../world/sample.ts';
import { actionRules } from './actions.ts';
import { forwardRules } from './forward.ts';
import { create, doing, fixed, invalid, itRefuses, itTakes, modify, oidc, sticky } from './sample.ts';

/** A ModifyListener call on the Network Load Balancer. */
const balance = (groups: Readonly<Record<string, number | undefined>>): Fields => ({
  ListenerArn: listenerArn('net'),
  DefaultActions: [forwardTo(groups)],
});

describe('forward actions of Network Load Balancers', () => {
  itRefuses(
    forwardRules,
    [
      ['weight 1000', 'ModifyListener', balance({ tcp: 1000, tcp2: 0 }), 'weight-range', invalid],
      [
        'six groups',
        'ModifyListener',
        balance({ tcp: 1, tcp2: 1, tcp3: 1, tcp4: 1, tcp5: 1, tcp6: 1 }),
        'five-groups-per-forward',
        'TooManyTargetGroups',
      ],
      [
        'one of two weights missing',
        'ModifyListener',
        balance({ tcp: 1, tcp2: undefined }),
        'weight-for-each-of-several',
        invalid,
      ],
    ],
    forwardRules.map((rule) => rule.name),
  );
  itTakes([
    ['weights 0 and 999', 'ModifyListener', balance({ tcp: 0, tcp2: 999 })],
    ['five groups', 'ModifyListener', balance({ tcp: 1, tcp2: 1, tcp3: 1, tcp4: 1, tcp5: 1 })],
    ['one group without weight', 'ModifyListener', balance({ tcp: undefined })],
    [
      'several groups from the start',
      'CreateListener',
      {
        LoadBalancerArn: loadBalancerArn('net'),
        Protocol: 'TCP',
        Port: '81',
        DefaultActions: [forwardTo({ tcp: 100, tcp2: 0 })],
      },
    ],
  ]);
});

describe('forward actions', () => {
  itRefuses(forwardRules, [
    ['weight 1000', 'CreateRule', doing(forwardTo({ b: 1000 })), 'weight-range', invalid],
    ['weight −1', 'ModifyRule', modify({ Actions: [forwardTo({ b: -1 })] }), 'weight-range', invalid],
    ['weight 0.5', 'ModifyRule', modify({ Actions: [forwardTo({ b: 0.5 })] }), 'weight-range', invalid],
    [
      'weight 1000 on a default action',
      'ModifyListener',
      { ListenerArn: listenerArn('web'), DefaultActions: [forwardTo({ b: 1000 })] },
      'weight-range',
      invalid,
    ],
    ['a forward to nothing', 'CreateRule', doing({ Type: 'forward' }), 'group-per-forward', invalid],
    [
      'six groups',
      'CreateRule',
      doing(forwardTo({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 })),
      'five-groups-per-forward',
      'TooManyTargetGroups',
    ],
    [
      'a group twice',
      'CreateRule',
      doing({
        Type: 'forward',
        ForwardConfig: {
          TargetGroups: ['1', '2'].map((Weight) => ({ TargetGroupArn: groupArn('b'), Weight })),
        },
      }),
      'group-once-per-forward',
      invalid,
    ],
    [
      'one of two weights missing',
      'CreateRule',
      doing(forwardTo({ b: 1, c: undefined })),
      'weight-for-each-of-several',
      invalid,
    ],
    [
      'two forms that disagree',
      'CreateRule',
      doing({ ...forwardTo({ b: 1 }), TargetGroupArn: groupArn('c') }),
      'group-arn-agrees-with-forward-config',
      invalid,
    ],
    [
      'stickiness of 0 s',
      'CreateRule',
      doing(sticky({ DurationSeconds: '0' })),
      'stickiness-duration',
      invalid,
    ],
    [
      'stickiness over 7 days',
      'CreateRule',
      doing(sticky({ Enabled: 'true', DurationSeconds: '604801' })),
      'stickiness-duration',
      invalid,
    ],
    [
      'stickiness without duration',
      'CreateRule',
      doing(sticky({ Enabled: 'true' })),
      'stickiness-duration',
      invalid,
    ],
  ]);
  itTakes([
    ['a rule with one group', 'CreateRule', create()],
    ['weights 0 and 999', 'CreateRule', doing(forwardTo({ b: 0, c: 999 }))],
    ['five groups', 'CreateRule', doing(forwardTo({ a: 1, b: 1, c: 1, d: 1, e: 1 }))],
    ['a group by its ARN alone', 'CreateRule', doing({ Type: 'forward', TargetGroupArn: groupArn('b') })],
    ['a group that the same load balancer uses', 'CreateRule', doing(forwardTo({ a: 1 }))],
    ['stickiness of 7 days', 'CreateRule', doing(sticky({ Enabled: 'true', DurationSeconds: '604800' }))],
    [
      'stickiness without duration on a Network Load Balancer',
      'ModifyListener',
      {
        ListenerArn: listenerArn('net'),
        DefaultActions: [
          {
            Type: 'forward',
            ForwardConfig: {
              TargetGroups: [{ TargetGroupArn: groupArn('tcp') }],
              TargetGroupStickinessConfig: { Enabled: 'true' },
            },
          },
        ],
      },
    ],
    ['stickiness switched off', 'CreateRule', doing(sticky({ Enabled: 'false' }))],
  ]);
});

describe('lists of actions', () => {
  itRefuses(actionRules, [
    ['an unknown action type', 'CreateRule', doing({ Type: 'teleport' }), 'action-type', invalid],
    [
      'no terminating action',
      'CreateRule',
      doing(oidc),
      'one-terminating-action',
      'InvalidLoadBalancerAction',
    ],
    [
      'a terminating action that is not the last',
      'CreateRule',
      doing({ ...fixed, Order: '1' }, { ...oidc, Order: '2' }),
      'one-terminating-action',
      'InvalidLoadBalancerAction',
    ],
    [
      'two terminating actions',
      'CreateRule',
      doing({ ...fixed, Order: '1' }, { ...forwardTo({ b: 1 }), Order: '2' }),
      'one-terminating-action',
      'TooManyActions',
    ],
    ['order 0', 'CreateRule', doing({ ...fixed, Order: '0' }), 'action-order', invalid],
    [
      'two actions of one order',
      'CreateRule',
      doing({ ...oidc, Order: '1' }, { ...fixed, Order: '1' }),
      'action-order',
      invalid,
    ],
    [
      'a fixed response on a Network Load Balancer',
      'ModifyListener',
      { ListenerArn: listenerArn('net'), DefaultActions: [fixed] },
      'network-listeners-forward-only',
      'InvalidLoadBalancerAction',
    ],
  ]);
});
