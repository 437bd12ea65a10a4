import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';

import { createListener, createTargetGroup, elbv2Of } from '../../local/aws-fixture.ts';
import type { Engine } from '../../local/containers/engine.ts';
import { NODE_ADDRESS } from '../../local/containers/node.ts';
import { compose, startServicesEngine } from '../../local/containers/services.ts';
import { targetGroupsFor } from '../../local/demo/objects.ts';
import { provision } from '../../local/provision.mjs';
import { cellThatPauses, weightsOf } from './web.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
// As docs/install.md has it.
const aws = { region: 'us-east-1', endpoint: 'http://127.0.0.1:4566' };

describe('docker-compose.yml', () => {
  const undo = new AsyncDisposableStack();
  const elbv2 = elbv2Of({ aws } as Parameters<typeof elbv2Of>[0]);
  let dir = '';
  let engine: Engine;
  let kubectlPath = '';
  let listenerARN = '';

  const inProject = (...args: readonly string[]): Promise<string> => engine.docker(...compose, ...args);
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    KUBECONFIG: join(dir, 'k3s.yaml'),
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
  });
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await run(kubectlPath, args, { env: environment() })).stdout;
  const cellIn = (phase: string): Promise<string> =>
    kubectl('wait', 'cell/web', `--for=jsonpath={.status.phase}=${phase}`, '--timeout=300s');
  const apply = async (object: object): Promise<void> => {
    const file = join(dir, 'object.json');
    await writeFile(file, JSON.stringify(object));
    await kubectl('apply', '-f', file);
  };
  const addVersion = async (version: string): Promise<void> => {
    const name = `web-${version.replaceAll('.', '-')}`;
    const { arn } = await createTargetGroup(elbv2, name);
    await apply(targetGroupsFor(version, [{ name, arn }]));
  };
  const served = (): ReturnType<typeof weightsOf> => weightsOf(elbv2, listenerARN);
  const explainFailure = (): void =>
    onTestFailed(async () => {
      const services = await inProject('ps', '--all').catch(String);
      const logs = await inProject('logs', '--no-color', '--tail=20').catch(String);
      process.stderr.write(`${services}\n${logs}\n`);
    });

  beforeAll(async () => {
    dir = await mkdtemp(join(process.env['OKRA_CONTAINERS'] ?? '', 'compose-'));
    kubectlPath = (await provision(['kubectl'], { env: process.env, say: () => undefined }))['kubectl'] ?? '';
    engine = undo.use(await startServicesEngine(dir, NODE_ADDRESS));
  });
  afterAll(() => undo.disposeAsync());

  it('is valid', async () => {
    const file = ['--project-directory', root, '--file', join(root, 'docker-compose.yml')];
    expect(await engine.docker('compose', ...file, 'config', '--quiet')).toBe('');
  });

  it('starts, and everything in it becomes healthy', async () => {
    explainFailure();
    await inProject('up', '--detach', '--wait', '--no-build', '--pull=never');
    await inProject('cp', 'k3s:/kubeconfig/admin.yaml', join(dir, 'k3s.yaml'));
    expect(await kubectl('get', 'crds', '-o', 'name')).toContain('cells.okra.mumo.co');
  });

  it('does a rollout', async () => {
    explainFailure();
    ({ listenerArn: listenerARN } = await createListener(elbv2, 'web'));
    await addVersion('1.0.0');
    await apply(cellThatPauses(listenerARN));
    await cellIn('Completed');
    await addVersion('2.0.0');
    await cellIn('Paused');
    expect(await served()).toEqual({ 'web-1-0-0': 80, 'web-2-0-0': 20 });
    await run(process.execPath, [join(root, 'cli/okractl.ts'), 'resume', 'web'], { env: environment() });
    await cellIn('Completed');
    expect(await served()).toMatchObject({ 'web-2-0-0': 100 });
  });

  it('leaves nothing', async () => {
    await inProject('down', '--volumes');
    const names = ['--format', '{{.Names}}'];
    expect(await engine.docker('ps', '--all', ...names)).toBe('');
    expect(await engine.docker('volume', 'ls', '--quiet')).toBe('');
    expect(await engine.docker('network', 'ls', '--filter', 'type=custom', '--quiet')).toBe('');
  });
});
