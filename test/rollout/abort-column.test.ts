import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { AWS_TARGET_GROUP, CELL, FREEZE } from '../../clients/kubernetes/kinds.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import {
  VALIDATING_ADMISSION_POLICY,
  VALIDATING_ADMISSION_POLICY_BINDING,
} from '../../local/applying/kinds.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const analysis = (templateName: string): CanaryStep => ({ analysis: { templates: [{ templateName }] } });
const toPause: readonly CanaryStep[] = [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }];

/** Something that a rollout waits for, and how it comes to wait for it. */
interface Wait {
  readonly steps?: readonly CanaryStep[];
  readonly spec?: object;
  /** What is wrong before the new version comes. */
  readonly before?: (name: string) => Promise<unknown>;
  /** What the status says once it waits, or has come to its pause at 20. */
  readonly reason: string;
  /** What is done at the pause, and what the status says afterwards. */
  readonly after?: (name: string) => Promise<unknown>;
  readonly afterReason?: string;
}

describe('an abort on the real stack', () => {
  let stage: Stage;
  const faults: string[] = [];
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'));
    stage.metrics.rate = undefined;
    await stage.apply(stage.analysisTemplate('endless', [], 10_000));
  });
  afterAll(() => stage.close());

  const ruleOf = async (name: string): Promise<string> => (await stage.config(name))?.status?.ruleARN ?? '';
  const fault = async (name: string, how: object): Promise<void> => {
    const match = { action: 'ModifyRule', contains: await ruleOf(name) };
    faults.push(await stage.proxy.addFault({ ...how, match, times: 'always' } as never));
  };
  const throttle = (name: string): Promise<void> => fault(name, { kind: 'throttle' });
  const resume = (name: string): Promise<void> => stage.signal(name, 'resume');
  const refuseStatus = async (name: string): Promise<void> => {
    const policy = `${stage.namespace}-${name}`;
    const at = { apiVersion: 'admissionregistration.k8s.io/v1' };
    await stage.apply({
      ...at,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: policy },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stage.namespace } },
          resourceRules: [
            {
              apiGroups: ['okra.mumo.co'],
              apiVersions: ['*'],
              operations: ['UPDATE'],
              resources: ['cells/status'],
            },
          ],
        },
        validations: [{ expression: `object.metadata.name != '${name}'`, message: 'Not now.' }],
      },
    });
    await stage.apply({
      ...at,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: policy },
      spec: { policyName: policy, validationActions: ['Deny'] },
    });
    const trial = { subresource: 'status', dryRun: true } as const;
    await until('the policy to refuse', () =>
      stage.patch(CELL, name, { status: { message: 'x' } }, trial).then(
        () => false,
        () => true,
      ),
    );
  };

  const waits: Readonly<Record<string, Wait>> = {
    pause: { reason: 'WaitingForResume' },
    timed: { steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }], reason: 'WaitingForPause' },
    analysis: { steps: [{ setWeight: 20 }, analysis('endless')], reason: 'WaitingForAnalysis' },
    hold: { steps: [{ setWeight: 20 }, analysis('missing')], reason: 'AnalysisTemplateNotFound' },
    settle: { steps: [{ setWeight: 20 }], spec: { settle: '1h' }, reason: 'WaitingForSettle' },
    bake: {
      spec: { updateStrategy: { type: 'Canary', bake: { duration: '1h' } } },
      reason: 'WaitingForBake',
    },
    health: {
      before: (name) =>
        stage.proxy.setTargets({ targetGroupArn: stage.arns.get(`${name}b`) ?? '', state: 'unhealthy' }),
      reason: 'WaitingForHealth',
    },
    attach: { before: throttle, reason: 'Throttled' },
    increase: {
      reason: 'WaitingForResume',
      after: async (name) => {
        await throttle(name);
        await resume(name);
      },
      afterReason: 'Throttled',
    },
    // ELBv2 applies each write and answers 500, so that only a read tells what is served.
    applied: {
      steps: [...toPause, { pause: {} }],
      reason: 'WaitingForResume',
      after: async (name) => {
        await fault(name, { kind: 'error', when: 'after', status: 500 });
        await resume(name);
        await stage.untilStatus(name, 'at 60', ({ canaryWeight }) => canaryWeight === 60);
      },
      afterReason: 'WaitingForResume',
    },
    window: {
      reason: 'WaitingForResume',
      after: async (name) => {
        const windows = [{ timeZone: 'UTC', start: '00:00', end: '00:01', days: [dayAfterTomorrow()] }];
        await stage.patch(CELL, name, { spec: { windows } });
        await resume(name);
      },
      afterReason: 'WaitingForWindow',
    },
    mute: { reason: 'WaitingForResume', after: refuseStatus },
    freeze: {
      reason: 'WaitingForResume',
      after: async (name) => {
        await stage.apply({
          apiVersion: 'okra.mumo.co/v1alpha1',
          kind: 'Freeze',
          metadata: { name: stage.namespace },
          spec: { by: 'ops', reason: 'Friday.', namespaces: [stage.namespace] },
        });
        await resume(name);
      },
      afterReason: 'WaitingForFreeze',
    },
  };
  const names = Object.keys(waits);
  const priorityOf = (name: string): number => 10 + names.indexOf(name);
  const untilReason = (name: string, reason: string): Promise<unknown> =>
    stage.untilStatus(name, reason, (status) => status.reason === reason);

  async function comeToWait(
    name: string,
    { steps = toPause, spec = {}, before, reason }: Wait,
  ): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority: priorityOf(name), role: name, steps, spec }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    // Created before it is selected, so that something can be wrong with it from the beginning.
    await stage.targetGroups('2.0.0', [`${name}b`], { role: 'elsewhere' });
    await before?.(name);
    await stage.label(AWS_TARGET_GROUP, `${name}b`, { role: name });
    await untilReason(name, reason);
  }

  it(
    'takes everything back from whatever a rollout waits for, and blocks the version',
    { timeout: 400_000 },
    async () => {
      await Promise.all(names.map((name) => comeToWait(name, waits[name] ?? { reason: '' })));
      for (const name of names) {
        const { after, afterReason } = waits[name] ?? {};
        await after?.(name);
        if (afterReason !== undefined) await untilReason(name, afterReason);
      }
      await Promise.all(names.map((name) => stage.signal(name, 'abort', { by: 'ann' })));
      const served = async (name: string): Promise<number> =>
        (await stage.weights(priorityOf(name)))?.[`${name}b`] ?? 0;
      // What ELBv2 refuses to change stays until it does not refuse any more; nothing else keeps anything.
      const free = names.filter((name) => !['attach', 'increase'].includes(name));
      for (const name of free) await until(`${name} to be back`, async () => (await served(name)) === 0);
      for (const one of faults) await stage.proxy.removeFault(one);
      const policy = `${stage.namespace}-mute`;
      await stage.delete(VALIDATING_ADMISSION_POLICY_BINDING, policy);
      await stage.delete(VALIDATING_ADMISSION_POLICY, policy);
      await Promise.all(names.map((name) => stage.untilPhase(name, 'Reverted', '1.0.0')));
      const ends = await Promise.all(
        names.map(async (name) => {
          const { blockedVersions = [] } = await stage.status(name);
          return [name, await served(name), blockedVersions.map(({ version }) => version).join()];
        }),
      );
      expect(ends).toEqual(names.map((name) => [name, 0, '2.0.0']));
      expect(await stage.violations([20, 60], ...names.map(priorityOf))).toEqual([]);
      const lost = await stage.count(
        `OkraNamespace="${stage.namespace}" AND ExecutionStatus IN ("Failed","TimedOut")`,
      );
      expect(lost).toBe(0);
      await stage.delete(FREEZE, stage.namespace);
    },
  );
});

function dayAfterTomorrow(): string {
  const day = new Date(Date.now() + 2 * 86_400_000).getUTCDay();
  return ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][day] ?? 'Sun';
}
