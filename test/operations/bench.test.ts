import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const bench = join(import.meta.dirname, '../../local/bench.ts');

describe('the benchmark', () => {
  it('syncs all that it measures, and says which targets are met', async () => {
    const size = [
      '--only',
      'discovery,staged',
      '--clusters',
      '3',
      '--bindings',
      '2',
      '--arrivals',
      '2',
      '--policies',
      '2',
      '--stages',
      '2',
    ];
    const env = { ...process.env, OKRA_WORKFLOW_BUNDLE: inject('stack').workflowBundle };
    const { stdout } = await run(process.execPath, [bench, ...size], { timeout: 220_000, env });
    expect(stdout).toMatch(/^\| 6 AWSTargetGroups of 3 clusters +\| \d+\.\d\d s /m);
    expect(stdout).toMatch(/^\| the ratio of these medians +\| \d+\.\d\d times /m);
    expect(stdout).toMatch(/^\| memory of the worker after that +\| \d+ MB +\| below 400 MB /m);
    expect(stdout).toMatch(/^\| objects that it wrote +\| \d+ objects /m);
    expect(stdout).toMatch(
      /^\| 2 StagedBindingPolicies of 2 stages, until all are completed +\| \d+\.\d\d s /m,
    );
    expect(stdout).toMatch(/^\| requests of okrad to the API server for one +\| \d+ requests /m);
    expect(stdout).toContain('One kube-apiserver played all 3 clusters');
  });

  it('refuses an argument that it does not know, before it starts anything', async () => {
    await expect(run(process.execPath, [bench, '--fast'])).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("Unknown option '--fast'"),
    });
  });
});
