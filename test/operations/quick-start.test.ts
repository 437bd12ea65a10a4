import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { installDefinitions } from '../../local/install-definitions.ts';
import { recordIn, writeRecord } from '../../local/stack-record.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { componentSets } from '../../local/tools.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** What the page has people type on their machine, after the shell that the stack is in. */
async function typed(): Promise<string> {
  const page = await readFile(join(root, 'docs/quick-start.md'), 'utf8');
  const [here = ''] = page.split('\n## With your clusters');
  const [, ...blocks] = [...here.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  return blocks.join('\n');
}

/** The environment of that shell, with a stand-in for `aws` in its path. */
async function environmentIn(stack: Stack): Promise<NodeJS.ProcessEnv> {
  const { dir, environment } = stack;
  const record = recordIn(stack);
  await writeRecord(record, stack);
  const aws = join(dir, 'aws');
  await writeFile(
    aws,
    `#!/bin/sh\nexec "${process.execPath}" "${import.meta.dirname}/quick-start/aws.ts" "$@"\n`,
  );
  await chmod(aws, 0o755);
  const PATH = [dir, join(root, 'node_modules/.bin'), environment['PATH']].join(':');
  const { built } = inject('stack');
  return {
    ...process.env,
    ...environment,
    PATH,
    OKRA_STACK: record,
    OKRA_WORKFLOW_BUNDLE: built.workflowBundle,
  };
}

describe('the quick start', () => {
  it('leads from nothing to a rollout that is resumed, paused, aborted, tried again and promoted', async () => {
    // Nothing is analysed, so that the kinds of Argo Rollouts, which are large, can be left out.
    const components = componentSets.demo.filter((name) => name !== 'argo-rollouts');
    await using stack = await startStack({ components });
    await installDefinitions(stack);
    const log = join(stack.dir, 'okrad.log');
    const text = (await typed()).replace('> okrad.log', `> ${log}`);
    const script = `set -euo pipefail\ncd "${root}"\ntrap 'kill %1 || cat ${log} >&2' EXIT\n${text}`;
    const { stdout } = await run('bash', ['-c', script], {
      env: await environmentIn(stack),
      timeout: 400_000,
    });
    expect(stdout).toContain('2.0.0 is blocked: Aborted by me: errors in checkout');
    expect(stdout).toMatch(
      /1\.0\.0 → 2\.0\.0 Completed\n.* 1\.0\.0 → 2\.0\.0 Reverted\n.* → 1\.0\.0 Installed/,
    );
  });
});
