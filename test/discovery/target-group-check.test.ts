import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Condition } from '../../domain/kubernetes/conditions.ts';
import { createListener } from '../../local/aws-fixture.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('an AWSTargetGroup', () => {
  let stage: Stage;
  let otherListenerARN: string;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_SYNC_INTERVAL: '1' });
    const other = await createListener(stage.elbv2, `o-${stage.namespace}`.slice(0, 30));
    otherListenerARN = other.listenerArn;
  });
  afterAll(() => stage.close());

  const get = (name: string): Promise<AWSTargetGroup | undefined> =>
    stage.kubernetes.get<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: stage.namespace, name });
  const ready = async (name: string): Promise<Condition | undefined> =>
    (await get(name))?.status?.conditions?.find(({ type }) => type === 'Ready');
  const untilReady = (name: string, status: Condition['status'], reason: string): Promise<Condition> =>
    until(
      `AWSTargetGroup ${name} to have Ready=${status} for ${reason}`,
      async () => {
        const found = await ready(name);
        return found?.status === status && found.reason === reason && found;
      },
      { seen: () => get(name) },
    );

  /** Has a rule of another load balancer forward to a target group. */
  async function holdElsewhere(name: string, priority: number): Promise<string> {
    const { Rules } = await stage.elbv2.createRule({
      ListenerArn: otherListenerARN,
      Priority: priority,
      Conditions: [{ Field: 'path-pattern', Values: [`/${name}`] }],
      Actions: [{ Type: 'forward', TargetGroupArn: stage.arns.get(name) }],
    });
    return Rules?.[0]?.RuleArn ?? '';
  }
  /** Creates a target group in AWS alone. */
  async function createdOnly(name: string, protocol: 'HTTP' | 'TCP' = 'HTTP'): Promise<void> {
    await stage.targetGroups(undefined, [name], {}, protocol);
    await untilReady(name, 'True', 'Known');
    await stage.delete(AWS_TARGET_GROUP, name);
  }
  /** A Cell that serves 1.0.0, and begins a rollout with a pause. */
  async function serving(name: string, priority: number): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    const steps = [{ pause: {} }, { setWeight: 50 }];
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
  }

  it('A-T10 that is written by hand works in a Cell without any set', async () => {
    await serving('t10', 10);
    expect(await stage.weights(10)).toEqual({ t10a: 100 });
    await untilReady('t10a', 'True', 'Known');
    expect((await get('t10a'))?.metadata.ownerReferences).toBeUndefined();
  });

  it('says that AWS does not know its ARN, until that is corrected', async () => {
    await createdOnly('typo');
    const arn = stage.arns.get('typo') ?? '';
    const wrong = arn.replace(/[^/]+$/, '0123456789abcdef');
    const object = stage.targetGroup('1.0.0', 'typo', { role: 'nobody' });
    await stage.apply({ ...object, spec: { arn: wrong } });
    const said = await untilReady('typo', 'False', 'TargetGroupNotFound');
    expect(said.message).toContain(`Target group ${wrong} not found in AWS`);
    expect(await stage.kubectl('get', 'awstg', 'typo')).toMatch(
      /VERSION +TAGGED +READY +AGE\s+typo +1\.0\.0 +False/,
    );
    expect(await stage.kubectl('get', 'awstg', 'typo', '-o', 'wide')).toContain('TargetGroupNotFound');
    await stage.apply({ ...object, spec: { arn } });
    await stage.kubectl('wait', '--for=condition=Ready', '--timeout=60s', 'awstg/typo');
    await stage.kubectl('wait', '--for=condition=Degraded=false', '--timeout=60s', 'awstg/typo');
  });

  it('says that another load balancer holds it before its Cell writes, until that one lets go', async () => {
    await serving('held', 20);
    await createdOnly('heldb');
    const rule = await holdElsewhere('heldb', 20);
    await stage.targetGroups('2.0.0', ['heldb'], { role: 'held' });
    const said = await untilReady('heldb', 'False', 'HeldByAnotherLoadBalancer');
    expect(said.message).toMatch(/in use by load balancer app\/o-.* of Cell held/);
    await stage.untilPhase('held', 'Paused');
    expect(await stage.writes()).toEqual([]);
    await stage.elbv2.deleteRule({ RuleArn: rule });
    await untilReady('heldb', 'True', 'Known');
    await stage.signal('held', 'promoteFull');
    await stage.untilPhase('held', 'Completed', '2.0.0');
    await untilReady('heldb', 'True', 'Known');
  });

  it('that no Cell selects may be held by anybody', async () => {
    await createdOnly('free');
    const rule = await holdElsewhere('free', 30);
    await stage.targetGroups('1.0.0', ['free'], { role: 'nobody' });
    await untilReady('free', 'True', 'Known');
    await stage.elbv2.deleteRule({ RuleArn: rule });
  });

  it('names the Cell whose load balancer cannot forward to its protocol', async () => {
    await serving('proto', 40);
    await createdOnly('protob', 'TCP');
    await stage.targetGroups('2.0.0', ['protob'], { role: 'proto' });
    const said = await untilReady('protob', 'False', 'WrongProtocol');
    expect(said.message).toContain('for TCP, but must be for HTTP or HTTPS, as Cell proto is behind');
    await stage.delete(AWS_TARGET_GROUP, 'protob');
    await stage.untilPhase('proto', 'Completed', '1.0.0');
  });

  it('says that its Cell cannot read its version', async () => {
    await stage.targetGroups('1.0.0', ['t10b'], { role: 't10' });
    await stage.label(AWS_TARGET_GROUP, 't10b', { 'okra.mumo.co/version': 'latest' });
    await untilReady('t10b', 'False', 'InvalidVersion');
    await stage.delete(AWS_TARGET_GROUP, 't10b');
  });

  /** Sets the AWS tags of a target group; a value that is undefined removes the tag. */
  async function tag(name: string, tags: Readonly<Record<string, string | undefined>>): Promise<void> {
    const ResourceArns = [stage.arns.get(name) ?? ''];
    const given = Object.entries(tags);
    const Tags = given.flatMap(([Key, Value]) => (Value === undefined ? [] : [{ Key, Value }]));
    const TagKeys = given.flatMap(([key, value]) => (value === undefined ? [key] : []));
    if (Tags.length > 0) await stage.elbv2.addTags({ ResourceArns, Tags });
    if (TagKeys.length > 0) await stage.elbv2.removeTags({ ResourceArns, TagKeys });
  }
  const untilTagged = (name: string, version: string | undefined): Promise<true> =>
    until(
      `AWSTargetGroup ${name} to have ${version} by its tags`,
      async () => (await get(name))?.status?.version === version && true,
      { seen: () => get(name) },
    );

  it('has the version that its target group is tagged with in AWS, where no label says one', async () => {
    await stage.targetGroups(undefined, ['taga'], { role: 'tag' });
    await untilReady('taga', 'True', 'Known');
    await stage.apply(stage.cell('tag', { priority: 50, role: 'tag' }));
    const none = await stage.untilPhase('tag', 'Waiting');
    expect(none.rejectedTargetGroups).toMatchObject([{ name: 'taga', reason: 'MissingVersion' }]);
    await tag('taga', { version: 'v1' });
    await stage.untilPhase('tag', 'Completed', '1.0.0');
    expect(await stage.kubectl('get', 'awstg', 'taga')).toMatch(/TAGGED +READY +AGE\s+taga +v1 +True/);
    // The label goes before the tags.
    await stage.targetGroups('0.9', ['tagb'], { role: 'tag' });
    await tag('tagb', { version: 'v3' });
    await untilReady('tagb', 'True', 'Known');
    await untilTagged('tagb', 'v3');
    expect((await stage.status('tag')).stableVersion).toBe('1.0.0');
    // A label that is removed from what serves moves nothing, when a tag says the same.
    await stage.label(AWS_TARGET_GROUP, 'taga', { 'okra.mumo.co/version': '1.0.0' });
    await stage.kubectl('label', 'awstargetgroup', 'taga', 'okra.mumo.co/version-');
    // Okra's own tag goes before one that others may use as well.
    await stage.targetGroups(undefined, ['tagc'], { role: 'tag' });
    await tag('tagc', { 'okra.mumo.co/version': '1.1-rc.1', version: 'v9' });
    await stage.untilPhase('tag', 'Completed', '1.1.0-rc.1');
    await untilTagged('tagc', '1.1-rc.1');
    await tag('tagc', { 'okra.mumo.co/version': undefined, version: 'newest' });
    await untilReady('tagc', 'False', 'InvalidVersion');
    await tag('tagc', { version: undefined });
    await untilTagged('tagc', undefined);
    await untilReady('tagc', 'False', 'MissingVersion');
    const left = await stage.untilStatus(
      'tag',
      'without a version of tagc',
      ({ rejectedTargetGroups = [] }) =>
        rejectedTargetGroups.some(({ name, reason }) => name === 'tagc' && reason === 'MissingVersion'),
    );
    expect(left.rejectedTargetGroups).toHaveLength(1);
  });

  it('keeps the version that its tags said while AWS does not let them be read', async () => {
    const match = { action: 'DescribeTags', contains: `/${stage.namespace.slice(-20)}` } as const;
    const fault = await stage.proxy.addFault({ kind: 'throttle', match, times: 'always' });
    await stage.targetGroups(undefined, ['untold'], { role: 'tag' });
    const said = await untilReady('untold', 'Unknown', 'Throttled');
    expect(said.message).toMatch(/^No version: .* the AWS tags could not be read/);
    expect((await get('taga'))?.status?.version).toBe('v1');
    await stage.proxy.removeFault(fault);
    await untilReady('untold', 'False', 'MissingVersion');
    expect((await get('taga'))?.status?.version).toBe('v1');
    await stage.delete(AWS_TARGET_GROUP, 'untold');
  });

  it.each([
    ['throttles', { kind: 'throttle' }, 'Throttled'],
    ['answers 500', { kind: 'error', status: 500 }, 'Unavailable'],
  ] as const)('stays as it is while AWS %s', async (_, kind, reason) => {
    const before = await get('t10a');
    const match = { action: 'DescribeTargetGroups', contains: `/${stage.namespace.slice(-20)}` } as const;
    const fault = await stage.proxy.addFault({ ...kind, match, times: 'always' });
    const name = reason.toLowerCase();
    await stage.targetGroups('1.0.0', [name], { role: 'nobody' });
    const said = await untilReady(name, 'Unknown', reason);
    expect(said.message).toMatch(/^Cannot look up arn:/);
    expect((await get('t10a'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    await stage.proxy.removeFault(fault);
    await untilReady(name, 'True', 'Known');
    expect((await get('t10a'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });

  it('is no longer asked for when the last one is gone', async () => {
    const { namespace } = stage;
    for (const kind of [CELL, AWS_TARGET_GROUP]) {
      const all = await stage.kubernetes.list<{ metadata: { name: string } }>(kind, { namespace });
      await Promise.all(all.map(({ metadata }) => stage.delete(kind, metadata.name)));
    }
    await stage.untilClosed(`target-group-check/${stage.namespace}`);
  });
});
