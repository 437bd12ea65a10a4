import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Pod } from './pod.ts';
import { jobRunner, STARTED_ANNOTATION } from './runner.ts';

/** A pod that writes a line each time that it is run, and what a runner writes to it. */
function aPod() {
  const folder = mkdtempSync(join(tmpdir(), 'okra-runner-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs');
  let pod: Pod = {
    metadata: { name: 'smoke', namespace: 'shop', uid: 'u' },
    spec: { containers: [{ name: 'job', image: 'a', command: ['/bin/sh', '-c', `echo run >>${file}`] }] },
    status: { phase: 'Running' },
  };
  const patches: object[] = [];
  const patch: KubernetesClient['patch'] = (_kind, _key, merge) => {
    patches.push(merge);
    const { metadata = {}, status } = merge as Partial<Pod>;
    pod = { ...pod, metadata: { ...pod.metadata, ...metadata }, ...(status === undefined ? {} : { status }) };
    return Promise.resolve(pod as never);
  };
  const runs = (): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const runner = () => jobRunner({ patch }, pino({ level: 'silent' }));
  return { now: () => pod, patches, runs, runner };
}

describe('the runner of Jobs', () => {
  it('marks a pod before it runs its command, and says how it ended', async () => {
    const { now, patches, runs, runner } = aPod();
    const own = runner();
    await Promise.all([own.look(now()), own.look(now())]);
    expect(patches).toMatchObject([
      { metadata: { annotations: { [STARTED_ANNOTATION]: expect.any(String) as string } } },
      { status: { phase: 'Succeeded' } },
    ]);
    expect(runs()).toBe('run\n');
  });

  it('runs nothing again that a runner before it has started, and says that it is lost', async () => {
    const { now, runs, runner } = aPod();
    await runner().look(now());
    const before = { ...now(), status: { phase: 'Running' } };
    await runner().look(before);
    expect(runs()).toBe('run\n');
    expect(now().status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
  });

  it('starts nothing in a pod that was deleted while it was marked', async () => {
    const { now, runs, runner } = aPod();
    const own = runner();
    const looking = own.look(now());
    own.remove('u');
    await looking;
    expect(runs()).toBe('');
  });
});
