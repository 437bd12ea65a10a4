import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { aCell } from './testing/objects.ts';
import { completeOkra, runOkractl } from './testing/shell.ts';

const script = async (shell: string): Promise<string> => (await runOkractl(['completion', shell])).out;

/** What bash would offer for the words so far. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const asked = `
okractl() { echo cell/web; echo cell/api; }
COMP_WORDS=(okractl ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _okractl
echo "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', `${await script('bash')}${asked}`], { encoding: 'utf8' });
  return out.trim().split(' ');
}

describe('the completion in bash', () => {
  it.each([
    [['ab'], ['abort']],
    [['abort', 'a'], ['api']],
    [['approve', 'a'], ['api']],
    [['get', 'cel'], ['cells']],
    [
      ['rollback', 'web', '--t'],
      ['--to', '--temporal-address', '--temporal-namespace'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
  ])('offers for %j %j', async (words, offers) => expect(await offered(...words)).toEqual(offers));
});

describe('the completion in other shells', () => {
  it.each([
    ['zsh', "'abort:Takes everything back to the stable version and blocks the new one'"],
    [
      'fish',
      "complete -c okractl -n '__fish_seen_subcommand_from unfreeze' -f -a '(okractl get freezes -o name",
    ],
  ])('of %s knows the commands', async (shell, line) => expect(await script(shell)).toContain(line));

  it('is refused for a shell that is not known', async () => {
    expect(await runOkractl(['completion', 'csh'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('the completion of kubectl for its plugin', () => {
  const objects = [aCell(), { ...aCell(), metadata: { name: 'other', namespace: 'shop' } }];
  it.each<[readonly string[], readonly string[]]>([
    [['ab'], ['abort\tTakes everything back to the stable version and blocks the new one']],
    [['abort', ''], ['web']],
    [['approve', ''], ['web']],
    [['abort', '-n', 'shop', ''], ['other']],
    [['--namespace=shop', 'abort', ''], ['other']],
    [['abort', '--reason', 'errors', 'w'], ['web']],
    [['get', 'cel'], ['cells']],
    [['rollback', 'web', '--to'], ['--to']],
    [['--kube'], ['--kubeconfig']],
    [['nothing', ''], []],
  ])('offers for %j %j, and no files', async (words, offers) => {
    const { out, err, code } = await completeOkra(words, { objects });
    expect([out.trimEnd().split('\n'), err, code]).toEqual([[...offers, ':4'], '', 0]);
  });

  it('offers no names where they cannot be read', async () => {
    const { out, code } = await completeOkra(['abort', ''], { isUnreachable: true });
    expect([out, code]).toEqual([':4\n', 0]);
  });
});
