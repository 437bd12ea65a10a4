import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, cutToBytes, sentence, withoutEnd } from './text.ts';

const bytes = (text: string): number => Buffer.byteLength(text);
/** Texts of characters of one to four bytes. */
const texts = fc.string({ unit: fc.constantFrom('a', 'é', '…', '🚦'), maxLength: 40 });

describe('cut', () => {
  it.each([
    ['leaves a text that fits as it is', 'abcd', 4, 'abcd'],
    ['marks the cut', 'abcde', 4, 'abc…'],
    ['leaves nothing but the mark where there is no room for more', 'abc', 1, '…'],
    ['does not part a character that is written as two', 'ab🚦cd', 4, 'ab…'],
    ['keeps one that just fits', 'ab🚦cd', 5, 'ab🚦…'],
  ])('%s', (_, text, longest, want) => expect(cut(text, longest)).toBe(want));

  it('leaves well-formed texts that are short enough, and begin as they did', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, longest) => {
        const short = cut(text, longest);
        expect(short.length).toBeLessThanOrEqual(longest);
        expect(short.isWellFormed()).toBe(true);
        expect(short === text || text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });
});

describe('cutToBytes', () => {
  it.each([
    ['leaves a text that fits as it is', 'aé🚦', 7, 'aé🚦'],
    ['counts bytes and not characters', 'ééé', 5, 'é…'],
    ['does not part a character', 'a🚦b', 5, 'a…'],
    ['leaves nothing but the mark where there is no room for more', '🚦🚦', 4, '…'],
  ])('%s', (_, text, longest, want) => expect(cutToBytes(text, longest)).toBe(want));

  it('leaves well-formed texts that are short enough, and begin as they did', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 3, max: 100 }), (text, longest) => {
        const short = cutToBytes(text, longest);
        expect(bytes(short)).toBeLessThanOrEqual(longest);
        expect(short.isWellFormed()).toBe(true);
        expect(short === text || text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });
});

describe('sentence', () => {
  it.each([
    ['Aborted by ann: errors', 'Aborted by ann: errors.'],
    ['Aborted by ann.', 'Aborted by ann.'],
    ['too many errors!', 'too many errors!'],
    ['cut…', 'cut…'],
  ])('ends %j as %j', (text, ended) => expect(sentence(text)).toBe(ended));
});

describe('withoutEnd', () => {
  it.each([
    ['a//', 'a'],
    ['a/b', 'a/b'],
    ['///', ''],
    ['', ''],
  ])('leaves slashes out at the end of %j', (text, want) => {
    expect(withoutEnd(text, '/')).toBe(want);
  });

  it('leaves out whatever an expression fits', () => {
    expect(withoutEnd('a-1_.-', /[^a-z0-9]/)).toBe('a-1');
  });

  it('looks at no character twice', () => {
    const text = `https://a${'/'.repeat(1_000_000)}x`;
    const began = performance.now();
    expect(withoutEnd(text, '/')).toBe(text);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
