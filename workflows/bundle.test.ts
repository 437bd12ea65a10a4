import { bundleWorkflowCode } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';

const silent = (): void => undefined;
const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent };

describe('the workflows', () => {
  it('bundle without anything that is not deterministic', { timeout: 60_000 }, async () => {
    const workflowsPath = new URL('./index.ts', import.meta.url).pathname;
    const { code } = await bundleWorkflowCode({ workflowsPath, logger });
    for (const name of ['cellRollout', 'loadBalancerConfig', 'driftWatch']) expect(code).toContain(name);
    // The schemas are large, and no workflow parses an object.
    expect(code.includes('./node_modules/zod/')).toBe(false);
  });
});
