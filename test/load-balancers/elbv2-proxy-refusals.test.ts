import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { createRule, errorOf, forward, path, ruleInput, weightsOf } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;
let site: Site;
let other: Site;
let net: Site;
let rule: string;

beforeAll(async () => {
  fixture = await startFixture();
  site = await createSite(fixture, { groups: 6 });
  other = await createSite(fixture);
  net = await createSite(fixture, { type: 'network' });
  rule = await createRule(fixture.elb, site);
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

type Refused = readonly [
  sentence: string,
  name: string,
  call: (elb: ElasticLoadBalancingV2) => Promise<unknown>,
];

const unknown = (arn: string): string => `${arn.slice(0, -4)}0000`;
const modify = (elb: ElasticLoadBalancingV2, action: ReturnType<typeof forward>) =>
  elb.modifyRule({ RuleArn: rule, Actions: [action] });

const refused: readonly Refused[] = [
  ['weight 1000', 'ValidationError', (elb) => modify(elb, forward(site, 1000, 0))],
  ['weight −1', 'ValidationError', (elb) => modify(elb, forward(site, -1, 1))],
  ['six groups', 'TooManyTargetGroupsException', (elb) => modify(elb, forward(site, 1, 1, 1, 1, 1, 1))],
  [
    'a group twice',
    'ValidationError',
    (elb) => modify(elb, forward({ ...site, groups: [site.groups[0] ?? '', site.groups[0] ?? ''] }, 1, 1)),
  ],
  [
    'an unknown group',
    'TargetGroupNotFoundException',
    (elb) => modify(elb, forward({ ...site, groups: [unknown(site.groups[0] ?? '')] }, 1)),
  ],
  [
    'an unknown group as default action',
    'TargetGroupNotFoundException',
    (elb) =>
      elb.modifyListener({
        ListenerArn: site.listener,
        DefaultActions: [{ Type: 'forward', TargetGroupArn: unknown(site.groups[0] ?? '') }],
      }),
  ],
  [
    'an HTTP group on a Network Load Balancer',
    'IncompatibleProtocolsException',
    (elb) => elb.modifyListener({ ListenerArn: net.listener, DefaultActions: [forward(site, 1)] }),
  ],
  [
    'a group of another load balancer',
    'TargetGroupAssociationLimitException',
    (elb) => elb.createRule(ruleInput(other, { Actions: [forward(site, 1)] })),
  ],
  [
    'stickiness of eight days',
    'ValidationError',
    (elb) =>
      elb.modifyRule({
        RuleArn: rule,
        Actions: [
          {
            Type: 'forward',
            ForwardConfig: {
              TargetGroups: [{ TargetGroupArn: site.groups[0] }],
              TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: 691_200 },
            },
          },
        ],
      }),
  ],
  ['a taken priority', 'PriorityInUseException', (elb) => elb.createRule(ruleInput(site))],
  ['priority 50001', 'ValidationError', (elb) => elb.createRule(ruleInput(site, { Priority: 50_001 }))],
  [
    'no condition',
    'ValidationError',
    (elb) => elb.createRule(ruleInput(site, { Priority: 20, Conditions: [] })),
  ],
  [
    'six condition values',
    'ValidationError',
    (elb) =>
      elb.createRule(
        ruleInput(site, { Priority: 20, Conditions: [path('/1', '/2', '/3', '/4', '/5', '/6')] }),
      ),
  ],
  [
    'two path conditions',
    'ValidationError',
    (elb) => elb.createRule(ruleInput(site, { Priority: 20, Conditions: [path('/1'), path('/2')] })),
  ],
  ['no action', 'ValidationError', (elb) => elb.createRule(ruleInput(site, { Priority: 20, Actions: [] }))],
  [
    'two routing actions',
    'TooManyActionsException',
    (elb) =>
      elb.createRule(
        ruleInput(site, { Priority: 20, Actions: [1, 2].map((Order) => ({ ...forward(site, 1), Order })) }),
      ),
  ],
  [
    '51 tags',
    'TooManyTagsException',
    (elb) =>
      elb.createRule(
        ruleInput(site, {
          Priority: 20,
          Tags: Array.from({ length: 51 }, (_, index) => ({ Key: `k${index}` })),
        }),
      ),
  ],
  [
    'a tag key twice',
    'DuplicateTagKeysException',
    (elb) => elb.addTags({ ResourceArns: [rule], Tags: [{ Key: 'a' }, { Key: 'a' }] }),
  ],
  [
    '21 described resources',
    'ValidationError',
    (elb) => elb.describeTags({ ResourceArns: Array.from({ length: 21 }, () => rule) }),
  ],
  ['neither listener nor rules', 'ValidationError', (elb) => elb.describeRules({})],
  [
    'a page of 401',
    'ValidationError',
    (elb) => elb.describeRules({ ListenerArn: site.listener, PageSize: 401 }),
  ],
  ['an unknown rule', 'RuleNotFoundException', (elb) => elb.deleteRule({ RuleArn: unknown(rule) })],
  [
    'an unknown listener',
    'ListenerNotFoundException',
    (elb) => elb.describeRules({ ListenerArn: unknown(site.listener) }),
  ],
  [
    'an unknown load balancer',
    'LoadBalancerNotFoundException',
    (elb) => elb.describeListeners({ LoadBalancerArn: unknown(site.loadBalancer) }),
  ],
  ['a listener that is no ARN', 'ValidationError', (elb) => elb.describeRules({ ListenerArn: 'web' })],
  [
    'the end of a group in use',
    'ResourceInUseException',
    (elb) => elb.deleteTargetGroup({ TargetGroupArn: site.groups[1] }),
  ],
];

describe('the proxy', () => {
  it.each(refused)('refuses %s with %s, and changes nothing', async (_, name, call) => {
    const since = await fixture.control.lastCall();
    expect((await errorOf(call(fixture.elb))).name).toBe(name);
    const [logged] = await fixture.control.calls({ since });
    expect(logged).toMatchObject({ applied: false, outcome: { status: 400 }, refusedBy: expect.any(String) });
    expect(await weightsOf(fixture.elb, rule)).toEqual([100, 0]);
  });

  it('refuses to delete or change a default rule', async () => {
    const { Rules = [] } = await fixture.elb.describeRules({ ListenerArn: other.listener });
    const RuleArn = Rules.find((one) => one.IsDefault)?.RuleArn;
    const ends = [
      fixture.elb.deleteRule({ RuleArn }),
      fixture.elb.modifyRule({ RuleArn, Conditions: [path('/a')] }),
    ];
    const names = await Promise.all(ends.map(async (end) => (await errorOf(end)).name));
    expect(names).toEqual(['OperationNotPermittedException', 'OperationNotPermittedException']);
  });
});
