import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { survey } from './survey.mjs';

let root = '';
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'okra-survey-'))));
afterEach(() => rmSync(root, { recursive: true }));

function aTool(folder: string, name: string, prints: string): string {
  const path = join(root, folder, name);
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho '${prints}'\n`);
  chmodSync(path, 0o755);
  return path;
}

async function surveyIn(env: Record<string, string>, tool: string) {
  const lines: string[] = [];
  const found = await survey([tool], {
    env: { XDG_CACHE_HOME: join(root, 'cache'), ...env },
    say: (line) => lines.push(line),
  });
  return { path: found.executables[tool], missing: found.missing, lines };
}

describe('survey', () => {
  it('takes a fitting tool from the PATH before one from the cache', async () => {
    const installed = aTool('bin', 'etcd', 'etcd Version: 3.6.2');
    aTool('cache/okra/etcd-3.6.16', 'etcd', 'etcd Version: 3.6.16');
    expect((await surveyIn({ PATH: join(root, 'bin') }, 'etcd')).path).toBe(installed);
  });

  it('takes a fitting tool from KUBEBUILDER_ASSETS', async () => {
    const installed = aTool('assets', 'kube-apiserver', 'Kubernetes v1.36.0');
    expect((await surveyIn({ KUBEBUILDER_ASSETS: join(root, 'assets') }, 'kube-apiserver')).path).toBe(
      installed,
    );
  });

  it.each([
    ['etcd', 'etcd Version: 3.6.2'],
    ['kube-apiserver', 'Kubernetes v1.36.0'],
    ['temporal', 'temporal version 1.5.0 (Server 1.29.0, UI 2.42.0)'],
  ])('takes a fitting %s from OKRA_TOOLS before one from the PATH', async (name, prints) => {
    const chosen = aTool('tools', name, prints);
    aTool('bin', name, prints);
    const env = { OKRA_TOOLS: join(root, 'tools'), PATH: join(root, 'bin') };
    expect((await surveyIn(env, name)).path).toBe(chosen);
  });

  it('passes over a tool of another version, says why, and takes the cached one', async () => {
    const other = aTool('bin', 'etcd', 'etcd Version: 3.5.9');
    const built = aTool('cache/okra/etcd-3.6.16', 'etcd', 'etcd Version: 3.6.16');
    const { path, lines } = await surveyIn({ PATH: join(root, 'bin') }, 'etcd');
    expect(path).toBe(built);
    expect(lines).toEqual([`etcd: passing over ${other}, which is 3.5.9, wanted 3.6.x`]);
  });

  it('does not take the rollouts controller from the PATH, since its definitions have to come along', async () => {
    aTool('bin', 'rollouts-controller', 'v1.10.1');
    expect((await surveyIn({ PATH: join(root, 'bin') }, 'rollouts-controller')).missing).toEqual([
      'rollouts-controller',
    ]);
  });

  it('lists what is nowhere as missing', async () => {
    expect((await surveyIn({ PATH: join(root, 'bin') }, 'kwok')).missing).toEqual(['kwok']);
  });

  it('refuses a tool that it does not know', async () => {
    await expect(surveyIn({}, 'docker')).rejects.toThrow('got docker');
  });
});
