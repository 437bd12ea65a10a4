import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const demo = join(import.meta.dirname, '../../local/demo.ts');

describe('the demo', () => {
  it('shows what it says and finds nothing that differs', async () => {
    const { stdout } = await run(process.execPath, [demo], { timeout: 200_000 });
    expect(stdout).toContain('blue1 50  blue2 50');
    expect(stdout).toContain('blue1 40  blue2 40  green1 10  green2 10');
    expect(stdout).toMatch(/AnalysisRun web-1-success-rate-\w+: Successful/);
    expect(stdout).toContain('1.1.0 serves. 1.2.0 is blocked');
    expect(stdout).toContain('Everything came as it was said');
  });

  it('finds the clusters of the newest version by itself, from their tags to the last weight', async () => {
    const { stdout } = await run(process.execPath, [demo, '--discovery'], {
      timeout: 300_000,
      env: { ...process.env, OKRA_WORKFLOW_BUNDLE: inject('stack').workflowBundle },
    });
    for (const name of ['green1', 'green2']) {
      expect(stdout).toContain(`Secret ${name}: how to reach EKS cluster ${name}`);
      expect(stdout).toContain(`AWSTargetGroup default-${name}: version 2.0.0`);
    }
    expect(stdout).toContain('blue1 40  blue2 40  green1 10  green2 10');
    expect(stdout).toContain('Everything came as it was said');
  });

  it('takes a workload from dev over test to prod', async () => {
    const { stdout } = await run(process.execPath, [demo, '--staged'], {
      timeout: 200_000,
      env: { ...process.env, OKRA_WORKFLOW_BUNDLE: inject('stack').workflowBundle },
    });
    expect(stdout).toMatch(/prod +Completed +1\/1 +nginx-dev nginx-prod nginx-test/);
    expect(stdout).toContain('Everything came as it was said: the stages in their order');
  });

  it('shows the applications of a Cell that move to new clusters, and back, and checks them', async () => {
    const { stdout } = await run(process.execPath, [demo, '--applications'], {
      timeout: 200_000,
      env: { ...process.env, OKRA_WORKFLOW_BUNDLE: inject('stack').workflowBundle },
    });
    expect(stdout).toContain(
      'Everything came as it was said: cluster secrets, weights and checks in their order.',
    );
    expect(stdout).toMatch(/Check mysystem-web-dd-\S+: Failed/);
  });

  it('refuses an argument that it does not know', async () => {
    await expect(run(process.execPath, [demo, '--fast'])).rejects.toThrow(
      /Expected no arguments, --keep, --discovery, --staged or --applications, got --fast/,
    );
  });
});
