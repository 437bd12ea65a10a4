/** Chances that are the same for the same seed. */
export interface Dice {
  /** A number from 0 up to 1. */
  readonly number: () => number;
  readonly pick: <T>(list: readonly T[]) => T;
  /** Picks by weights. */
  readonly weighted: <T extends { readonly weight: number }>(list: readonly T[]) => T;
}

/** Makes chances of a seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const number = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new RangeError('Expected something to pick from, got an empty list.');
    return list[Math.floor(number() * list.length)] as T;
  };
  const weighted = <T extends { readonly weight: number }>(list: readonly T[]): T => {
    let left = number() * list.reduce((sum, { weight }) => sum + weight, 0);
    return list.find(({ weight }) => (left -= weight) < 0) ?? pick(list);
  };
  return { number, pick, weighted };
}
