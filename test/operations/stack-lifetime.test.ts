import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, inject, it } from 'vitest';

import { startStack } from '../../local/stack.ts';
import { expectAllGone, startOwner } from '../support/stack-owner.ts';

const run = promisify(execFile);
// The API server, whose etcd ends with it, takes the reaper's whole patience; one case with it, and all others, is enough.
const large = ['kube-apiserver', 'temporal', 'elbv2-proxy'];
const small = ['etcd'];
const stay = 'setInterval(() => undefined, 1000);';
const stackMain = fileURLToPath(new URL('../../local/stack-main.ts', import.meta.url));

// Each waits for processes of its own.
describe.concurrent('a stack whose owner ends', () => {
  it.each([
    ['SIGKILL', large, 5],
    ['SIGTERM', small, 1],
    ['SIGINT', small, 1],
    ['SIGHUP', small, 1],
  ] as const)('ends with an owner that dies of %s', async (signal, components, count) => {
    const owner = await startOwner(components, stay);
    expect(owner.pids).toHaveLength(count);
    owner.child.kill(signal);
    await owner.exited;
    await expectAllGone(owner);
  });

  it('ends with an owner that calls process.exit', async () => {
    const owner = await startOwner(['etcd'], 'process.exit(0);');
    expect(owner.pids).toHaveLength(1);
    await expectAllGone(owner);
  });

  it('ends with an owner that throws', async () => {
    const owner = await startOwner(
      ['etcd'],
      'console.error = () => {}; process.exitCode = 1; await Promise.reject(5);',
    );
    expect(owner.pids).toHaveLength(1);
    expect(await owner.exited).toEqual({ code: 1, signal: null });
    await expectAllGone(owner);
  });

  it('does not keep an owner alive that has nothing left to do', async () => {
    const owner = await startOwner(['etcd'], '');
    expect(owner.pids).toHaveLength(1);
    expect(await owner.exited).toEqual({ code: 0, signal: null });
    await expectAllGone(owner);
  });

  it('ends though a component is stopped like by Ctrl-Z', async () => {
    const owner = await startOwner(['etcd'], stay);
    expect(owner.pids).toHaveLength(1);
    for (const pid of owner.pids) process.kill(pid, 'SIGSTOP');
    owner.child.kill('SIGKILL');
    await expectAllGone(owner);
  });
});

describe('startStack', () => {
  it('removes its temporary folder and frees nothing twice when it is stopped twice', async () => {
    const stack = await startStack({ components: ['etcd'] });
    expect(existsSync(stack.dir)).toBe(true);
    await Promise.all([stack.stopAll(), stack.stopAll()]);
    expect(existsSync(stack.dir)).toBe(false);
  });

  it('refuses the address of a part that it was told not to run', async () => {
    await using stack = await startStack({ components: ['etcd'] });
    expect(() => stack.temporal).toThrow('Expected a stack with temporal');
  });

  it('stops what was started when it is given up', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'okra-given-up-'));
    const giveUp = new AbortController();
    const log = (): void => giveUp.abort(new Error('changed my mind'));
    await expect(startStack({ dir, log, signal: giveUp.signal })).rejects.toThrow('changed my mind');
    expect((await run('ps', ['-eo', 'args'])).stdout).not.toContain(dir);
    rmSync(dir, { recursive: true });
  });
});

describe('npm run stack', () => {
  it('runs a command against a fresh stack, which no other knows of, and exits with its status', async () => {
    const create = 'kubectl create configmap mine --from-literal=a=b >&2';
    const command = `${create} && kubectl get node okra-local -o name && test -f "$OKRA_STACK" && exit 7`;
    const ended: unknown = await run(process.execPath, [stackMain, '--run', command]).catch(
      (error: unknown) => error,
    );
    expect(ended).toMatchObject({ code: 7, stdout: 'node/okra-local\n' });
    const logs = /stay in (\S+)\./.exec(String(Object(ended).stderr))?.[1] ?? '';
    expect(existsSync(join(dirname(logs), 'kubeconfig'))).toBe(true);
    const env = { ...process.env, ...inject('stack').environment };
    const found = await run('kubectl', ['get', 'configmap', 'mine', '-o', 'name', '--ignore-not-found'], {
      env,
    });
    expect(found.stdout).toBe('');
  });
});
