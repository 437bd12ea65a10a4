import { describe, expect, it } from 'vitest';
import { bundleWorkflowsApart } from './workflow-bundle.ts';

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
