import { describe, expect, it } from 'vitest';
import type { Informed } from '../event.ts';
import { cacheWithin, listWithin } from './bounded-cache.ts';

const object = (name: string, resourceVersion = '1', text = ''): Informed & { readonly text: string } => ({
  metadata: { name, resourceVersion },
  text,
});
const SMALL = 500 + JSON.stringify(object('a')).length;

/** Room for so many characters, and what is taken of it. */
function aRoom(most: number) {
  const taken = { kept: 0, listed: 0 };
  const take = (what: keyof typeof taken, characters: number): void => {
    if (characters > most) throw new Error('too much');
    taken[what] = characters;
  };
  return {
    taken,
    keep: (characters: number) => take('kept', characters),
    list: (characters: number) => take('listed', characters),
  };
}

describe('a cache with little room', () => {
  it('counts what it keeps, and not how often it was told', () => {
    const room = aRoom(10_000);
    const cache = cacheWithin(room);
    cache.put(object('a'));
    cache.put(object('b'));
    expect(room.taken.kept).toBe(2 * SMALL);
    cache.put(object('b', '1', 'x'.repeat(100)));
    expect(room.taken.kept).toBe(2 * SMALL + 100);
    // What is told of an object that goes may be of any size.
    cache.remove(object('b', '2', 'x'.repeat(5_000)));
    cache.remove(object('never there'));
    expect(room.taken.kept).toBe(SMALL);
    cache.replace([object('c'), object('d'), object('d')]);
    expect(room.taken.kept).toBe(2 * SMALL);
  });

  it('takes nothing for which there is no room, and keeps what it had', () => {
    const room = aRoom(2 * SMALL);
    const cache = cacheWithin(room);
    cache.replace([object('a'), object('b')]);
    expect(() => cache.put(object('c'))).toThrow('too much');
    expect(() => cache.put(object('b', '2', 'x'))).toThrow('too much');
    expect(() => cache.replace([object('a'), object('b'), object('c')])).toThrow('too much');
    expect(room.taken.kept).toBe(2 * SMALL);
    expect(cache.put(object('b', '2')).map(({ type }) => type)).toEqual(['update']);
  });
});

describe('a list with little room', () => {
  const list = (names: readonly string[]) => (trim: (one: Informed) => Informed) =>
    Promise.resolve({ items: names.map((name) => trim(object(name))), resourceVersion: '1' });
  const trim = ({ metadata }: Informed): Informed => ({ metadata });

  it('is what is kept of its objects', async () => {
    const room = aRoom(10_000);
    const { items } = await listWithin(room, trim, list(['a', 'b']));
    expect(items).toEqual([{ metadata: object('a').metadata }, { metadata: object('b').metadata }]);
    expect(room.taken.listed).toBe(0);
  });

  it('ends with the object for which there is no room, and takes none up any more', async () => {
    const room = aRoom(2 * SMALL);
    const trimmed: string[] = [];
    const counting = (one: Informed): Informed => (trimmed.push(one.metadata.name), trim(one));
    await expect(listWithin(room, counting, list(['a', 'b', 'c', 'd', 'e']))).rejects.toThrow('too much');
    expect(trimmed).toEqual(['a', 'b', 'c']);
    expect(room.taken.listed).toBe(0);
  });
});
