import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { keepPool } from './kubernetes-pool.ts';

/** A pool, and how many times its connections have been made. */
function aPool(now?: () => number) {
  const made: Agent[] = [];
  const make = (): Agent => {
    const agent = new Agent();
    made.push(agent);
    return agent;
  };
  return { pool: keepPool(make, now), made };
}

describe('the pool', () => {
  it('lets all requests share the connections of the first', () => {
    const { pool, made } = aPool();
    expect([pool.get(), pool.get(), pool.get()]).toEqual([made[0], made[0], made[0]]);
    expect(made).toHaveLength(1);
  });

  it('takes new ones after a request got no answer', () => {
    const { pool, made } = aPool();
    pool.get();
    pool.drop();
    expect([pool.get(), pool.get()]).toEqual([made[1], made[1]]);
    expect(made).toHaveLength(2);
  });

  it('takes new ones from time to time, with the certificates of that time', () => {
    let now = 0;
    const { pool, made } = aPool(() => now);
    pool.get();
    now = 300_000;
    pool.get();
    expect(made).toHaveLength(1);
    now = 300_001;
    pool.get();
    expect(made).toHaveLength(2);
  });
});
