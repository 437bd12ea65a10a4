import { describe, expect, it } from 'vitest';
import { keepPool, type Pooled } from './kubernetes-pool.ts';

type Dispatcher = Parameters<Pooled['setDispatcher']>[0];

/** A request that comes with connections of its own; answers with those that it goes out by. */
function requests() {
  let made = 0;
  return (pool: { use(context: Pooled): void }) => {
    made += 1;
    let dispatcher = { made } as unknown as Dispatcher;
    pool.use({ getDispatcher: () => dispatcher, setDispatcher: (other) => (dispatcher = other) });
    return (dispatcher as unknown as { made: number }).made;
  };
}

describe('the pool', () => {
  it('lets all requests share the connections of the first', () => {
    const [pool, request] = [keepPool(), requests()];
    expect([request(pool), request(pool), request(pool)]).toEqual([1, 1, 1]);
  });

  it('takes new ones after a request got no answer', () => {
    const [pool, request] = [keepPool(), requests()];
    request(pool);
    pool.drop();
    expect([request(pool), request(pool)]).toEqual([2, 2]);
  });

  it('takes new ones from time to time, with the certificates of that time', () => {
    let now = 0;
    const [pool, request] = [keepPool(() => now), requests()];
    request(pool);
    now = 300_000;
    expect(request(pool)).toBe(1);
    now = 300_001;
    expect(request(pool)).toBe(3);
  });
});
