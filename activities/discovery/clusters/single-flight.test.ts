import { describe, expect, it } from 'vitest';
import { createSingleFlight } from './reader.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const done = (value: unknown) => ({ is: 'Done', value });
const WAITING = { is: 'Waiting' };

describe('a single flight', () => {
  it('reads again each time, and reports what went wrong', async () => {
    const read = createSingleFlight(1_000);
    let begun = 0;
    const next = (): Promise<number> => Promise.resolve((begun += 1));
    expect([await read('a', next), await read('a', next)]).toEqual([done(1), done(2)]);
    const error = new Error('refused');
    expect(await read('a', () => Promise.reject(error))).toEqual({ is: 'Failed', error });
  });

  it('has those who ask while a read is under way share the next', async () => {
    const read = createSingleFlight(1_000);
    const first = Promise.withResolvers<number>();
    let begun = 0;
    const next = (): Promise<number> => Promise.resolve((begun += 1));
    const reader = [read('a', () => first.promise), read('a', next), read('a', next), read('b', next)];
    expect(await reader[3]).toEqual(done(1));
    first.resolve(0);
    expect(await Promise.all(reader)).toEqual([done(0), done(2), done(2), done(1)]);
    expect(begun).toBe(2);
    expect(await read('a', next)).toEqual(done(3));
  });

  it('waits for none longer than the deadline, then not at all until it ends, and gives its result to who asks next', async () => {
    const read = createSingleFlight(20);
    const slow = Promise.withResolvers<string>();
    expect(await read('a', () => slow.promise)).toEqual(WAITING);
    const asked = performance.now();
    expect(await read('a', never)).toEqual(WAITING);
    expect(performance.now() - asked).toBeLessThan(15);
    slow.resolve('late');
    await slow.promise;
    await new Promise(setImmediate);
    expect(await read('a', never)).toEqual(done('late'));
    expect(await read('a', () => Promise.resolve('new'))).toEqual(done('new'));
  });

  it('reads again after one that failed too late', async () => {
    const read = createSingleFlight(20);
    const slow = Promise.withResolvers<string>();
    expect(await read('a', () => slow.promise)).toEqual(WAITING);
    slow.reject(new Error('refused'));
    await slow.promise.catch(() => undefined);
    await new Promise(setImmediate);
    expect(await read('a', () => Promise.resolve('new'))).toEqual(done('new'));
  });

  it('counts the time behind another read', async () => {
    const read = createSingleFlight(20);
    const reader = [read('a', never), read('a', never)];
    expect(await Promise.all(reader)).toEqual([WAITING, WAITING]);
  });
});
