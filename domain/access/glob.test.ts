import { describe, expect, it } from 'vitest';
import { isLike, mayBeLike } from './access.ts';

const role = 'arn:aws:iam::111122223333:role/team-a/okra';

describe('a pattern', () => {
  it.each([
    ['the same', role, role, true],
    ['any end', role, 'arn:aws:iam::111122223333:role/team-a/*', true],
    ['any middle', role, 'arn:aws:iam::*:role/team-a/okra', true],
    ['several stars', role, '*:iam::*team-*a*', true],
    ['a star that takes nothing', 'team-a', 'team-a*', true],
    ['stars alone', 'team-a', '**', true],
    ['a star for nothing at all', '', '*', true],
    ['another end', 'team-a2', 'team-a', false],
    ['another beginning', 'x-team-a', 'team-a*', false],
    ['what repeats itself', 'aab', '*ab', true],
    ['what is special in regular expressions', 'team.a', 'team+a', false],
    ['a dot as a dot', 'teamxa', 'team.a', false],
    ['nothing', 'team-a', '', false],
  ])('takes %s', (_, text, pattern, want) => {
    expect(isLike(text, pattern)).toBe(want);
  });

  it.each([
    ['digits that may be those', 'id-??', 'id-0f', true],
    ['digits among others', 'id-??', 'id-*', true],
    ['a digit and a letter that is none', 'id-?', 'id-x', false],
    ['fewer digits', 'id-?', 'id-00', false],
    ['what is known', 'a-?', 'b-*', false],
  ])('may take %s', (_, text, pattern, want) => {
    expect(mayBeLike(text, pattern)).toBe(want);
  });

  it('takes no time for what would make a regular expression go back and forth', () => {
    const began = performance.now();
    expect(isLike('a'.repeat(2_000), `${'*a'.repeat(1_000)}b`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
