import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { recordIn } from '../../local/stack-record.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const demo = join(root, 'local/demo.ts');

/** Shows a demo, and answers with all that it says; with the package that the tests have. */
async function shown(...args: readonly string[]): Promise<string> {
  const stack = inject('stack');
  const { stdout } = await run(process.execPath, [demo, ...args], {
    timeout: 400_000,
    env: { ...process.env, OKRA_PACKAGE: stack.built.folder, OKRA_STACK: recordIn(stack) },
  });
  return stdout;
}

describe('the demo', () => {
  it('shows what it says and finds nothing that differs, as the README has people begin', async () => {
    const { stdout } = await run('npm', ['run', 'demo'], { cwd: root, timeout: 400_000 });
    expect(stdout).toContain('blue1 50  blue2 50');
    expect(stdout).toContain('blue1 40  blue2 40  green1 10  green2 10');
    expect(stdout).toMatch(/AnalysisRun web-1-success-rate-\w+: Successful/);
    expect(stdout).toContain('1.1.0 serves. 1.2.0 is blocked');
    expect(stdout).toContain('Everything went as expected');
  });

  it('finds the clusters of the newest version by itself, from their tags to the last weight', async () => {
    const stdout = await shown('--discovery', '--on-stack');
    for (const name of ['green1', 'green2']) {
      expect(stdout).toMatch(new RegExp(`Secret (demo-\\w+-${name}): how to reach EKS cluster \\1`));
      expect(stdout).toMatch(new RegExp(`AWSTargetGroup default-demo-\\w+-${name}: version 2\\.0\\.0`));
    }
    expect(stdout).toContain('blue1 40  blue2 40  green1 10  green2 10');
    expect(stdout).toContain('Everything went as expected');
  });

  it('takes a workload from dev over test to prod', async () => {
    const stdout = await shown('--staged');
    expect(stdout).toMatch(/prod +Completed +1\/1 +nginx-dev nginx-prod nginx-test/);
    expect(stdout).toContain('Everything went as expected: the stages in their order');
  });

  it('refuses an argument that it does not know', async () => {
    await expect(run(process.execPath, [demo, '--fast'])).rejects.toThrow(
      /Expected no arguments, --keep, --discovery, --staged, --applications or --on-stack, got --fast/,
    );
  });

  it('says how to start the stack when it is to be shown on one that does not run', async () => {
    const env = { ...process.env, OKRA_STACK: join(root, 'no-stack.json') };
    await expect(run(process.execPath, [demo, '--on-stack'], { env })).rejects.toThrow(
      /Expected a stack that runs .*no-stack\.json.*, got none\. Start one with `npm run stack`\./,
    );
  });
});
