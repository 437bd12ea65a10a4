import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { latecomers } from './latecomers.ts';

const patience = { waitMilliseconds: 20, keepMilliseconds: 60_000 };
const refused = new Error('refused');

describe('waiting for someone who may be late', () => {
  it('takes what comes in time, and begins again each time', async () => {
    const late = latecomers(patience);
    let begun = 0;
    const next = (): Promise<number> => Promise.resolve((begun += 1));
    expect(await late.wait('a', next)).toEqual({ is: 'Done', value: 1, isLate: false });
    expect(await late.wait('a', next)).toEqual({ is: 'Done', value: 2, isLate: false });
  });

  it('says what went wrong in time', async () => {
    const outcome = await latecomers(patience).wait('a', () => Promise.reject(refused));
    expect(outcome).toEqual({ is: 'Failed', error: refused, isLate: false });
  });

  it('begins nothing twice, and has the end of what was late stand for what is late again', async () => {
    const late = latecomers(patience);
    const first = Promise.withResolvers<string>();
    const never = (): Promise<string> => new Promise(() => undefined);
    expect(await late.wait('a', () => first.promise)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', () => Promise.resolve('begun twice'))).toEqual({ is: 'Waiting' });
    first.resolve('at last');
    await first.promise;
    expect(await late.wait('b', never)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', never)).toEqual({ is: 'Done', value: 'at last', isLate: true });
  });

  it('lets those who ask while one is under way share the next, and calls none of them late', async () => {
    const late = latecomers(patience);
    const first = Promise.withResolvers<number>();
    let begun = 0;
    const next = (): Promise<number> => Promise.resolve((begun += 1));
    const waiting = [late.wait('a', () => first.promise), late.wait('a', next), late.wait('a', next)];
    first.resolve(0);
    expect(await Promise.all(waiting)).toEqual([
      { is: 'Done', value: 0, isLate: false },
      { is: 'Done', value: 1, isLate: false },
      { is: 'Done', value: 1, isLate: false },
    ]);
    expect(begun).toBe(1);
  });

  it('has nothing late stand for what was to be begun later', async () => {
    const late = latecomers(patience);
    const first = Promise.withResolvers<string>();
    const never = (): Promise<string> => new Promise(() => undefined);
    await late.wait('a', () => first.promise);
    const since = late.now();
    first.resolve('too old');
    await first.promise;
    expect(await late.wait('b', never)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', never, since)).toEqual({ is: 'Waiting' });
  });

  it('forgets what was late after a while', async () => {
    const late = latecomers({ waitMilliseconds: 20, keepMilliseconds: 1 });
    const first = Promise.withResolvers<string>();
    const never = (): Promise<string> => new Promise(() => undefined);
    await late.wait('a', () => first.promise);
    first.resolve('at last');
    expect(await late.wait('b', never)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', never)).toEqual({ is: 'Waiting' });
  });
});

describe('what is begun together', () => {
  const second = { waitMilliseconds: 1_000, keepMilliseconds: 60_000 };
  const after = (milliseconds: number) => () =>
    new Promise<number>((resolve) => setTimeout(() => resolve(milliseconds), milliseconds));
  const never = (): Promise<number> => new Promise(() => undefined);
  const done = (value: number) => ({ is: 'Done', value, isLate: false });
  const waiting = { is: 'Waiting' };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is waited for as long as others end', async () => {
    const late = latecomers(second);
    const all = Promise.all([700, 1_400, 2_100].map((time) => late.wait(`${time}`, after(time))));
    await vi.advanceTimersByTimeAsync(2_100);
    expect(await all).toEqual([done(700), done(1_400), done(2_100)]);
  });

  it.each([
    ['a second after the last of the others', [200, 400], 1_500],
    ['at the end of all patience', Array.from({ length: 20 }, (_, index) => index * 500), 5_000],
  ])('is given up %s', async (_, others, end) => {
    const late = latecomers(second);
    let outcome: unknown;
    void late.wait('hangs', never).then((got) => (outcome = got));
    for (const time of others) void late.wait(`${time}`, after(time));
    await vi.advanceTimersByTimeAsync(end - 200);
    expect(outcome).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    expect(outcome).toEqual(waiting);
  });

  it('does not wait for what was begun later', async () => {
    const late = latecomers(second);
    const hangs = late.wait('hangs', never);
    await vi.advanceTimersByTimeAsync(500);
    void late.wait('other', after(400));
    await vi.advanceTimersByTimeAsync(500);
    expect(await hangs).toEqual(waiting);
  });
});
