import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { LEASE } from '../../clients/kubernetes/kinds.ts';
import { reservePorts } from '../../local/ports.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { unreadable } from '../support/temporal/unreadable.ts';
import { until } from '../support/until.ts';

const ports = reservePorts();
afterAll(() => ports.release());
const [own, ofTemporal] = [await ports.reserve(), await ports.reserve()];

describe('an operator who uses Temporal itself', () => {
  let stage: Stage;
  let priority = 0;
  const environment = {
    OKRA_HEALTH_PORT: String(own),
    OKRA_TEMPORAL_METRICS_PORT: String(ofTemporal),
    OKRA_TEMPORAL_LOG_LEVEL: 'info',
  };
  onStage({ totals: [20, 40], endsOkrad: true, environment }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  async function pausedAt20(name: string): Promise<void> {
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    await untilPausedAt(name, 20);
  }
  const untilPausedAt = (name: string, weight: number): Promise<unknown> =>
    stage.untilStatus(
      name,
      `paused at ${weight}`,
      (status) => status.phase === 'Paused' && status.canaryWeight === weight,
    );

  /** What Prometheus would read, line by line; nothing while nobody answers. */
  const scraped = async (port: number): Promise<readonly string[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    return answer === undefined ? [] : (await answer.text()).split('\n');
  };
  const untilTold = (port: number, line: RegExp): Promise<string> =>
    until(`metrics with ${line}`, async () => (await scraped(port)).find((one) => line.test(one)) ?? false, {
      seen: async () => (await scraped(port)).filter((one) => one.startsWith('okra_')),
    });

  it('reads in metrics what holds a rollout, and what was healed, also after a restart', async () => {
    await pausedAt20('metrics');
    const cell = `namespace="${stage.namespace}",cell="metrics"`;
    const held = new RegExp(`^okra_cell_held_seconds\\{${cell},reason="WaitingForResume"\\} [0-9.]+$`);
    await untilTold(own, held);
    const lines = await scraped(own);
    expect(lines).toContain(`okra_cell_canary_weight{${cell}} 20`);
    expect(lines).toContain(`okra_rollouts{namespace="${stage.namespace}",phase="Paused"} 1`);
    expect(lines).toContain('okra_step_duration_seconds_count{kind="setWeight"} 1');
    const counted = [
      /^okra_aws_requests_total\{.*operation="ModifyRule".*outcome="OK"\} [1-9]/,
      /^okra_writes_total\{outcome="Served"\} [1-9]/,
      /^okra_activities_total\{activity="shiftTraffic",outcome="Completed"\} [1-9]/,
      /^okra_rate_limit_waiting\{kind="writes",quota=".+"\} \d+/,
      /^okra_ready\{condition="worker, polls"\} 1/,
      /^okra_watch_lag_seconds\{kind="Cell"\} /,
    ];
    for (const line of counted) expect(lines).toContainEqual(expect.stringMatching(line));
    // The others begin with the first failure, and the first workflow that leaves the cache.
    const page = await readFile(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| `(temporal_\w+)`/gm)].map(([, name = '']) => name);
    const always = documented.filter((name) => !/fail|eviction/.test(name));
    for (const name of always) await untilTold(ofTemporal, new RegExp(`^${name}(_bucket)?\\{`));
    await untilTold(ofTemporal, /^temporal_request_total\{.*operation="RespondActivityTaskCompleted"/);
    const rule = await stage.rule(priority);
    const TargetGroups = [{ TargetGroupArn: stage.arns.get('metricsa'), Weight: 1 }];
    const Actions = [{ Type: 'forward' as const, ForwardConfig: { TargetGroups } }];
    await stage.elbv2.modifyRule({ RuleArn: rule?.RuleArn, Actions });
    await stage.signal('metrics', 'drifted');
    await stage.untilWeights({ metricsa: 80, metricsb: 20 }, priority);
    await untilTold(own, /^okra_drift_corrected_total\{type="AWSApplicationLoadBalancer"\} 1$/);
    // Told to end, it gives back what it holds, and has not failed.
    expect(await stage.okrad.end('SIGTERM')).toBe(0);
    const key = { namespace: stage.namespace, name: 'okra' };
    expect(await stage.kubernetes.get(LEASE, key)).toMatchObject({ spec: { holderIdentity: '' } });
    stage.okrad.start();
    await untilTold(own, held);
    await stage.signal('metrics', 'abort');
    await stage.untilPhase('metrics', 'Reverted', '1.0.0');
  });

  it('aborts a rollout by cancelling its workflow', async () => {
    await pausedAt20('cancel');
    await stage.temporal('workflow', 'cancel', '--workflow-id', stage.workflowId('cancel'));
    const status = await stage.untilPhase('cancel', 'Reverted', '1.0.0');
    expect(status.blockedVersions).toMatchObject([
      { version: '2.0.0', cause: 'Aborted by Temporal cancel.' },
    ]);
    expect(await stage.weights(priority)).toMatchObject({ cancela: 100 });
    expect((await stage.writes()).at(2)).toEqual({ cancela: 80, cancelb: 20 });
    expect((await stage.writes()).at(3)).toEqual({ cancela: 100, cancelb: 0 });
    await stage.okrad.end('SIGTERM');
    stage.okrad.start();
    // What is started again finds the version blocked.
    await stage.apply(stage.cell('cancel', { priority, role: 'cancel', steps: [{ setWeight: 40 }] }));
    await stage.untilAtRest('cancel');
    expect((await stage.status('cancel')).phase).toBe('Reverted');
    expect(await stage.weights(priority)).toMatchObject({ cancela: 100 });
  });

  it('has a rollout held where it is by terminating its workflow, until someone resumes it', async () => {
    await pausedAt20('terminate');
    await stage.mark();
    const id = stage.workflowId('terminate');
    await stage.temporal('workflow', 'terminate', '--workflow-id', id, '--reason', 'it is Friday');
    await stage.untilClosed(id);
    // The watchers start what they find under way.
    await stage.okrad.end('SIGTERM');
    stage.okrad.start();
    const held = await stage.untilStatus(
      'terminate',
      'held after the termination',
      ({ phase, message = '' }) => phase === 'Paused' && message.includes('terminated'),
    );
    expect(held.message).toMatch(
      /^Paused by Temporal: the run was terminated by \S+ \(it is Friday\) at its present weight\. Send resume to continue\.$/,
    );
    expect(held).toMatchObject({ canaryWeight: 20, stableVersion: '1.0.0', desiredVersion: '2.0.0' });
    // Nor does anything else than a resume let it continue.
    await stage.signal('terminate', 'changed');
    await stage.kubectl('patch', 'cell', 'terminate', '--type=merge', '-p', '{"spec":{"settle":"1s"}}');
    await stage.untilStatus('terminate', 'seen again', (status) => status.observedGeneration === 2);
    expect(await stage.weights(priority)).toEqual({ terminatea: 80, terminateb: 20 });
    expect(await stage.writes()).toEqual([]);
    await stage.signal('terminate', 'resume', { by: 'ann' });
    // It has gone back to the first step that is not below its weight, whose pause is still ahead.
    await stage.untilStatus(
      'terminate',
      'at its pause step',
      ({ phase, message = '' }) => phase === 'Paused' && message.startsWith('Waiting for resume'),
    );
    await stage.signal('terminate', 'resume', { by: 'ann' });
    await untilPausedAt('terminate', 40);
  });

  it('is understood, though what was sent along cannot be read', async () => {
    await pausedAt20('garbled');
    await stage.signal('garbled', 'changed', unreadable);
    await stage.signal('garbled', 'abort', unreadable);
    const status = await stage.untilPhase('garbled', 'Reverted', '1.0.0');
    expect(status.blockedVersions?.[0]?.cause).toBe('Aborted by an operator.');
    expect((await stage.writes()).at(-1)).toEqual({ garbleda: 100, garbledb: 0 });
  });

  it('is told the right names after a signal that nobody knows, and is heard afterwards', async () => {
    await pausedAt20('typo');
    await stage.signal('typo', 'stop', unreadable);
    await stage.signal('typo', 'rollback', { by: 'ann' });
    const told = await until('both to be told', async () => {
      const events = (await stage.events('typo')).filter(({ reason }) => reason === 'UnknownSignal');
      return events.length === 2 && events;
    });
    expect(told.map(({ type }) => type)).toEqual(['Warning', 'Warning']);
    const names = 'pause, resume, promote, promoteFull, abort, retry, approve';
    expect(told.map(({ note }) => note).toSorted()).toEqual(
      ['rollback', 'stop'].map((name) => `Ignored the unknown signal "${name}". Send one of ${names}.`),
    );
    expect(await stage.weights(priority)).toEqual({ typoa: 80, typob: 20 });
    await stage.signal('typo', 'abort');
    await stage.untilPhase('typo', 'Reverted', '1.0.0');
  });
});
