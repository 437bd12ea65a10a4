import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { aWorld } from '../dashboard/testing/world.ts';
import { okractl } from './program.ts';
import { aCell, paused } from './testing/objects.ts';
import type { Shell } from './shell.ts';

interface Running {
  readonly out: string[];
  readonly err: string[];
  readonly browsed: string[];
  readonly stop: () => void;
  readonly ended: Promise<unknown>;
}

/** Runs the command in a terminal, until it is stopped. */
function dashboard(words: readonly string[], mayListAll = true): Running {
  const interrupted = new AbortController();
  const { session } = aWorld({
    objects: [aCell(paused)],
    allowed: ({ verb, namespace }) => verb !== 'list' || namespace !== undefined || mayListAll,
  });
  const [out, err, browsed]: string[][] = [[], [], []];
  const shell: Shell = {
    print: (text) => void out!.push(text),
    warn: (text) => void err!.push(text),
    write: () => undefined,
    now: Date.now,
    isColoured: () => false,
    screen: { columns: () => 80, rows: () => 24 },
    signal: interrupted.signal,
    read: () => Promise.reject(new Error('Expected no file to be read.')),
    filesAt: () => Promise.resolve([]),
    session: ({ namespace }) => ({ ...session, namespace: namespace ?? 'shop' }),
    exitWith: () => undefined,
    confirm: undefined,
    browse: (url) => void browsed!.push(url),
  };
  const ended = okractl(shell, '1.2.3').parseAsync(['dashboard', ...words], { from: 'user' });
  return { out: out!, err: err!, browsed: browsed!, stop: () => interrupted.abort(), ended };
}

describe('okractl dashboard', () => {
  it('prints an address with a key, and opens it by a file, until it is interrupted', async () => {
    const { out, err, browsed, stop, ended } = dashboard([]);
    await until('the browser to be opened', async () => browsed.length > 0);
    const [base = '', key = ''] = out[0]!.split('/#key=');
    expect([base, key]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    expect(err).toEqual(['Anyone with this address can act with your permissions. Stop it with Ctrl+C.']);
    expect(await readFile(fileURLToPath(browsed[0]!), 'utf8')).toContain(out[0]!);
    const headers = { 'X-Okra-Dashboard': '1', Authorization: `Bearer ${key}` };
    const me = await fetch(`${base}/api/me`, { headers });
    expect(await me.json()).toMatchObject({ by: 'ann', version: '1.2.3', mayAct: true });
    stop();
    await ended;
    await expect(fetch(base)).rejects.toThrow('fetch failed');
    await expect(readFile(fileURLToPath(browsed[0]!))).rejects.toThrow('ENOENT');
  });

  it.each([
    ['of a namespace that is named', ['-n', 'web', '--no-open'], true, 'web'],
    ['of that of the context, where the person may not look into all', ['--no-open'], false, 'shop'],
  ])('shows the Cells %s', async (_, words, mayListAll, namespace) => {
    const { err, browsed, stop, ended } = dashboard(words, mayListAll);
    await until('the address', async () => err.length > 1);
    expect([err[0], browsed]).toEqual([`Showing the Cells of namespace ${namespace}.`, []]);
    stop();
    await ended;
  });
});
