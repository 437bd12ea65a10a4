import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { aCell } from './testing/objects.ts';
import { runOkractl } from './testing/shell.ts';

const script = async (shell: string): Promise<string> => (await runOkractl(['completion', shell])).out;

describe('the completion in bash', () => {
  it('offers what okractl says, without descriptions and what kubectl alone needs', async () => {
    const asked = `
okractl() { echo "$# words"; printf 'abort\\tTakes everything back\\nweb app\\n:4\\n'; }
COMP_WORDS=(okractl get ''); COMP_CWORD=2; _okractl
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['-c', `${await script('bash')}${asked}`], { encoding: 'utf8' });
    expect(out).toBe('4 words\nabort\nweb app\n');
  });
});

describe('the completion in other shells', () => {
  it.each(['zsh', 'fish'])('of %s asks okractl', async (shell) =>
    expect(await script(shell)).toContain('okractl __complete -- '),
  );

  it('is refused for a shell that is not known', async () => {
    expect(await runOkractl(['completion', 'csh'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('what is offered to shells and to kubectl', () => {
  const objects = [aCell(), { ...aCell(), metadata: { name: 'other', namespace: 'shop' } }];
  it.each<[readonly string[], readonly string[]]>([
    [['ab'], ['abort\tShifts all traffic back to the stable version and blocks the new one']],
    [['abort', ''], ['web']],
    [['approve', ''], ['web']],
    [['abort', '-n', 'shop', ''], ['other']],
    [['--namespace=shop', 'abort', ''], ['other']],
    [['abort', '--reason', 'errors', 'w'], ['web']],
    [['get', 'cel'], ['cells']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['create', ''], ['analysisrun']],
    [['rollback', 'web', '--to'], ['--to']],
    [['--kube'], ['--kubeconfig']],
    [['nothing', ''], []],
  ])('offers for %j %j, and no files', async (words, offers) => {
    const { out, err, code } = await runOkractl(['__complete', '--', ...words], { objects });
    expect([out.trimEnd().split('\n'), err, code]).toEqual([[...offers, ':4'], '', 0]);
  });

  it('offers no names where they cannot be read', async () => {
    const { out, code } = await runOkractl(['__complete', '--', 'abort', ''], { isUnreachable: true });
    expect([out, code]).toEqual([':4\n', 0]);
  });
});
