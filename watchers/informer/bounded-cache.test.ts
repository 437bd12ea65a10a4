import { describe, expect, it } from 'vitest';
import type { Informed } from '../event.ts';
import { cacheWithin } from './bounded-cache.ts';

const object = (name: string, resourceVersion = '1', text = ''): Informed & { readonly text: string } => ({
  metadata: { name, resourceVersion },
  text,
});
const SMALL = 500 + JSON.stringify(object('a')).length;

/** MemoryBudget for so many characters, and what is taken of it. */
function aBudget(most: number) {
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

describe('a cache of a small budget', () => {
  it('counts what it keeps, and not how often it was told', () => {
    const budget = aBudget(10_000);
    const cache = cacheWithin(budget);
    cache.put(object('a'));
    cache.put(object('b'));
    expect(budget.taken.kept).toBe(2 * SMALL);
    cache.put(object('b', '1', 'x'.repeat(100)));
    expect(budget.taken.kept).toBe(2 * SMALL + 100);
    // What is told of an object that goes may be of any size.
    cache.remove(object('b', '2', 'x'.repeat(5_000)));
    cache.remove(object('never there'));
    expect(budget.taken.kept).toBe(SMALL);
    cache.replace([object('c'), object('d'), object('d')]);
    expect(budget.taken.kept).toBe(2 * SMALL);
  });

  it('takes nothing for which there is no budget, and keeps what it had', () => {
    const budget = aBudget(2 * SMALL);
    const cache = cacheWithin(budget);
    cache.replace([object('a'), object('b')]);
    expect(() => cache.put(object('c'))).toThrow('too much');
    expect(() => cache.put(object('b', '2', 'x'))).toThrow('too much');
    expect(() => cache.replace([object('a'), object('b'), object('c')])).toThrow('too much');
    expect(budget.taken.kept).toBe(2 * SMALL);
    expect(cache.put(object('b', '2')).map(({ type }) => type)).toEqual(['update']);
  });
});

describe('a list of a small budget', () => {
  type Text = ReturnType<typeof object>;
  const listed =
    (objects: readonly Text[], told: string[] = []) =>
    (measured?: (one: Text, characters: number) => void) => {
      for (const one of objects) {
        told.push(one.metadata.name);
        measured?.(one, JSON.stringify(one).length);
      }
      return Promise.resolve({ items: objects, resourceVersion: '1' });
    };

  it('is counted until it is kept, and measured once', async () => {
    const budget = aBudget(10_000);
    const cache = cacheWithin<Text>(budget);
    let measures = 0;
    const one = { ...object('a'), toJSON: () => ((measures += 1), object('a')) };
    const { items } = await cache.list(listed([one]));
    expect(budget.taken.listed).toBe(0);
    cache.replace(items);
    expect(budget.taken.kept).toBe(SMALL);
    expect(measures).toBe(1);
  });

  it('ends with the object that is too much, and takes nothing up any more', async () => {
    const budget = aBudget(2 * SMALL);
    const told: string[] = [];
    const objects = ['a', 'b', 'c', 'd', 'e'].map((name) => object(name));
    const reading = async () =>
      await cacheWithin<Text>(budget).list(async (measured) => await listed(objects, told)(measured));
    await expect(reading()).rejects.toThrow('too much');
    expect(told).toEqual(['a', 'b', 'c']);
    expect(budget.taken.listed).toBe(0);
  });
});
