import { describe, expect, it } from 'vitest';
import { isSelectorText } from './selector.ts';

describe('the text of a label selector', () => {
  it.each([
    'team=a',
    'example.com/team == a',
    'team!=a',
    'team',
    '!team',
    'a in (x, y),b notin (z),c',
    'n>1',
    'a=',
  ])('may be %s', (text) => expect(isSelectorText(text)).toBe(true));

  it.each(['team in shop', 'team=a b', 'team=a,', 'team: a', 'a in (x', 'a=b=c', '-a=b', ''])(
    'is not %s',
    (text) => expect(isSelectorText(text)).toBe(false),
  );
});
