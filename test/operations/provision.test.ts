import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { provision } from '../../local/provision.mjs';

const run = promisify(execFile);
const bootstrap = fileURLToPath(new URL('../../local/bootstrap.mjs', import.meta.url));

let root = '';
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'okra-provision-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** An environment with an empty cache, in which no Go module can be had. */
const offline = () => ({
  ...process.env,
  XDG_CACHE_HOME: join(root, 'cache'),
  GOMODCACHE: join(root, 'modules'),
  GOPROXY: 'off',
  KUBEBUILDER_ASSETS: '',
});

describe('provision', () => {
  it('shows the end of what the compiler said when a build fails, and keeps nothing of it', async () => {
    const failed = provision(['kwok'], { env: offline(), say: () => undefined });
    await expect(failed).rejects.toThrow(
      /ended with status 1:\n(.*\n)*.*GOPROXY=off[^]*Run the same command again/,
    );
    expect(readdirSync(join(root, 'cache', 'okra'))).toEqual([]);
  });

  it('stops the other builds when one fails', async () => {
    const lines: string[] = [];
    const failed = provision(['kwok', 'etcd', 'temporal'], {
      env: offline(),
      say: (line) => lines.push(line),
    });
    await expect(failed).rejects.toThrow('GOPROXY=off');
    expect(lines.filter((line) => /^building \d of 3: /.test(line)).length).toBeLessThan(3);
  });
});

describe('npm run demo on a machine that lacks something', () => {
  it('says early that Go and Python are missing, and what to do, before it does anything', async () => {
    symlinkSync(process.execPath, join(root, 'node'));
    const env = { ...offline(), PATH: root };
    const ended = await run(process.execPath, [bootstrap, 'demo'], { env }).catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Expected Go 1.26.1 or newer') });
    expect(ended).toMatchObject({ stderr: expect.stringContaining('https://go.dev/dl') });
    expect(ended).toMatchObject({ stderr: expect.stringContaining('Expected Python 3.10.0 or newer') });
    expect(existsSync(join(root, 'cache'))).toBe(false);
  });

  it.each([
    [
      'demo',
      ['--fast'],
      'Expected no arguments, --keep, --discovery, --staged, --applications or --on-stack, got --fast.',
    ],
    ['stack', ['--rum', 'x'], "Unknown option '--rum'"],
    ['bench', ['--clusters', '2'], 'Expected --clusters to be a whole number from 3 to 100, got 2.'],
  ])('refuses a wrong argument of %s before it looks for anything', async (command, args, want) => {
    symlinkSync(process.execPath, join(root, 'node'));
    const env = { ...offline(), PATH: root };
    const ended = await run(process.execPath, [bootstrap, command, ...args], { env }).catch(
      (error: unknown) => error,
    );
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(want) });
    expect(ended).toMatchObject({ stderr: expect.stringContaining(`Usage: npm run ${command}`) });
    expect(ended).toMatchObject({ stderr: expect.not.stringContaining('Expected Go') });
    expect(existsSync(join(root, 'cache'))).toBe(false);
  });

  it('explains a command without setting anything up', async () => {
    const { stderr } = await run(process.execPath, [bootstrap, 'demo', '--help'], { env: offline() });
    expect(stderr).toContain('Usage: npm run demo');
    expect(existsSync(join(root, 'cache'))).toBe(false);
  });

  it('refuses a command that it does not know', async () => {
    const ended = await run(process.execPath, [bootstrap, 'dance']).catch((error: unknown) => error);
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Expected demo, test, stack or bench, got dance.'),
    });
  });
});
