import { describe, expect, it } from 'vitest';
import type { AWSTargetGroup, AWSTargetGroupStatus } from '../../../crds/aws-target-group.ts';
import type { Cell } from '../../../crds/cell.ts';
import { API_VERSION } from '../../kubernetes/labels.ts';
import { loadBalancerOfListener } from '../../load-balancers/kind.ts';
import type { LoadBalancerType } from '../../load-balancers/load-balancer.ts';
import { checkTargetGroups, type TargetGroupAnswer, type TargetGroupFacts } from './target-group-check.ts';

const ARN = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333';
const loadBalancer = (name: string): string => `${ARN}:loadbalancer/${name}/0123`;
const time = '2026-11-21T12:00:00.000Z';
const version = { 'okra.mumo.co/version': '1.0.0' };

function aGroup(name: string, changed: { labels?: object; generation?: number } = {}): AWSTargetGroup {
  const { labels = { role: 'web', ...version }, generation = 1 } = changed;
  return {
    apiVersion: API_VERSION,
    kind: 'AWSTargetGroup',
    metadata: { namespace: 'default', name, uid: `uid-${name}`, generation, labels: { ...labels } },
    spec: { arn: `${ARN}:targetgroup/${name}/4567` },
  };
}

/** A Cell behind the load balancer `app/<name>` or `net/<name>`, which selects the groups of role `web`. */
function aCell(name: string, type: LoadBalancerType = 'AWSApplicationLoadBalancer'): Cell {
  const isNetwork = type === 'AWSNetworkLoadBalancer';
  const listenerARN = `${ARN}:listener/${isNetwork ? 'net' : 'app'}/${name}/0123/89ab`;
  const selecting = { listenerARN, targetGroupSelector: { matchLabels: { role: 'web' } } };
  const listener = { rule: { priority: 10, hosts: ['example.com'] } };
  return {
    apiVersion: API_VERSION,
    kind: 'Cell',
    metadata: { namespace: 'default', name },
    spec: {
      ingress: isNetwork
        ? { type, awsNetworkLoadBalancer: selecting }
        : { type, awsApplicationLoadBalancer: { ...selecting, listener } },
      replicas: 1,
      minHealthyTargets: 1,
      healthTimeout: '10m',
      settle: '0s',
    },
  };
}
const deleted = <T extends { readonly metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: time },
});

const known = (facts: Partial<TargetGroupFacts> = {}): TargetGroupAnswer => ({
  is: 'Known',
  loadBalancerARNs: [],
  protocol: 'HTTP',
  targetType: 'ip',
  vpcID: 'vpc-1',
  tags: { is: 'Known', tags: {} },
  ...facts,
});
const heldBy = (...names: string[]) => known({ loadBalancerARNs: names.map(loadBalancer) });
const throttled: TargetGroupAnswer = { is: 'Unasked', reason: 'Throttled', message: 'Rate exceeded.' };

function check(
  answer: TargetGroupAnswer | undefined,
  {
    groups = [aGroup('a')],
    cells = [],
  }: { groups?: readonly AWSTargetGroup[]; cells?: readonly Cell[] } = {},
): ReturnType<typeof checkTargetGroups> {
  const answers = new Map(groups.flatMap(({ spec }) => (answer === undefined ? [] : [[spec.arn, answer]])));
  return checkTargetGroups({ groups, cells, answers, time });
}

/** The reasons of the conditions, each with what it says: `Ready=True Known, Degraded=False Known`. */
const said = (reports: ReturnType<typeof checkTargetGroups>): string =>
  reports
    .flatMap(({ status }) => status.conditions ?? [])
    .map((condition) => `${condition.type}=${condition.status} ${condition.reason}`)
    .join(', ');
const messageOf = (reports: ReturnType<typeof checkTargetGroups>): string =>
  reports[0]?.status.conditions?.[0]?.message ?? '';
const good = 'Ready=True Known, Degraded=False Known';
const bad = (reason: string): string => `Ready=False ${reason}, Degraded=True ${reason}`;

describe('the load balancer of a listener', () => {
  it.each([
    [`${ARN}:listener/app/web/0123/89ab`, `${ARN}:loadbalancer/app/web/0123`],
    [`${ARN}:listener/net/web/0123/89ab`, `${ARN}:loadbalancer/net/web/0123`],
  ])('is in its ARN: %s', (listener, want) => expect(loadBalancerOfListener(listener)).toBe(want));
});

describe('a target group', () => {
  const web = aCell('web');
  const net = aCell('net', 'AWSNetworkLoadBalancer');
  it.each<[string, TargetGroupAnswer, readonly Cell[], string]>([
    ['that AWS knows and nobody selects is Ready', known(), [], good],
    ['that AWS knows and a Cell selects is Ready', known(), [web], good],
    ['that AWS does not know is not', { is: 'NotFound' }, [], bad('TargetGroupNotFound')],
    ['that its namespace may not use is not', { is: 'NotAllowed', message: 'No.' }, [web], bad('NotAllowed')],
    ['that the load balancer of its Cell holds is Ready', heldBy('app/web'), [web], good],
    ['that another holds is not', heldBy('app/other'), [web], bad('HeldByAnotherLoadBalancer')],
    [
      'that another of the same name holds is not',
      heldBy('net/web'),
      [web],
      bad('HeldByAnotherLoadBalancer'),
    ],
    ['that one of its Cells holds is Ready', heldBy('app/web'), [aCell('api'), web], good],
    ['that anybody holds and no Cell selects is Ready', heldBy('app/other'), [], good],
    ['that another holds is Ready when its only Cell is going', heldBy('app/other'), [deleted(web)], good],
    [
      'for TCP behind an Application Load Balancer is not',
      known({ protocol: 'TCP' }),
      [web],
      bad('WrongProtocol'),
    ],
    ['for TLS behind a Network Load Balancer is Ready', known({ protocol: 'TLS' }), [net], good],
    ['for HTTP behind a Network Load Balancer is not', known(), [net], bad('WrongProtocol')],
    ['for GENEVE is for no Cell', known({ protocol: 'GENEVE' }), [net], bad('WrongProtocol')],
    [
      'of a Lambda function behind a Network Load Balancer is not',
      known({ protocol: undefined, targetType: 'lambda' }),
      [net],
      bad('WrongProtocol'),
    ],
    ['of a protocol that nobody knows yet is left to AWS', known({ protocol: 'SCTP' }), [web, net], good],
    ['for HTTP that nobody selects is Ready', known({ protocol: 'HTTP' }), [], good],
  ])('%s', (_, answer, cells, want) => expect(said(check(answer, { cells }))).toBe(want));

  it.each([
    ['without a version is not Ready', { role: 'web' }, [web], bad('MissingVersion')],
    [
      'with a bad version is not Ready',
      { role: 'web', 'okra.mumo.co/version': 'x' },
      [web],
      bad('InvalidVersion'),
    ],
    ['without a version is Ready when no Cell selects it', {}, [web], good],
  ])('%s', (_, labels, cells, want) =>
    expect(said(check(known(), { groups: [aGroup('a', { labels })], cells }))).toBe(want),
  );

  it.each<[string, TargetGroupAnswer, readonly Cell[], RegExp]>([
    ['known', known(), [], /^AWS knows the target group: HTTP, targets of type ip, vpc-1\.$/],
    ['unknown', { is: 'NotFound' }, [], /^Target group .*\/a\/4567 not found in AWS\. Correct spec\.arn/],
    [
      'held',
      heldBy('app/other'),
      [web],
      /in use by load balancer app\/other\/0123, so load balancer app\/web\/0123 of Cell web/,
    ],
    [
      'for another protocol',
      known({ protocol: 'UDP' }),
      [web],
      /for UDP, but must be for HTTP or HTTPS, as Cell web /,
    ],
    ['not asked for', throttled, [], /: Rate exceeded\. Retrying\.$/],
  ])('that is %s says in a sentence what that means', (_, answer, cells, want) =>
    expect(messageOf(check(answer, { cells }))).toMatch(want),
  );
});

describe('a check', () => {
  const first = check(known())[0]?.status ?? {};
  const withStatus = (status: AWSTargetGroupStatus, generation = 1): AWSTargetGroup => ({
    ...aGroup('a', { generation }),
    status: { ...status, lastSyncTime: '2026-11-20T00:00:00Z' },
  });

  it('says nothing that is said already', () => {
    expect(check(known(), { groups: [withStatus(first)] })).toEqual([]);
  });

  it('says since when something holds', () => {
    const [report] = check({ is: 'NotFound' }, { groups: [withStatus(first, 2)] });
    expect(report).toMatchObject({ name: 'a', uid: 'uid-a', status: { observedGeneration: 2 } });
    const later = '2026-11-21T13:00:00.000Z';
    const groups = [withStatus(report?.status ?? {}, 3)];
    const answers = new Map([[groups[0]?.spec.arn ?? '', { is: 'NotFound' } as const]]);
    const [again] = checkTargetGroups({ groups, cells: [], answers, time: later });
    expect(again?.status.conditions?.map((one) => one.lastTransitionTime)).toEqual([time, time]);
  });

  it('leaves the conditions as they were when AWS could not be asked', () => {
    expect(check(throttled, { groups: [withStatus(first)] })).toEqual([]);
  });

  it('is Unknown when AWS could not be asked and has not said anything before', () => {
    expect(said(check(throttled))).toBe('Ready=Unknown Throttled, Degraded=Unknown Throttled');
  });

  it('is Unknown when AWS could not be asked about an ARN that was corrected', () => {
    expect(said(check(throttled, { groups: [withStatus(first, 2)] }))).toContain('Ready=Unknown');
  });

  it('says nothing of what was not asked for, or is being deleted', () => {
    expect(check(undefined)).toEqual([]);
    expect(check(known(), { groups: [deleted(aGroup('a'))] })).toEqual([]);
  });
});

describe('one target group in two AWSTargetGroups', () => {
  const of = (name: string, role: string, arn = 'a') => ({
    ...aGroup(name, { labels: { role, ...version } }),
    spec: aGroup(arn).spec,
  });
  const reasons = (groups: readonly AWSTargetGroup[]) =>
    check(known(), { groups, cells: [aCell('web')] }).map(
      ({ name, status }) => `${name} ${status.conditions?.[0]?.reason}`,
    );

  it('is reported of the one that does not count', () => {
    expect(reasons([of('b', 'web'), of('a', 'web')])).toEqual(['b DuplicateARN', 'a Known']);
  });

  it('is nothing to report where a Cell selects but one of them', () => {
    expect(reasons([of('a', 'web'), of('b', 'api')])).toEqual(['a Known', 'b Known']);
  });
});

describe('the version that tags say', () => {
  const web = aCell('web');
  const unlabelled = (status?: AWSTargetGroupStatus): AWSTargetGroup => ({
    ...aGroup('a', { labels: { role: 'web' } }),
    ...(status === undefined ? {} : { status }),
  });
  const tagged = (tags: Record<string, string>) => known({ tags: { is: 'Known', tags } });
  const untold = known({ tags: throttled });
  const before = (tag: string, observedGeneration = 1): AWSTargetGroup =>
    unlabelled({ version: tag, observedGeneration });
  const versionOf = (answer: TargetGroupAnswer, group: AWSTargetGroup): string | undefined =>
    check(answer, { groups: [group], cells: [web] })[0]?.status.version;

  it.each<[string, TargetGroupAnswer, AWSTargetGroup, string | undefined]>([
    ['is that of the tag version', tagged({ version: 'v2' }), unlabelled(), 'v2'],
    [
      "is that of Okra's own tag first",
      tagged({ version: 'v2', 'okra.mumo.co/version': '1.2.3' }),
      unlabelled(),
      '1.2.3',
    ],
    [
      'is not that of an empty tag',
      tagged({ version: 'v2', 'okra.mumo.co/version': ' ' }),
      unlabelled(),
      'v2',
    ],
    ['is none without a tag', tagged({ Version: 'v2' }), unlabelled(), undefined],
    ['is what the tag says, be it a version or not', tagged({ version: 'latest' }), unlabelled(), 'latest'],
    ['follows the tag', tagged({ version: 'v3' }), before('v2'), 'v3'],
    ['goes with the tag', tagged({}), before('v2'), undefined],
    ['is there beside a label, for when that is removed', tagged({ version: 'v2' }), aGroup('a'), 'v2'],
    ['stays while AWS cannot be asked for tags', untold, before('v2'), 'v2'],
    ['stays while AWS does not know the target group', { is: 'NotFound' }, before('v2'), 'v2'],
    ['is not that of another ARN', untold, before('v2', 0), undefined],
    ['is not that of another ARN that AWS cannot be asked about', throttled, before('v2', 0), undefined],
  ])('%s', (_, answer, group, want) => expect(versionOf(answer, group)).toBe(want));

  it('stays while AWS cannot be asked at all', () => {
    const [first] = check(tagged({ version: 'v2' }), { groups: [unlabelled()], cells: [web] });
    expect(check(throttled, { groups: [unlabelled(first?.status)], cells: [web] })).toEqual([]);
  });

  it.each<[string, TargetGroupAnswer, AWSTargetGroup, string]>([
    ['makes it Ready', tagged({ version: 'v2' }), unlabelled(), good],
    ['that is none leaves it without', tagged({}), unlabelled(), bad('MissingVersion')],
    ['that cannot be read is reported', tagged({ version: 'latest' }), unlabelled(), bad('InvalidVersion')],
    ['that was known is enough while AWS cannot be asked', untold, before('v2'), good],
    [
      'that nobody could ask for is Unknown',
      untold,
      unlabelled(),
      'Ready=Unknown Throttled, Degraded=Unknown Throttled',
    ],
  ])('%s', (_, answer, group, want) =>
    expect(said(check(answer, { groups: [group], cells: [web] }))).toBe(want),
  );

  it('is asked again, when it could not be, and what to do meanwhile is said', () => {
    expect(messageOf(check(untold, { groups: [unlabelled()], cells: [web] }))).toBe(
      'No version: the AWSTargetGroup has no version label, and the AWS tags could not be read: Rate exceeded. Retrying; or set the label okra.mumo.co/version. Cell web selects it.',
    );
  });
});
