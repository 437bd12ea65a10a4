import { describe, expect, it } from 'vitest';
import {
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
} from '../../clients/kubernetes/kinds.ts';
import type { CanaryStep, CellStatus } from '../../crds/cell.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { createTargetGroup } from '../../local/aws-fixture.ts';
import { bindingsOf } from '../discovery/bindings.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import type { Weights } from '../support/stage/okra-stage.ts';
import { until } from '../support/until.ts';

describe('a Cell at rest', () => {
  let stage: Stage;
  let priority = 0;
  const environment = { OKRA_DRIFT_INTERVAL: '1', OKRA_SYNC_INTERVAL: '1' };
  onStage({ totals: [20], environment }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const cell = (name: string, spec: object = {}, steps: readonly CanaryStep[] = []): object =>
    stage.cell(name, { priority, role: name, steps, spec });
  async function serving(name: string, spec: object = {}, steps: readonly CanaryStep[] = []): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(cell(name, spec, steps));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const newer = (name: string): Promise<void> => stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  const untilPausedAt20 = (name: string): Promise<unknown> =>
    stage.untilStatus(
      name,
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
  const condition = (status: CellStatus, type: string) =>
    (status.conditions ?? []).find((one) => one.type === type);
  const patched = (config: string, spec: object): Promise<void> =>
    stage.patch(AWS_APPLICATION_LOAD_BALANCER_CONFIG, config, { spec });

  it('keeps what served before at weight 0 for as long as detachAfter says, and not at all with 0s', async () => {
    await serving('now', { updateStrategy: { detachAfter: '0s' } });
    await newer('now');
    await stage.untilPhase('now', 'Completed', '2.0.0');
    await stage.untilWeights({ nowb: 100 }, priority);
    await stage.untilClosed(stage.workflowId('now'));
    expect(await stage.writes()).toEqual([
      { nowa: 100 },
      { nowa: 100, nowb: 0 },
      { nowa: 0, nowb: 100 },
      { nowb: 100 },
    ]);
    expect((await stage.status('now')).targetGroups).toMatchObject([{ name: 'nowb', weight: 100 }]);
  });

  it('keeps no version at weight 0 that has failed and has no healthy target', async () => {
    await serving('ill', {}, [{ setWeight: 20 }, { pause: {} }]);
    await newer('ill');
    await untilPausedAt20('ill');
    await stage.proxy.setTargets({ targetGroupArn: stage.arns.get('illb') ?? '', state: 'unhealthy' });
    await stage.signal('ill', 'abort');
    await stage.untilPhase('ill', 'Reverted', '1.0.0');
    await stage.untilStatus(
      'ill',
      'without the version that failed',
      ({ targetGroups = [] }) => targetGroups.length === 1,
    );
    expect(await stage.weights(priority)).toEqual({ illa: 100 });
    expect((await stage.writes()).slice(-2)).toEqual([{ illa: 100, illb: 0 }, { illa: 100 }]);
    expect((await stage.status('ill')).phase).toBe('Reverted');
  });

  it('lets a target group go that Okra has created, when its AWSTargetGroup is deleted', async () => {
    const bindings = bindingsOf(stage);
    const vpcID = await vpc();
    await bindings.applySpec('madea', {
      targetGroup: { vpcID, targetType: 'ip' },
      targets: [{ name: 'ips', ids: ['172.31.0.11'], port: 8080 }],
      deletionPolicy: 'Delete',
    });
    const { targetGroupARN = '' } = await bindings.untilSynced('madea');
    stage.arns.set('madea', targetGroupARN);
    await stage.targetGroups('1.0.0', ['madea'], { role: 'made' });
    await stage.apply(cell('made'));
    await stage.untilPhase('made', 'Completed', '1.0.0');
    await newer('made');
    await stage.untilPhase('made', 'Completed', '2.0.0');
    expect(await stage.weights(priority)).toEqual({ madea: 0, madeb: 100 });
    await stage.delete(AWS_TARGET_GROUP, 'madea');
    await stage.delete(AWS_TARGET_GROUP_BINDING, 'madea', { wait: false });
    await bindings.untilGone('madea');
    expect(await stage.weights(priority)).toEqual({ madeb: 100 });
    await expect(stage.elbv2.describeTargetGroups({ TargetGroupArns: [targetGroupARN] })).rejects.toThrow(
      /not found/i,
    );
  });

  it('attaches no target group before a target is registered with it, and says so', async () => {
    await serving('empty', {}, [{ setWeight: 20 }]);
    await stage.mark();
    const { arn } = await createTargetGroup(stage.elbv2, `e-${stage.namespace}`.slice(0, 32), {
      targets: [],
    });
    stage.arns.set('emptyb', arn);
    await newer('empty');
    const held = await stage.untilStatus(
      'empty',
      'without a target',
      (status) => status.reason === 'WaitingForHealth',
    );
    expect(held.message).toContain(`Target group ${arn} has no registered target.`);
    expect(condition(held, 'Degraded')).toMatchObject({ status: 'True', reason: 'UnhealthyTargets' });
    expect(await stage.writes()).toEqual([]);
    await stage.elbv2.registerTargets({ TargetGroupArn: arn, Targets: [{ Id: '172.31.0.12', Port: 8080 }] });
    await stage.untilPhase('empty', 'Completed', '2.0.0');
  });

  it('says that a foreign rule stands where its own was, and is ready again when it is gone', async () => {
    await serving('lost');
    await stage.targetGroups(undefined, ['foreign'], { role: 'none' });
    const foreign = await until('a foreign rule in place of the own', async () => {
      await stage.elbv2.deleteRule({ RuleArn: (await stage.rule(priority))?.RuleArn });
      const created = await stage.elbv2
        .createRule({
          ListenerArn: stage.listenerARN,
          Priority: priority,
          Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['other.com'] } }],
          Actions: [{ Type: 'forward', TargetGroupArn: stage.arns.get('foreign') }],
        })
        .catch(ifTaken);
      return created?.Rules?.[0]?.RuleArn;
    });
    const told = await stage.untilStatus(
      'lost',
      'in conflict',
      (status) => condition(status, 'Degraded')?.reason === 'Conflict',
    );
    expect(condition(told, 'Degraded')).toMatchObject({ status: 'True' });
    expect(condition(told, 'Ready')).toMatchObject({ status: 'False', reason: 'Conflict' });
    expect(told.message).toContain('okra.mumo.co/adopt');
    expect(await stage.weights(priority)).toHaveProperty('foreign');
    await stage.elbv2.deleteRule({ RuleArn: foreign });
    await stage.signal('lost', 'retry');
    await stage.kubectl('wait', '--for=condition=Ready', '--timeout=60s', 'cell/lost');
    await stage.kubectl('wait', '--for=condition=Degraded=false', '--timeout=60s', 'cell/lost');
    expect(await stage.weights(priority)).toEqual({ losta: 100 });
    // What someone else has deleted is created once more.
    await stage.mark();
  });

  const rests: Readonly<Record<string, readonly CanaryStep[]>> = {
    still: [],
    going: [{ setWeight: 20 }, { pause: {} }],
  };
  const at20 = async (name: string): Promise<Weights> => {
    await newer(name);
    await untilPausedAt20(name);
    return { [`${name}a`]: 80, [`${name}b`]: 20 };
  };
  it.each<[string, string, (name: string) => Promise<Weights>]>([
    ['at rest', 'still', () => Promise.resolve({ stilla: 100 })],
    ['in the midst of a rollout', 'going', at20],
  ])('puts back what someone writes into its configuration by hand, %s', async (_, name, prepare) => {
    await serving(name, {}, rests[name]);
    const weights = await prepare(name);
    await stage.targetGroups(undefined, [`${name}other`], { role: 'none' });
    await stage.mark();
    const before = (await stage.config(name))?.spec;
    const group = (letter: string, weight: number): object => {
      const its = `${name}${letter}`;
      return { name: its, arn: stage.arns.get(its), weight };
    };
    const edits = [
      { listener: { rule: { forward: { targetGroups: [group('a', 1), group('other', 99)] } } } },
      { listener: { rule: { hosts: ['by-hand.com'], pathPatterns: ['/by-hand'] } } },
      { deletionPolicy: 'Delete' },
    ];
    for (const edit of edits) {
      await patched(name, edit);
      const config = await until(
        'the configuration to be as before',
        async () => {
          const now = await stage.config(name);
          const isConfirmed = now?.status?.observedGeneration === now?.metadata.generation;
          return isConfirmed && canonical(now?.spec) === canonical(before) && now;
        },
        { seen: () => stage.config(name) },
      );
      expect(config.status).toMatchObject({ reason: 'Served' });
    }
    expect(await stage.weights(priority)).toEqual(weights);
    // Nobody knows whether it was served meanwhile, so that the same is written again.
    for (const written of await stage.writes()) expect(written).toEqual(weights);
    expect(condition(await stage.status(name), 'Degraded')).toMatchObject({ status: 'False' });
  });

  /** The VPC of the target groups of the stage. */
  async function vpc(): Promise<string> {
    await stage.targetGroups(undefined, ['any'], { role: 'none' });
    const arns = [stage.arns.get('any') ?? ''];
    const { TargetGroups } = await stage.elbv2.describeTargetGroups({ TargetGroupArns: arns });
    return TargetGroups?.[0]?.VpcId ?? '';
  }
});

/** Someone else may have taken the place meanwhile. */
function ifTaken(error: unknown): undefined {
  if (error instanceof Error && error.name.startsWith('PriorityInUse')) return undefined;
  throw error;
}
