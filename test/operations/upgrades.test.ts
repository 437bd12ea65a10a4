import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { reservePorts } from '../../local/ports.ts';
import type { Okrad } from '../../local/okrad.ts';
import { Stage } from '../support/stage/stage.ts';
import { makeCurrent, resume, startVersion, untilOn, versionOf } from './upgrades/versions.ts';

describe('a worker that has versions', () => {
  let stage: Stage;
  const codec = join(import.meta.dirname, '../../docs/examples/aes-gcm-codec.mjs');
  let keys = '';
  let next: Okrad | undefined;
  const ports = reservePorts();
  const deployment = `upgrades-${process.pid}`;
  beforeAll(async () => {
    keys = await mkdtemp(join(tmpdir(), 'okra-keys-'));
    await writeFile(join(keys, 'first'), randomBytes(32).toString('base64'));
    vi.stubEnv('OKRA_CODEC_KEYS', keys);
    vi.stubEnv('OKRA_CODEC_KEY', 'first');
    const encrypted = { OKRA_PAYLOAD_CODEC: codec, OKRA_CODEC_KEYS: keys, OKRA_CODEC_KEY: 'first' };
    const environment = { ...versionOf(deployment, 'one'), ...encrypted };
    stage = await Stage.open(inject('stack'), environment, { endsOkrad: true });
    await makeCurrent(stage, deployment, 'one');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await next?.end('SIGTERM');
    await stage.close();
    await ports.release();
    await rm(keys, { recursive: true });
  });

  it('passes its gate, by which the Worker Controller finds that it can work', async () => {
    const gate = ['--type', 'versionGate', '--workflow-id', `test-${deployment}:one`];
    const queue = ['--task-queue', stage.namespace];
    const said = await stage.temporal('workflow', 'execute', ...gate, ...queue, '--output', 'json');
    expect(JSON.parse(said)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.writes()).toEqual([]);
  });

  it('has a rollout in a pause continue on the version that became current, and writes nothing meanwhile', async () => {
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
    expect((await stage.desk.run(stage.workflowId('web'))).build).toBe('one');
    await stage.mark();
    next = await startVersion(stage, await ports.reserve(), versionOf(deployment, 'two'));
    await makeCurrent(stage, deployment, 'two');
    await untilOn(stage, 'web', 'two');
    await stage.okrad.end('SIGTERM');
    expect((await stage.status('web')).phase).toBe('Paused');
    expect(await stage.writes()).toEqual([]);
    expect(await resume(stage, 'web', codec)).toBe('Taken');
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
