import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('a rule that someone else changes', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_DRIFT_INTERVAL: '1' });
    await stage.targetGroups('1.0.0', ['a1', 'a2'], { role: 'web' });
    await stage.apply(stage.cell('web'));
    await stage.untilPhase('web', 'Completed', '1.0.0');
  });
  afterAll(() => stage.close());

  it('A-R05 gets its weights back', async () => {
    const rule = await stage.rule(10);
    await stage.elbv2.modifyRule({
      RuleArn: rule?.RuleArn,
      Actions: [
        {
          Type: 'forward',
          ForwardConfig: { TargetGroups: [{ TargetGroupArn: stage.arns.get('a1'), Weight: 1 }] },
        },
      ],
    });
    await stage.untilWeights({ a1: 50, a2: 50 });
  });

  it('A-R05 gets its conditions back', async () => {
    const rule = await stage.rule(10);
    await stage.elbv2.modifyRule({
      RuleArn: rule?.RuleArn,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['elsewhere.com'] } }],
    });
    await until('the condition to be back', async () => {
      const now = await stage.rule(10);
      return now?.Conditions?.[0]?.HostHeaderConfig?.Values?.[0] === 'example.com';
    });
  });

  it('A-R05 is there again after it was deleted', async () => {
    const rule = await stage.rule(10);
    await stage.elbv2.deleteRule({ RuleArn: rule?.RuleArn });
    await stage.untilWeights({ a1: 50, a2: 50 });
    expect((await stage.rule(10))?.RuleArn).not.toBe(rule?.RuleArn);
    // The status names the new rule.
    await until(
      'the status to name the new rule',
      async () => (await stage.config('web'))?.status?.ruleARN === (await stage.rule(10))?.RuleArn,
    );
  });
});
