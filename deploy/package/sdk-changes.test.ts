import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sdkChanges } from './sdk-changes.ts';

const root = join(import.meta.dirname, '../..');

describe('what is changed of the Temporal SDK in the package', () => {
  it.each(sdkChanges.map((change) => [change.file, change] as const))('fits %s', (file, { apply }) => {
    const code = readFileSync(join(root, 'node_modules', file), 'utf8');
    const changed = apply(code);
    expect(changed).not.toBe(code);
    expect(changed).not.toMatch(/require\.resolve\('\.|__dirname/);
  });

  it('is refused when the SDK looks for its files in another way', () => {
    const [threads] = sdkChanges;
    expect(() => threads?.apply('new Worker(threadOf(this))')).toThrow(
      "to have require.resolve('./workflow-worker-thread') once, got it 0 times",
    );
  });
});
