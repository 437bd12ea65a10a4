import { describe, expect, it } from 'vitest';
import type { BindingTarget, NewTargetGroup } from '../../../crds/aws-target-group-binding.ts';
import {
  compareTargetGroup,
  isCreatedFor,
  targetGroupName,
  targetGroupTags,
  desiredTargetGroup,
  type ExistingTargetGroup,
} from './new-target-group.ts';

const digestOfUid = '0123456789abcdef0123456789abcdef';
const key = { namespace: 'default', name: 'web' };
const uid = 'b1f6b8c2-6a0e-4a51-9d2d-0c5f4f0f3c11';
const asked: NewTargetGroup = { protocol: 'HTTP', vpcID: 'vpc-01234567', targetType: 'instance' };
const existing: ExistingTargetGroup = {
  protocol: 'HTTP',
  port: 80,
  vpcID: 'vpc-01234567',
  targetType: 'instance',
  healthCheck: { protocol: 'HTTP', port: 'traffic-port', path: '/', intervalSeconds: 30, matcher: '200' },
};
const targets: readonly BindingTarget[] = [
  { name: 'a', ids: ['i-1'], port: 8080 },
  { name: 'b', ids: ['i-2'], port: 9090 },
];

describe('the name of a target group', () => {
  it.each([
    ['default', 'web', 'default-web-0123456789'],
    ['default', 'a.b', 'default-a-b-0123456789'],
    ['default', 'a--b', 'default-a-b-0123456789'],
    ['default', 'a'.repeat(253), 'default-aaaaaaaaaaaaa-0123456789'],
    ['twenty-characters-lon', 'web', 'twenty-characters-lon-0123456789'],
    ['twenty-characters-lo', 'web', 'twenty-characters-lo-0123456789'],
  ])('of %s/%s is %s', (namespace, name, want) => {
    const got = targetGroupName({ namespace, name }, digestOfUid);
    expect(got).toBe(want);
    expect(got).toMatch(/^(?!-)[A-Za-z0-9-]{1,32}(?<!-)$/);
  });

  it('differs for two objects whose names are cut', () => {
    const name = 'a'.repeat(40);
    const names = ['1', '2'].map((uidDigest) => targetGroupName({ ...key, name }, uidDigest.repeat(64)));
    expect(new Set(names).size).toBe(2);
  });
});

describe('the tags of a target group', () => {
  const owner = { key, uid };
  const own = targetGroupTags(owner);

  it.each([
    ['that was created for the object', { ...own, team: 'web' }, true],
    ['without tags', {}, false],
    ['of an object of the same name that is gone', { ...own, 'okra.mumo.co/uid': 'other' }, false],
    ['of another object', { ...own, 'okra.mumo.co/owner': 'default/other' }, false],
  ])('tell one %s', (_, tags, want) => expect(isCreatedFor(owner, tags)).toBe(want));

  it('are no longer than AWS takes', () => {
    const long = { key: { namespace: 'n'.repeat(63), name: 'a'.repeat(253) }, uid };
    expect(targetGroupTags(long)['okra.mumo.co/owner']).toHaveLength(256);
    expect(isCreatedFor(long, targetGroupTags(long))).toBe(true);
  });
});

describe('the target group to create', () => {
  const wanted = (group: NewTargetGroup) => desiredTargetGroup(group, targets, { key, uid, digestOfUid });

  it('has the port of the first target, and leaves the health check to AWS', () => {
    expect(wanted(asked)).toEqual({
      name: 'default-web-0123456789',
      port: 8080,
      healthCheck: {},
      tags: { 'okra.mumo.co/owner': 'default/web', 'okra.mumo.co/uid': uid },
    });
  });

  it('has what is asked for', () => {
    expect(wanted({ ...asked, port: 80, healthCheck: { path: '/healthz', port: 9000 } })).toMatchObject({
      port: 80,
      healthCheck: { path: '/healthz', port: '9000' },
    });
  });
});

describe('the interval and the timeout of a health check', () => {
  const times = (group: Partial<NewTargetGroup>) => {
    const of = { key, uid, digestOfUid };
    return desiredTargetGroup({ ...asked, ...group }, targets, of).healthCheck;
  };
  it.each<[string, Partial<NewTargetGroup>, object]>([
    ['are left to AWS', {}, {}],
    [
      'have a timeout below an interval that is shorter than what AWS would wait by HTTP',
      { healthCheck: { intervalSeconds: 6 } },
      { intervalSeconds: 6, timeoutSeconds: 5 },
    ],
    ['have no timeout that is not needed', { healthCheck: { intervalSeconds: 7 } }, { intervalSeconds: 7 }],
    [
      'have a timeout below an interval that is shorter than what AWS would wait by TCP',
      { protocol: 'TCP', healthCheck: { intervalSeconds: 10 } },
      { intervalSeconds: 10, timeoutSeconds: 9 },
    ],
    [
      'have a timeout below an interval that is shorter than what AWS would wait in a group of HTTPS',
      { protocol: 'HTTPS', healthCheck: { protocol: 'HTTP', intervalSeconds: 8 } },
      { protocol: 'HTTP', intervalSeconds: 8, timeoutSeconds: 7 },
    ],
    [
      'have an interval above a timeout that is longer than what AWS would wait in between',
      { healthCheck: { timeoutSeconds: 60 } },
      { intervalSeconds: 65, timeoutSeconds: 60 },
    ],
    [
      'are what is asked for',
      { healthCheck: { intervalSeconds: 5, timeoutSeconds: 4 } },
      { intervalSeconds: 5, timeoutSeconds: 4 },
    ],
  ])('%s', (_, group, want) => expect(times(group)).toEqual(want));

  it('go together when one of them is changed, and then stay', () => {
    const group: NewTargetGroup = { ...asked, healthCheck: { intervalSeconds: 5 } };
    const before = { ...existing, healthCheck: { intervalSeconds: 30, timeoutSeconds: 6 } };
    const { healthCheck } = compareTargetGroup(group, before);
    expect(healthCheck).toEqual({ intervalSeconds: 5, timeoutSeconds: 4 });
    const after = { ...existing, healthCheck: { ...healthCheck } };
    expect(compareTargetGroup(group, after)).toEqual({ problems: [] });
  });
});

describe('a target group that exists', () => {
  const table: [string, Partial<NewTargetGroup>, object][] = [
    ['stays when nothing differs', {}, {}],
    ['keeps what nobody asks for', { healthCheck: { path: '/' } }, {}],
    ['keeps its port when none is asked for', { port: undefined }, {}],
    ['keeps its VPC when none is asked for', { vpcID: undefined }, {}],
    [
      'is changed in its health check',
      { healthCheck: { path: '/healthz', port: 9000 } },
      { healthCheck: { path: '/healthz', port: '9000' } },
    ],
    [
      'is changed in what AWS did not say',
      { healthCheck: { timeoutSeconds: 5 } },
      { healthCheck: { timeoutSeconds: 5 } },
    ],
    ['cannot have another protocol', { protocol: 'TCP' }, { problems: ['spec.targetGroup.protocol'] }],
    ['cannot have another port', { port: 81 }, { problems: ['spec.targetGroup.port'] }],
    ['cannot be in another VPC', { vpcID: 'vpc-89abcdef' }, { problems: ['spec.targetGroup.vpcID'] }],
    ['cannot be of another type', { targetType: 'ip' }, { problems: ['spec.targetGroup.targetType'] }],
  ];
  it.each(table)('%s', (_, changed, want) => {
    const change = compareTargetGroup({ ...asked, ...changed }, existing);
    expect({ ...change, problems: change.problems.map(({ object }) => object) }).toEqual({
      problems: [],
      ...want,
    });
  });

  it('says what was asked for and what there is', () => {
    const { problems } = compareTargetGroup({ ...asked, protocol: 'TCP' }, existing);
    expect(problems).toEqual([
      {
        object: 'spec.targetGroup.protocol',
        reason: 'ImmutableTargetGroup',
        message:
          'Cannot change spec.targetGroup.protocol from HTTP to TCP: AWS cannot change it for an existing target group. Set it back, or create another AWSTargetGroupBinding.',
      },
    ]);
  });
});
