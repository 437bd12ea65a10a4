import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, ConnectionLike } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { digest } from '../../clients/digest.ts';
import { AWS_TARGET_GROUP, CELL, LEASE } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import { connectTemporal } from '../../clients/temporal/temporal.ts';
import { loadConfig } from '../../config/config.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { installDefinitions } from '../../local/install-definitions.ts';
import { startOkrad, type Okrad } from '../../local/okrad.ts';
import { reservePorts } from '../../local/ports.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { watchedInput } from '../../domain/versions/watched.ts';
import { until } from '../support/until.ts';

const ELBV2 = 'arn:aws:elasticloadbalancing:eu-central-1:000000000000';
const NAMESPACE = 'default';

let stack: Stack;
let kubernetes: KubernetesClient;
let connection: ConnectionLike;
let temporal: Client;
let okrad: Okrad;
const ports = reservePorts();

// Servers are stopped under its feet here, so that this file has a stack of its own.
beforeAll(async () => {
  stack = await startStack({ components: ['kube-apiserver', 'temporal'] });
  kubernetes = connectKubernetes(stack.kubeconfig);
  const config = loadConfig(stack.environment);
  ({ connection, client: temporal } = await connectTemporal(config, { log: createLog('silent') }));
});

afterAll(async () => {
  await okrad?.end('SIGTERM');
  await connection?.close();
  await stack?.stopAll();
  await ports.release();
});

// A test that fails may have left one of them ended.
afterEach(async () => {
  for (const server of ['kube-apiserver', 'temporal']) await stack.start(server);
});

/** Starts the watchers alone: no worker answers, so that what they start stays as they started it. */
function watchers(name: string, healthPort?: number): Okrad {
  return startOkrad({
    components: 'watchers',
    log: join(stack.logs, `${name}.log`),
    program: inject('stack').built.okrad,
    environment: {
      ...stack.environment,
      OKRA_IDENTITY: name,
      ...(healthPort === undefined ? {} : { OKRA_HEALTH_PORT: String(healthPort) }),
    },
  });
}

/** What okrad says when it is asked whether it is ready. */
async function readiness(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
  return (await response?.text()) ?? 'no answer';
}

async function applyGroup(name: string, role: string, version = '1.0.0'): Promise<AWSTargetGroup> {
  return await kubernetes.apply<AWSTargetGroup>({
    apiVersion: API_VERSION,
    kind: 'AWSTargetGroup',
    metadata: { namespace: NAMESPACE, name, labels: { role, 'okra.mumo.co/version': version } },
    spec: { arn: `${ELBV2}:targetgroup/${name}/0123456789abcdef` },
  });
}

async function applyCell(name: string): Promise<Cell> {
  const spec = {
    ingress: {
      type: 'AWSApplicationLoadBalancer',
      awsApplicationLoadBalancer: {
        listenerARN: `${ELBV2}:listener/app/a/0123456789abcdef/0123456789abcdef`,
        listener: { rule: { priority: 10, hosts: ['example.com'], forward: {} } },
        targetGroupSelector: { matchLabels: { role: name } },
      },
    },
  };
  const cell = { apiVersion: API_VERSION, kind: 'Cell', metadata: { namespace: NAMESPACE, name }, spec };
  return await kubernetes.apply(cell as unknown as Cell);
}

/** Plays a rollout that has looked at all there is and found nothing left to do. */
async function settle(name: string): Promise<void> {
  const key = { namespace: NAMESPACE, name };
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined) throw new Error(`Expected Cell ${name}, got none.`);
  const groups = await kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: NAMESPACE });
  const status = { phase: 'Completed', observedHash: digest(watchedInput(cell, groups)) };
  await kubernetes.patch(CELL, key, { status }, { subresource: 'status' });
  await temporal.workflow.getHandle(`cell/default/${name}`).terminate('settled');
}

/** The run of a workflow that continues now, with how often it was told to look again. */
async function running(workflowId: string): Promise<{ runId: string; signals: number } | undefined> {
  const handle = temporal.workflow.getHandle(workflowId);
  const found = await handle.describe().catch(() => undefined);
  if (found?.status.name !== 'RUNNING') return undefined;
  const { events = [] } = await handle.fetchHistory();
  const signals = events?.filter((event) => Boolean(event.workflowExecutionSignaledEventAttributes)).length;
  return { runId: found.runId, signals: signals ?? 0 };
}

const runOf = async (cell: string) =>
  await until(`a rollout of ${cell}`, async () => await running(`cell/default/${cell}`));

/** Waits until the watchers have seen everything up to now: a Cell made now has reached Temporal. */
async function caughtUp(marker: string): Promise<void> {
  await applyCell(marker);
  await runOf(marker);
}

async function holder(): Promise<string | undefined> {
  const lease = await kubernetes.get<{ spec: { holderIdentity?: string } }>(LEASE, {
    namespace: NAMESPACE,
    name: 'okra',
  });
  return lease?.spec.holderIdentity;
}

const logged = async (name: string, event: string) =>
  await until(`${name} to log '${event}'`, async () =>
    (await readFile(join(stack.logs, `${name}.log`), 'utf8').catch(() => '')).includes(`"msg":"${event}"`),
  );

// Each continues from where the one before has left the cluster: the watchers live as long as these do.
describe('the watchers', { concurrent: false }, () => {
  it('wait for CRDs that are not installed yet', async () => {
    const port = await ports.reserve();
    okrad = watchers('first', port);
    await logged('first', 'watch failed, trying again');
    expect(await readiness(port)).toMatch(/^waiting for watchers, kinds: not listed yet: Cell, [^\n]*\n$/);
    await installDefinitions(stack);
    await applyGroup('web1', 'web');
    await applyCell('web');
    const { signals } = await runOf('web');
    expect(signals).toBeGreaterThanOrEqual(1);
  });

  it('show in Temporal what a workflow works for', async () => {
    const found = await temporal.workflow.getHandle('cell/default/web').describe();
    expect(found.type).toBe('cellRollout');
    expect(found.taskQueue).toBe('okra');
    expect(await found.staticSummary()).toBe('Cell default/web');
    const attributes = found.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
    expect(Object.fromEntries(attributes)).toMatchObject({
      OkraKind: 'Cell',
      OkraNamespace: 'default',
      OkraCell: 'web',
    });
  });

  it('give the lease back when they are told to end', async () => {
    expect(await holder()).toBe('first');
    await okrad.end('SIGTERM');
    expect(await holder()).toBe('');
  });

  it('start nothing for an unchanged Cell after a restart', async () => {
    await settle('web');
    okrad = watchers('second');
    await logged('second', 'watching');
    await caughtUp('marker-1');
    expect(await running('cell/default/web')).toBeUndefined();
  });

  it('tell a Cell of a target group that went while they were down', async () => {
    await okrad.end('SIGTERM');
    await kubernetes.delete(AWS_TARGET_GROUP, { namespace: NAMESPACE, name: 'web1' });
    okrad = watchers('third');
    await runOf('web');
  });

  it('tell a workflow that its Cell went while they were down', async () => {
    const before = await runOf('marker-1');
    await okrad.end('SIGTERM');
    await kubernetes.delete(CELL, { namespace: NAMESPACE, name: 'marker-1' });
    okrad = watchers('fourth');
    await until('the rollout of marker-1 to be told', async () => {
      const now = await running('cell/default/marker-1');
      return now !== undefined && now.signals > before.signals;
    });
  });

  it('continue after a restart of the API server', async () => {
    await settle('web');
    await stack.restart('kube-apiserver');
    await applyGroup('web2', 'web');
    await runOf('web');
  });

  it('continue after the API server was killed', async () => {
    await settle('web');
    await stack.kill('kube-apiserver', 'SIGKILL');
    await stack.start('kube-apiserver');
    await applyGroup('web2', 'web', '1.1.0');
    await runOf('web');
  });

  it('lose no message while Temporal is down', async () => {
    await settle('web');
    await stack.stop('temporal');
    await applyGroup('web2', 'web', '1.2.0');
    await logged('fourth', 'workflow not reached, trying again');
    await stack.start('temporal');
    await runOf('web');
  });

  it('make one message of a storm of events', async () => {
    const before = await runOf('web');
    for (let n = 0; n < 50; n += 1) await applyGroup('web2', 'web', `2.0.${n}`);
    await caughtUp('marker-2');
    const after = await runOf('web');
    expect(after.runId).toBe(before.runId);
    expect(after.signals - before.signals).toBeGreaterThanOrEqual(1);
    expect(after.signals - before.signals).toBeLessThanOrEqual(50);
  });

  it('are taken over by a standby when they are killed', async () => {
    await settle('web');
    const port = await ports.reserve();
    await using standby = watchers('standby', port);
    await logged('standby', 'standing by');
    expect(await readiness(port)).toBe('ok\n');
    await okrad.end('SIGKILL');
    await applyGroup('web3', 'web');
    await until('the standby to lead', async () => (await holder()) === 'standby');
    await runOf('web');
    await standby.end('SIGTERM');
    expect(await holder()).toBe('');
  });
});
