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

/** The first block of a page of docs that is like this. */
async function blockOf(page: string, like: RegExp): Promise<string> {
  const [, block] = like.exec(await readFile(join(root, 'docs', page), 'utf8')) ?? [];
  if (block === undefined) throw new Error(`Expected docs/${page} to have a block like ${like}, it has not.`);
  return block;
}

/** An object of each kind that Okra keeps until it has tidied up, which it never will: nobody is there to take the finalizer off. */
const held = [
  { resource: 'cells', name: 'web' },
  { resource: 'stagedbindingpolicies', name: 'nginx-staged-bindingpolicy' },
];

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
  it('leads from nothing to a rollout that is resumed, paused, aborted, tried again and promoted, and the page on installing back', async () => {
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

    const hold = held.map(
      ({ resource, name }) =>
        `kubectl patch ${resource} ${name} --type=merge --patch '{"metadata":{"finalizers":["okra.mumo.co/held"]}}'`,
    );
    const staged = await blockOf('staged-binding-policy.md', /^```yaml\n([^`]*)^```/m);
    const apply = `kubectl apply -f - <<'END'\n${staged}END`;
    const removal = await blockOf('install.md', /^```\n((?:(?!```)[^])*?kubectl delete -k crds\n)/m);
    const removed = ['set -euo pipefail', `cd "${root}"`, apply, ...hold, removal].join('\n');
    await run('bash', ['-c', removed], { env: await environmentIn(stack), timeout: 100_000 });
    await expect(run('kubectl', ['get', 'cells'], { env: await environmentIn(stack) })).rejects.toThrow(
      /the server could not find the requested resource|the server doesn't have a resource type/,
    );
  });
});
