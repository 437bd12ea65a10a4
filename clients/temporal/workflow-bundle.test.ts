import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtBundle, bundleWorkflowsApart } from './workflow-bundle.ts';

describe('a process that bundles the workflows', () => {
  it('gives the code of all of it', { timeout: 60_000 }, async () => {
    const code = await bundleWorkflowsApart(new AbortController().signal);
    expect(code).toContain('targetGroupSet');
    // The bundler writes this at the very end.
    expect(code.trimEnd()).toMatch(/\/\/# sourceMappingURL=data:application\/json\S+$/);
  });

  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const bundling = bundleWorkflowsApart(stop.signal);
    stop.abort();
    await expect(bundling).rejects.toBe(stop.signal.reason);
  });
});

describe('the bundle of a compiled package', () => {
  it('is none in a checkout', () => expect(builtBundle()).toBeUndefined());

  it('lies at the root of the package', async () => {
    const root = await mkdtemp(join(tmpdir(), 'okra-package-'));
    const path = join(root, 'workflow-bundle.js');
    await writeFile(path, '');
    expect(builtBundle(pathToFileURL(`${root}/`))).toBe(path);
    await rm(root, { recursive: true });
  });
});
