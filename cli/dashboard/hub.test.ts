import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { aCell, paused } from '../okractl/testing/objects.ts';
import { openHub, type Hub } from './hub.ts';
import { aWorld, type WorldOptions } from './testing/world.ts';

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

const cells = ['shop', 'bank', 'other'].map((namespace) => ({
  ...aCell(paused),
  metadata: { name: 'web', namespace },
}));

function hubOf(namespaces: readonly string[], options: WorldOptions = {}): Hub {
  const { session } = aWorld({ objects: cells, ...options });
  return openHub({ kubernetes: session.kubernetes, namespaces, now: Date.now, signal: stop.signal });
}

describe('what is watched', () => {
  it.each([
    ['all namespaces', [], ['shop/web', 'bank/web', 'other/web']],
    ['those that are named', ['shop', 'bank'], ['shop/web', 'bank/web']],
  ])('is of %s', async (_, namespaces, want) => {
    const hub = hubOf(namespaces);
    await until('all of it', async () => hub.watched().isWhole && hub.rows().size === want.length);
    expect([...hub.rows().keys()].toSorted()).toEqual(want.toSorted());
  });

  it('is not all there is until each namespace has been told', async () => {
    const hub = hubOf(['shop', 'bank'], {
      snapshot: (_kind, { namespace } = {}) =>
        namespace === 'bank'
          ? Promise.reject(new Error('no answer in time'))
          : Promise.resolve({ items: [], resourceVersion: '1' }),
    });
    await until('the trouble', async () => hub.watched().troubles.size > 0);
    expect(hub.watched().isWhole).toBe(false);
  });
});
