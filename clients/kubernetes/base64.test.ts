import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64 } from './base64.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });

describe('base64', () => {
  it('is decoded to the text that it was made of', () => {
    fc.assert(
      fc.property(text, (some) => {
        expect(decodeBase64(Buffer.from(some).toString('base64'))).toBe(some);
      }),
    );
  });

  it('may be broken into lines', () => {
    expect(decodeBase64('b2ty\nYQ==\n')).toBe('okra');
  });

  it('keeps a mark of the order of bytes', () => {
    expect(decodeBase64('77u/b2s=')).toBe('\ufeffok');
  });

  it.each([
    ['another letter', 'b2ty!A=='],
    ['a part of it', 'b2tyY'],
    ['a filler within', 'b2==YQ=='],
    ['a lone digit', 'A==='],
    ['bytes that are no text', '/w=='],
  ])('is not %s', (_, encoded) => expect(decodeBase64(encoded)).toBeUndefined());
});
