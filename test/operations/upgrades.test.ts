import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { connectOperator } from '../../clients/temporal/operator.ts';
import { reservePorts } from '../../local/ports.ts';
import { startOkrad, type Okrad } from '../../local/okrad.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('a worker that has versions', () => {
  let stage: Stage;
  const codec = join(import.meta.dirname, '../../docs/examples/aes-gcm-codec.mjs');
  let keys = '';
  let next: Okrad | undefined;
  const ports = reservePorts();
  const deployment = `upgrades-${process.pid}`;
  const versionOf = (build: string) => ({
    TEMPORAL_DEPLOYMENT_NAME: deployment,
    TEMPORAL_WORKER_BUILD_ID: build,
  });
  beforeAll(async () => {
    keys = await mkdtemp(join(tmpdir(), 'okra-keys-'));
    await writeFile(join(keys, 'first'), randomBytes(32).toString('base64'));
    vi.stubEnv('OKRA_CODEC_KEYS', keys);
    vi.stubEnv('OKRA_CODEC_KEY', 'first');
    const encrypted = { OKRA_PAYLOAD_CODEC: codec, OKRA_CODEC_KEYS: keys, OKRA_CODEC_KEY: 'first' };
    stage = await Stage.open(inject('stack'), { ...versionOf('one'), ...encrypted }, { endsOkrad: true });
    await makeCurrent('one');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await next?.end('SIGTERM');
    await stage.close();
    await ports.release();
    await rm(keys, { recursive: true });
  });

  /** Gives a version of the worker all new work, once Temporal knows of it. */
  const makeCurrent = (build: string): Promise<unknown> =>
    until(`${build} to be current`, () =>
      stage
        .temporal(
          'worker',
          'deployment',
          'set-current-version',
          '--deployment-name',
          deployment,
          '--build-id',
          build,
          '--yes',
        )
        .then(
          () => true,
          () => false,
        ),
    );

  const buildOf = (name: string): Promise<string | undefined> => stage.desk.buildOf(stage.workflowId(name));

  it('passes its gate, by which the Worker Controller finds that it can work', async () => {
    const gate = ['--type', 'versionGate', '--workflow-id', `test-${deployment}:one`];
    const queue = ['--task-queue', stage.namespace];
    const said = await stage.temporal('workflow', 'execute', ...gate, ...queue, '--output', 'json');
    expect(JSON.parse(said)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.writes()).toEqual([]);
  });

  it('has a rollout in a pause go on on the version that became current, and writes nothing meanwhile', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['a'], { role: 'web' });
    await stage.apply(stage.cell('web', { steps }));
    await stage.untilPhase('web', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['b'], { role: 'web' });
    const isPausedAt = (weight: number) =>
      stage.untilStatus(
        'web',
        `paused at ${weight}`,
        (status) => status.phase === 'Paused' && status.canaryWeight === weight,
      );
    await isPausedAt(20);
    expect(await buildOf('web')).toBe('one');
    await stage.mark();
    const port = await ports.reserve();
    next = startOkrad({
      log: join(stage.stack.logs, `okrad-${stage.namespace}-two.log`),
      environment: { ...stage.okrad.environment, ...versionOf('two'), OKRA_HEALTH_PORT: String(port) },
    });
    // It is ready before it is given work: that is what whoever makes it current waits for.
    await until('version two to be ready', () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    await makeCurrent('two');
    // Whoever sleeps looks up after ten minutes; a word wakes it at once.
    await until('the rollout to be on version two', async () => {
      await stage.signal('web', 'changed');
      return (await buildOf('web')) === 'two';
    });
    await stage.okrad.end('SIGTERM');
    expect((await stage.status('web')).phase).toBe('Paused');
    expect(await stage.writes()).toEqual([]);
    const operator = await connectOperator({ ...stage.stack.temporal, codec }, 'upgrades');
    const asked = await operator.ask(stage.workflowId('web'), 'resume', { by: 'ann', reason: 'looked at' });
    await operator.close();
    expect(asked.is).toBe('Taken');
    await isPausedAt(40);
    expect(await stage.writes()).toEqual([{ a: 60, b: 40 }]);
  });

  it('tells Temporal nothing in its payloads that can be read without the key', async () => {
    const histories = await stage.desk.histories(`OkraNamespace="${stage.namespace}"`);
    const payloads = histories.flatMap((history) => [...history.matchAll(/"data":"([^"]+)"/g)]);
    const plain = payloads.map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'));
    expect(plain.length).toBeGreaterThan(20);
    expect(plain.filter((text) => /arn:aws|targetGroup|setWeight/.test(text))).toEqual([]);
  });
});
