import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startReaper } from '../reaper.ts';
import { outputOf } from '../run.mjs';

/** A Git repository on this machine. */
export interface Repository extends AsyncDisposable {
  readonly url: string;
  /** Writes files, by their paths, to the branch `main`. */
  commit(files: Readonly<Record<string, object>>): Promise<void>;
}

/** Whose commits they are; nothing of the user's own settings counts. */
const settings = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Okra',
  GIT_AUTHOR_EMAIL: 'okra@example.com',
  GIT_COMMITTER_NAME: 'Okra',
  GIT_COMMITTER_EMAIL: 'okra@example.com',
};

/** Makes a Git repository in a temporary folder, which goes when it is disposed. */
export async function makeRepository(): Promise<Repository> {
  const dir = await mkdtemp(join(tmpdir(), 'okra-repository-'));
  const git = (...args: readonly string[]): Promise<string> =>
    outputOf('git', args, { cwd: dir, env: { PATH: process.env['PATH'], ...settings } });
  // Takes the folder along, also when this process is killed.
  const reaper = startReaper(dir);
  await git('init', '--quiet', '--initial-branch=main');
  return {
    url: pathToFileURL(dir).href,
    async commit(files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(dir, path);
        await mkdir(dirname(file), { recursive: true });
        // Every JSON is YAML.
        await writeFile(file, JSON.stringify(content));
      }
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'Change manifests');
    },
    [Symbol.asyncDispose]: reaper.close,
  };
}
