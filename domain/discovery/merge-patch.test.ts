import { describe, expect, it } from 'vitest';
import { mergePatch } from './generated.ts';

describe('a merge patch', () => {
  it.each([
    ['is empty between equals', { a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, {}],
    ['removes what is not wanted', { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ['removes within objects', { a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
    ['replaces lists as a whole', { a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, { a: [{ b: 1 }] }],
    ['adds what is new', {}, { a: { b: 1 } }, { a: { b: 1 } }],
    ['turns a value into an object', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ])('%s', (_, before, wanted, want) => expect(mergePatch(before, wanted)).toEqual(want));
});
