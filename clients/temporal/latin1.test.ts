import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { inLatin1 } from './latin1.ts';

describe('a program in Latin-1', () => {
  it.each([
    ['a string', `'20 → 50 …'`],
    ['a template', '`${1 + 1} – 3`'],
    ['characters of two parts', `'👍'.length + '👍'`],
    ['a pattern', `['a…', 'a.', 'b'].map((text) => /[…–]$/.test(text))`],
    ['a pattern by code points', `/^[👍]$/u.test('👍')`],
    ['a name', `({ größeΔ: 1 }).größeΔ`],
    ['an escaped character', `'\\–' + '\\\\–'`],
  ])('does the same with %s', (_, code) => {
    expect(runInNewContext(inLatin1(code))).toEqual(runInNewContext(code));
  });

  it('has no character beyond', () => {
    expect(inLatin1('/* é */ "…👍"')).toBe(String.raw`/* é */ "\u2026\ud83d\udc4d"`);
  });
});
