import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { collectAtRest, ownHeap } from './idle-garbage.ts';

const MB = 1e6;

describe('garbage of a process', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  function aHeap() {
    const state = { used: 50 * MB, busy: 0, collected: 0 };
    const collecting = collectAtRest({
      used: () => state.used,
      busy: () => state.busy,
      collect: () => {
        state.collected += 1;
        state.used = 60 * MB;
      },
    });
    onTestFinished(() => collecting[Symbol.dispose]());
    return { state, end: () => collecting[Symbol.dispose]() };
  }

  it('is looked for when there is nothing else to do, and once', () => {
    const { state } = aHeap();
    state.used = 90 * MB;
    vi.advanceTimersByTime(10_000);
    expect(state.collected).toBe(1);
    state.used = 75 * MB;
    vi.advanceTimersByTime(10_000);
    expect(state.collected).toBe(2);
  });

  it('is left to V8 while there is work, and while there is little of it', () => {
    const { state } = aHeap();
    state.used = 53 * MB;
    vi.advanceTimersByTime(10_000);
    state.used = 90 * MB;
    state.busy = 0.5;
    vi.advanceTimersByTime(10_000);
    expect(state.collected).toBe(0);
    state.busy = 0;
    vi.advanceTimersByTime(2_000);
    expect(state.collected).toBe(1);
  });

  it('is left to V8 where to look for it would hold up an abort', () => {
    const { state } = aHeap();
    state.used = 200 * MB;
    vi.advanceTimersByTime(10_000);
    expect(state.collected).toBe(0);
  });

  it('is not looked for after the end', () => {
    const { state, end } = aHeap();
    end();
    state.used = 90 * MB;
    vi.advanceTimersByTime(10_000);
    expect(state.collected).toBe(0);
  });
});

it('finds the garbage of this process', () => {
  const heap = ownHeap();
  heap.collect();
  const before = heap.used();
  let kept: unknown = Array.from({ length: 400_000 }, (_none, index) => ({ index, text: String(index) }));
  expect(heap.used() - before).toBeGreaterThan(16 * MB);
  kept = undefined;
  expect(kept).toBeUndefined();
  heap.collect();
  expect(heap.used() - before).toBeLessThan(8 * MB);
});
