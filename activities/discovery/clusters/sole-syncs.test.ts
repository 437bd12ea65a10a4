import { describe, expect, it } from 'vitest';
import { soleSyncs } from './reader.ts';

const MINUTE = 60_000;

describe('since when a process alone has synced an object', () => {
  it('is known while no other does', () => {
    const syncs = soleSyncs(() => 0);
    expect(syncs.note({ object: 'a', isSole: false, time: 1 })).toBe(1);
    expect(syncs.note({ object: 'a', isSole: true, time: 2 })).toBe(1);
    expect(syncs.note({ object: 'a', isSole: false, time: 3 })).toBe(3);
    expect(syncs.note({ object: 'b', isSole: true, time: 4 })).toBe(4);
    expect(syncs.note({ object: 'a', isSole: true, time: 5 })).toBe(3);
  });

  it('is forgotten of objects that are synced no more, and of no others', () => {
    let now = 0;
    const syncs = soleSyncs(() => now);
    for (let index = 0; index < 1000; index += 1)
      syncs.note({ object: `gone-${index}`, isSole: false, time: index });
    for (const minutes of [0, 4, 8, 12]) {
      now = minutes * MINUTE;
      expect(syncs.note({ object: 'kept', isSole: true, time: 1000 + minutes })).toBe(1000);
    }
    expect(syncs.size).toBe(1);
  });
});
