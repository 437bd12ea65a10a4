import { describe, expect, it } from 'vitest';
import { hasMarks, patchMarks, withGenerated } from './generated.ts';

const before = withGenerated({ labels: { a: '1', b: '2' }, annotations: { c: '3' } });

describe('the marks of a generated object', () => {
  it('say which of them were generated', () => {
    expect(before.annotations['okra.mumo.co/generated']).toBe('a,b;c');
  });

  it('are there beside what others have added', () => {
    expect(hasMarks({ ...before, labels: { ...before.labels, mine: 'x' } }, before)).toBe(true);
    expect(hasMarks({ ...before, labels: { a: '1' } }, before)).toBe(false);
  });

  it('go when they are not wanted any more, and leave what others have added', () => {
    const found = { labels: { ...before.labels, mine: 'x' }, annotations: before.annotations };
    const wanted = withGenerated({ labels: { a: '1' }, annotations: {} });
    expect(patchMarks(found, wanted)).toEqual({
      labels: { a: '1', b: null },
      annotations: { c: null, 'okra.mumo.co/generated': 'a;' },
    });
  });

  it('are added to an object that has none', () => {
    expect(patchMarks({ labels: {}, annotations: {} }, before).labels).toEqual({ a: '1', b: '2' });
  });
});
