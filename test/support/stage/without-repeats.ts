import { isDeepStrictEqual } from 'node:util';

/** Leaves out what repeats the one before: a write whose answer was lost is made again. */
export const withoutRepeats = <Write>(writes: readonly Write[]): readonly Write[] =>
  writes.filter((write, index) => index === 0 || !isDeepStrictEqual(write, writes[index - 1]));
