import { describe, expect, it } from 'vitest';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const group = { targetGroupStickiness: { durationSeconds: 3600 } };
const target = { targetStickiness: { type: 'lb_cookie', durationSeconds: 60 } };
const attributes = /^ModifyTargetGroupAttributes$/;

describe('clients that stay', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20], environment: { OKRA_DRIFT_INTERVAL: '1' } }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const steps = [{ setWeight: 20 }, { pause: {} }];
  // A server-side apply that leaves an object empty in which it had something before makes it null.
  const cell = (name: string, forward: object): object =>
    stage.cell(name, {
      role: name,
      rule: {
        priority,
        hosts: ['example.com'],
        ...(Object.keys(forward).length === 0 ? {} : { forward }),
      },
      steps,
    });

  async function serving(name: string, forward: object): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(cell(name, forward));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  async function pausedAt20(name: string, forward: object): Promise<void> {
    await serving(name, forward);
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    await stage.untilStatus(
      name,
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
  }
  /** How a rule keeps clients with a target group, as AWS says: seconds, or undefined. */
  async function groupSeconds(): Promise<number | undefined> {
    const config = (await stage.rule(priority))?.Actions?.[0]?.ForwardConfig?.TargetGroupStickinessConfig;
    return config?.Enabled === true ? config.DurationSeconds : undefined;
  }
  /** How a target group keeps clients with a target, as AWS says. */
  async function attributesOf(name: string): Promise<Readonly<Record<string, string>>> {
    const TargetGroupArn = stage.arns.get(name);
    const { Attributes = [] } = await stage.elbv2.describeTargetGroupAttributes({ TargetGroupArn });
    return Object.fromEntries(Attributes.map(({ Key = '', Value = '' }) => [Key, Value]));
  }
  const keeps = async (name: string): Promise<boolean> =>
    (await attributesOf(name))['stickiness.enabled'] === 'true';
  const touched = async (): Promise<readonly string[]> =>
    (await stage.calls()).map((call) => call.action).filter((action) => attributes.test(action));

  it('stay with nothing unless it is asked for, and no attribute is written', async () => {
    await pausedAt20('none', {});
    await stage.signal('none', 'promote');
    await stage.untilPhase('none', 'Completed', '2.0.0');
    expect(await groupSeconds()).toBeUndefined();
    expect(await touched()).toEqual([]);
  });

  it('stay with a target group from the first write on', async () => {
    await pausedAt20('group', group);
    expect(await groupSeconds()).toBe(3600);
    await stage.signal('group', 'promote');
    await stage.untilPhase('group', 'Completed', '2.0.0');
    expect(await groupSeconds()).toBe(3600);
    expect(await touched()).toEqual([]);
    expect((await stage.config('group'))?.status?.listener?.rule.forward).toMatchObject(group);
  });

  it('are taken back from a target group with its weight, as their cookie would go before that', async () => {
    await pausedAt20('back', group);
    await stage.signal('back', 'abort');
    await stage.untilPhase('back', 'Reverted', '1.0.0');
    expect((await stage.writes()).slice(2)).toEqual([{ backa: 80, backb: 20 }, { backa: 100 }]);
    expect(Object.keys((await stage.weights(priority)) ?? {})).toEqual(['backa']);
    expect(await groupSeconds()).toBe(3600);
    // Only leaving the rule takes clients back, which nothing else with weight may do.
    const left = expect.stringMatching(/^I4: .*-backb\/\S+ while it carried 20$/) as string;
    expect(await stage.violations([20], priority)).toEqual([left]);
    await stage.mark();
  });

  it('stay with a target, in every group that joins, and no longer in one that has left', async () => {
    await pausedAt20('target', { ...group, ...target });
    expect([await keeps('targeta'), await keeps('targetb')]).toEqual([true, true]);
    expect(await attributesOf('targetb')).toMatchObject({
      'stickiness.type': 'lb_cookie',
      'stickiness.lb_cookie.duration_seconds': '60',
    });
    await stage.signal('target', 'promote');
    await stage.untilPhase('target', 'Completed', '2.0.0');
    await stage.targetGroups('3.0.0', ['targetc'], { role: 'target' });
    await stage.untilStatus(
      'target',
      'paused at 20',
      (status) => status.phase === 'Paused' && status.desiredVersion === '3.0.0',
    );
    expect(Object.keys((await stage.weights(priority)) ?? {}).toSorted()).toEqual(['targetb', 'targetc']);
    expect([await keeps('targeta'), await keeps('targetb'), await keeps('targetc')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('are kept and let go in the midst of a rollout, in the order that AWS wants, and the weights stay', async () => {
    await pausedAt20('edit', {});
    await stage.mark();
    const weights = { edita: 80, editb: 20 };
    await stage.apply(
      cell('edit', { ...group, targetStickiness: { type: 'lb_cookie', durationSeconds: 120 } }),
    );
    await until('both groups to keep clients', async () => (await keeps('edita')) && (await keeps('editb')));
    expect(await attributesOf('edita')).toMatchObject({
      'stickiness.type': 'lb_cookie',
      'stickiness.lb_cookie.duration_seconds': '120',
    });
    expect(await groupSeconds()).toBe(3600);
    const writes = async (): Promise<readonly string[]> =>
      (await stage.calls()).filter((call) => call.applied).map((call) => call.action);
    await until(
      'the status to say so',
      async () => (await stage.config('edit'))?.status?.listener?.rule.forward.targetStickiness !== undefined,
    );
    expect(await writes()).toEqual([
      'ModifyRule',
      'ModifyTargetGroupAttributes',
      'ModifyTargetGroupAttributes',
    ]);
    await stage.mark();
    await stage.apply(cell('edit', {}));
    await until('the rule to let clients go', async () => (await groupSeconds()) === undefined);
    expect([await keeps('edita'), await keeps('editb')]).toEqual([false, false]);
    expect(await writes()).toEqual([
      'ModifyTargetGroupAttributes',
      'ModifyTargetGroupAttributes',
      'ModifyRule',
    ]);
    expect(await stage.weights(priority)).toEqual(weights);
    await stage.untilStatus(
      'edit',
      'paused again',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
    await stage.signal('edit', 'promote');
    await stage.untilPhase('edit', 'Completed', '2.0.0');
  });

  it('A-R05 are kept again after someone let them go', async () => {
    await serving('drift', { ...group, ...target });
    await stage.elbv2.modifyTargetGroupAttributes({
      TargetGroupArn: stage.arns.get('drifta'),
      Attributes: [{ Key: 'stickiness.enabled', Value: 'false' }],
    });
    await until('the group to keep clients again', () => keeps('drifta'));
    const rule = await stage.rule(priority);
    await stage.elbv2.modifyRule({
      RuleArn: rule?.RuleArn,
      Actions: [{ Type: 'forward', TargetGroupArn: stage.arns.get('drifta') }],
    });
    await until('the rule to keep clients again', async () => (await groupSeconds()) === 3600);
    expect(await stage.weights(priority)).toHaveProperty('drifta');
  });
});
