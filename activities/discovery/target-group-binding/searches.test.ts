import { describe, expect, it } from 'vitest';
import { searches } from './searches.ts';

describe('searches for refused targets', () => {
  it('are made by a few syncs of a namespace at once, whatever others do', () => {
    const all = searches(2);
    const of = (namespace: string) => all.of(namespace);
    const [one, other, third, stranger] = [of('shop'), of('shop'), of('shop'), of('bank')];
    expect([one, other, third, one, stranger].map((search) => search.begin())).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    third[Symbol.dispose]();
    expect([third.begin(), of('shop').begin()]).toEqual([true, false]);
  });

  it('remember what they have found, by place, in those that were searched last', () => {
    const all = searches(8, 2);
    const find = (where: string | undefined, ...found: string[]): readonly string[] => {
      using search = all.of('shop', where);
      const before = [...search.found];
      for (const one of found) search.found.add(one);
      return before;
    };
    find(undefined, 'z');
    find('a', 'x');
    find('b', 'y');
    expect([find('a'), find(undefined)]).toEqual([['x'], []]);
    find('c', 'z');
    expect([find('b'), find('a'), find('c')]).toEqual([[], ['x'], ['z']]);
  });

  it('know by place at which generation an object has recorded its targets last', () => {
    const all = searches();
    const record = (where: string | undefined, generation: number | undefined): unknown => {
      using search = all.of('shop', where);
      const before = search.generation;
      search.generation = generation;
      return before;
    };
    const asked: [string | undefined, number | undefined][] = [
      ['a', 1],
      ['a', 2],
      ['b', 1],
      [undefined, 3],
      [undefined, 4],
      ['a', undefined],
      ['a', 3],
    ];
    expect(asked.map(([where, generation]) => record(where, generation))).toEqual([
      undefined,
      1,
      undefined,
      undefined,
      undefined,
      2,
      undefined,
    ]);
  });
});
