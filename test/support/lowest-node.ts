import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import semver from 'semver';
import { cached, cacheRoot } from '../../local/cache.mjs';

const run = promisify(execFile);

/** Fetches the lowest Node.js that `engines` allows, as the npm registry has it for this platform, and answers with its path. */
export async function fetchLowestNode(): Promise<string> {
  const { engines } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const version = semver.minVersion(engines.node)?.version ?? '';
  const folder = join(cacheRoot(process.env), `node-${version}`);
  await cached({ folder, say: () => undefined }, async (draft) => {
    const name = `node-${process.platform}-${process.arch}@${version}`;
    const { stdout } = await run('npm', ['pack', '--silent', name], { cwd: draft });
    await run('tar', ['-xzf', stdout.trim(), '--strip-components=1', 'package/bin/node'], { cwd: draft });
  });
  return join(folder, 'bin/node');
}
