import { describe, expect, it } from 'vitest';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG, CELL } from '../../clients/kubernetes/kinds.ts';
import { FINALIZER, OWNER_TAG } from '../../domain/kubernetes/labels.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('A-C47 when it is deleted', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [], endsOkrad: true }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  async function serving(name: string, spec: object = {}): Promise<void> {
    await stage.targetGroups('1.0.0', [name], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, spec }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const finalizersOf = async (name: string): Promise<readonly string[]> =>
    (await stage.config(name))?.metadata.finalizers ?? [];
  const deletions = async (): Promise<number> =>
    (await stage.calls()).filter((call) => call.action === 'DeleteRule' && call.applied).length;
  const untilGone = (name: string) =>
    until(`the configuration of ${name} to go`, async () => (await stage.config(name)) === undefined);
  const configured = (name: string, spec: object): object => ({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSApplicationLoadBalancerConfig',
    metadata: { name },
    spec: {
      listenerARN: stage.listenerARN,
      listener: {
        rule: {
          priority,
          hosts: ['x.com'],
          forward: { targetGroups: [{ name, arn: stage.arns.get(name), weight: 100 }] },
        },
      },
      ...spec,
    },
  });

  it('a Cell leaves its rule serving', async () => {
    await serving('stay');
    expect(await finalizersOf('stay')).toEqual([]);
    await stage.kubectl('delete', 'cell', 'stay');
    await untilGone('stay');
    expect(await stage.weights(priority)).toEqual({ stay: 100 });
    expect(await deletions()).toBe(0);
  });

  it('a Cell takes its rule along where its policy says so, and nothing else', async () => {
    await serving('along', { deletionPolicy: 'Delete' });
    expect(await finalizersOf('along')).toEqual([FINALIZER]);
    const others = (await stage.rules()).filter((rule) => rule.Priority !== String(priority));
    await stage.delete(CELL, 'along');
    await untilGone('along');
    expect(await stage.rule(priority)).toBeUndefined();
    expect(await deletions()).toBe(1);
    expect(await stage.rules()).toEqual(others);
  });

  it('a Cell does as its policy says last, and a change of policy writes nothing to AWS', async () => {
    await serving('change');
    await stage.mark();
    await stage.apply(stage.cell('change', { priority, role: 'change', spec: { deletionPolicy: 'Delete' } }));
    await until('the finalizer', async () => (await finalizersOf('change')).includes(FINALIZER));
    await stage.apply(stage.cell('change', { priority, role: 'change', spec: { deletionPolicy: 'Retain' } }));
    await until('the finalizer to go', async () => (await finalizersOf('change')).length === 0);
    await stage.untilClosed(stage.workflowId('change'));
    const actions = (await stage.calls()).map((call) => call.action);
    expect(actions.filter((action) => !action.startsWith('Describe'))).toEqual([]);
    await stage.delete(CELL, 'change');
    await untilGone('change');
    expect(await stage.weights(priority)).toEqual({ change: 100 });
  });

  it('A-R07 a configuration without a Cell takes its rule along where its policy says so', async () => {
    await stage.targetGroups('1.0.0', ['alone'], { role: 'alone' });
    await stage.apply(configured('alone', { deletionPolicy: 'Delete' }));
    await stage.untilWeights({ alone: 100 }, priority);
    await until('the status', async () => (await stage.config('alone'))?.status?.reason === 'Served');
    await stage.delete(AWS_APPLICATION_LOAD_BALANCER_CONFIG, 'alone');
    expect(await stage.rule(priority)).toBeUndefined();
  });

  it('a rule that has got another owner stays', async () => {
    await stage.targetGroups('1.0.0', ['sold'], { role: 'sold' });
    await stage.apply(configured('sold', { deletionPolicy: 'Delete' }));
    await until('the status', async () => (await stage.config('sold'))?.status?.reason === 'Served');
    const rule = await stage.rule(priority);
    await stage.elbv2.addTags({
      ResourceArns: [rule?.RuleArn ?? ''],
      Tags: [{ Key: OWNER_TAG, Value: 'elsewhere/other' }],
    });
    await stage.delete(AWS_APPLICATION_LOAD_BALANCER_CONFIG, 'sold');
    expect(await stage.weights(priority)).toEqual({ sold: 100 });
    expect(await deletions()).toBe(0);
  });

  it('a rule that is gone already keeps nobody', async () => {
    await stage.targetGroups('1.0.0', ['lost'], { role: 'lost' });
    await stage.apply(configured('lost', { deletionPolicy: 'Delete' }));
    await until('the status', async () => (await stage.config('lost'))?.status?.reason === 'Served');
    await stage.elbv2.deleteRule({ RuleArn: (await stage.rule(priority))?.RuleArn });
    await stage.delete(AWS_APPLICATION_LOAD_BALANCER_CONFIG, 'lost');
    expect(await stage.config('lost')).toBeUndefined();
  });

  it('a rule is deleted once, though okrad is killed in between', async () => {
    await serving('killed', { deletionPolicy: 'Delete' });
    await stage.delete(CELL, 'killed', { wait: false });
    await until('the rule to go', async () => (await deletions()) === 1);
    await stage.okrad.end('SIGKILL');
    stage.okrad.start();
    await untilGone('killed');
    expect(await deletions()).toBe(1);
    expect(await stage.rule(priority)).toBeUndefined();
  });

  it('a rule is deleted when okrad comes back, though it was away', async () => {
    await serving('away', { deletionPolicy: 'Delete' });
    await stage.okrad.end('SIGTERM');
    await stage.delete(CELL, 'away', { wait: false });
    stage.okrad.start();
    await untilGone('away');
    expect(await stage.rule(priority)).toBeUndefined();
  });

  it('an object stays while ELBv2 refuses, and says why', async () => {
    await serving('held', { deletionPolicy: 'Delete' });
    const listener = stage.listenerARN.split('/')[2] ?? '';
    const fault = await stage.proxy.addFault({
      kind: 'error',
      when: 'before',
      status: 403,
      code: 'AccessDenied',
      times: 'always',
      match: { action: 'DeleteRule', contains: `/${listener}/` },
    });
    await stage.delete(CELL, 'held', { wait: false });
    await until(
      'the configuration to say why',
      async () => (await stage.config('held'))?.status?.reason === 'AccessDenied',
    );
    expect(await stage.weights(priority)).toEqual({ held: 100 });
    await stage.proxy.removeFault(fault);
    await untilGone('held');
    expect(await stage.rule(priority)).toBeUndefined();
  });
});
