import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });

describe('base64', () => {
  it('is what everybody else takes for it, in both directions', () => {
    fc.assert(
      fc.property(text, (some) => {
        const encoded = Buffer.from(some).toString('base64');
        expect(encodeBase64(some)).toBe(encoded);
        expect(decodeBase64(encoded)).toBe(some);
      }),
    );
  });

  it('is made of half a character as well', () => {
    expect(decodeBase64(encodeBase64('a\ud800'))).toBe('a\ufffd');
  });

  it('may be broken into lines', () => {
    expect(decodeBase64('b2ty\nYQ==\n')).toBe('okra');
  });

  it.each([
    ['another letter', 'b2ty!A=='],
    ['a part of it', 'b2tyY'],
    ['a filler within', 'b2==YQ=='],
    ['a lone digit', 'A==='],
    ['bytes that are no text', '/w=='],
  ])('is not %s', (_, encoded) => expect(decodeBase64(encoded)).toBeUndefined());
});
