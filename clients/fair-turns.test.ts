import { describe, expect, it } from 'vitest';
import { fairTurns, type Threads, type Turn } from './fair-turns.ts';

/** Threads by a clock that the test sets, and what has begun. */
function aPlace(threads: Threads) {
  let time = 0;
  const turns = fairTurns<string>(threads, () => time);
  const underWay = new Map<string, Turn<string>>();
  const begun: string[] = [];
  const begin = (): void => {
    for (let turn = turns.begin(); turn !== undefined; turn = turns.begin()) {
      underWay.set(turn.what, turn);
      begun.push(turn.what);
    }
  };
  /** Has these wait, each for whom its first letter says. */
  const add = (...all: string[]): void => {
    for (const what of all) turns.add(what.slice(0, 1), what);
    begin();
  };
  /** Has one end after so many milliseconds. */
  const end = (what: string, after = 0): void => {
    time += after;
    underWay.get(what)?.end();
    begin();
  };
  const remove = (what: string): void => turns.remove(what.slice(0, 1), what);
  return { add, end, remove, begun };
}

describe('turns', () => {
  it('are of as many as there are threads, and of one no more than it may have', () => {
    const { add, begun } = aPlace({ all: 3, ofOne: 2 });
    add('a1', 'a2', 'a3');
    add('b1', 'c1');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
  });

  it('are of each after the other, however much one asks for', () => {
    const { add, end, begun } = aPlace({ all: 1, ofOne: 1 });
    add('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    for (let i = 0; i < 6; i += 1) end(begun[i] ?? '');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('are of all who took little time before one who took much', () => {
    const { add, end, begun } = aPlace({ all: 1, ofOne: 1 });
    add('a1', 'a2', 'b1', 'b2', 'b3');
    end('a1', 10_000);
    for (const what of ['b1', 'b2', 'b3']) end(what, 10);
    expect(begun).toEqual(['a1', 'b1', 'b2', 'b3', 'a2']);
  });

  it.each([
    ['is remembered for minutes', 180_000, ['a1', 'b1', 'c1', 'a2']],
    ['is forgotten after that', 3_600_000, ['a1', 'b1', 'a2', 'c1']],
  ])('of which one took much: it %s', (_, later, want) => {
    const { add, end, begun } = aPlace({ all: 1, ofOne: 1 });
    add('a1');
    end('a1', 10_000);
    add('b1', 'a2', 'c1');
    end('b1', later);
    end('a2');
    end('c1');
    expect(begun).toEqual(want);
  });

  it('are not of what is not waited for any more', () => {
    const { add, end, remove, begun } = aPlace({ all: 1, ofOne: 1 });
    add('a1', 'a2', 'b1');
    remove('b1');
    remove('never there');
    end('a1');
    expect(begun).toEqual(['a1', 'a2']);
  });
});
