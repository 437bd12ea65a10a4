import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inOneGo } from '../run.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('what is done in one go', () => {
  it('is done once for all who ask at once', () => {
    const perform = vi.fn<() => void>();
    const ask = inOneGo(perform, () => undefined);
    for (let asked = 0; asked < 100; asked += 1) ask();
    vi.runAllTimers();
    expect(perform).toHaveBeenCalledTimes(1);
  });

  it('is done again for who asks while it is done, and later', () => {
    const perform = vi.fn<() => void>();
    const ask = inOneGo(perform, () => undefined);
    perform.mockImplementationOnce(() => ask());
    ask();
    vi.runAllTimers();
    expect(perform).toHaveBeenCalledTimes(2);
    ask();
    vi.runAllTimers();
    expect(perform).toHaveBeenCalledTimes(3);
  });

  it('leaves four fifths of the time to others', () => {
    let now = 0;
    const perform = vi.fn<() => void>(() => void (now += 1000));
    const ask = inOneGo(
      perform,
      () => undefined,
      () => now,
    );
    ask();
    vi.advanceTimersByTime(50);
    expect(perform).toHaveBeenCalledTimes(1);
    ask();
    vi.advanceTimersByTime(3999);
    expect(perform).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(perform).toHaveBeenCalledTimes(2);
  });

  it('says what has failed, and is done again', () => {
    const failures: unknown[] = [];
    const error = new Error('no');
    const perform = vi.fn<() => void>().mockImplementationOnce(() => {
      throw error;
    });
    const ask = inOneGo(perform, (failure) => void failures.push(failure));
    ask();
    vi.runAllTimers();
    ask();
    vi.runAllTimers();
    expect(failures).toEqual([error]);
    expect(perform).toHaveBeenCalledTimes(2);
  });
});
