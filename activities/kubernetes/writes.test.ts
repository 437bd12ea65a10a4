import { describe, expect, it } from 'vitest';
import { startLifetimeOf } from '../discovery/lifetime.ts';
import { performWrites } from './writes.ts';

describe('writes', () => {
  it('end when the attempt has been given up that decided on them', async () => {
    const givenUp = new AbortController();
    const written: number[] = [];
    const writes = Array.from({ length: 20 }, (_, index) => ({
      object: { kind: 'AWSTargetGroup', name: `web-${index}` },
      run: () => {
        written.push(index);
        if (index === 3) givenUp.abort(new Error('given up'));
        return Promise.resolve();
      },
    }));
    await expect(performWrites(writes, startLifetimeOf(givenUp.signal))).rejects.toThrow('given up');
    expect(written).toHaveLength(8);
  });

  it('continue when one fails, which is a problem', async () => {
    const object = { kind: 'AWSTargetGroup', name: 'web' };
    const writes = [{ object, run: () => Promise.reject(new Error('no')) }];
    const life = startLifetimeOf(new AbortController().signal);
    expect(await performWrites(writes, life)).toMatchObject([{ object: 'web', reason: 'NotWritten' }]);
  });
});
