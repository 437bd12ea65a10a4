import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runPod, statusOf, type Pod } from './pod.ts';

const aPod = (container: object): Pod => ({
  metadata: { name: 'smoke', namespace: 'shop', uid: 'u' },
  spec: { containers: [{ name: 'job', image: 'a', ...container }] },
});
const shell = (script: string): Pod =>
  aPod({ command: ['/bin/sh', '-c'], args: [script], env: [{ name: 'LEVEL', value: 'full' }] });

describe('the command of a pod', () => {
  it.each<[string, Pod, object]>([
    ['ends as it ends', shell('echo done; exit 3'), { exitCode: 3, message: 'done\n' }],
    ['has the variables of the pod', shell('echo "$LEVEL"'), { exitCode: 0, message: 'full\n' }],
    [
      'has no others',
      shell('env | cut -d= -f1 | grep -v "^PWD$\\|^_$\\|^SHLVL$\\|^OLDPWD$" | sort'),
      { exitCode: 0, message: 'HOME\nLEVEL\nPATH\n' },
    ],
    [
      'that is no program says so',
      aPod({ command: ['/no/such/program'] }),
      { exitCode: 127, message: expect.stringContaining('ENOENT') as string },
    ],
    [
      'has to be written, as there are no images',
      aPod({}),
      { exitCode: 127, message: expect.stringContaining('Expected a command, got none') as string },
    ],
  ])('%s', async (_, pod, ended) => expect(await runPod(pod).ended).toEqual(ended));

  it('runs in a folder of its own, which goes with it', async () => {
    const { message } = await runPod(shell('pwd')).ended;
    expect(message).toMatch(/okra-job-/);
    expect(existsSync(message.trim())).toBe(false);
  });

  it('is stopped', async () => {
    const running = runPod(aPod({ command: ['/bin/sleep', '300'] }));
    running.stop();
    expect((await running.ended).exitCode).not.toBe(0);
  });

  it.each([
    [0, 'Succeeded', 'Completed'],
    [3, 'Failed', 'Error'],
  ])('that ends with %i makes a pod that has %s', (exitCode, phase, reason) =>
    expect(statusOf(aPod({}), { exitCode, message: 'said' }, new Date(0))).toMatchObject({
      phase,
      containerStatuses: [{ name: 'job', state: { terminated: { exitCode, reason, message: 'said' } } }],
    }),
  );
});
