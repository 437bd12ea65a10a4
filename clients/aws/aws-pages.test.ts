import { describe, expect, it } from 'vitest';
import { readPages } from './aws-pages.ts';

interface Page {
  readonly items: readonly string[];
  readonly next: string;
}

/** Reads a list whose pages are what they are asked for by their number, and counts them. */
async function reading(pageOf: (asked: number) => Page) {
  let asked = 0;
  const page = () => Promise.resolve(pageOf((asked += 1)));
  const found = await readPages({ service: 'EKS', of: 'clusters', page }).catch(String);
  return { found, asked };
}

describe('a list of AWS', () => {
  it('is read to its end', async () => {
    const found = await reading((asked) => ({ items: [`a${asked}`], next: asked < 3 ? `x${asked}` : '' }));
    expect(found).toEqual({ found: ['a1', 'a2', 'a3'], asked: 3 });
  });

  it.each<[string, (asked: number) => Page, number, string]>([
    [
      'goes round in a circle',
      (asked) => ({ items: [], next: `x${asked % 2}` }),
      3,
      'the token of a page that was there before',
    ],
    ['does not end', (asked) => ({ items: [], next: `x${asked}` }), 1_000, 'more than 1000 pages'],
    [
      'is longer than any quota',
      (asked) => ({ items: Array.from({ length: 6_000 }, String), next: `x${asked}` }),
      2,
      'more than 10000 entries',
    ],
    [
      'has a page without an end',
      () => ({ items: Array.from({ length: 300_000 }, String), next: '' }),
      1,
      'more than 10000 entries',
    ],
    [
      'has tokens without an end',
      () => ({ items: [], next: 'x'.repeat(20_000) }),
      1,
      'more than 16000 characters',
    ],
  ])('is not read when it %s', async (_, pageOf, most, problem) => {
    const { found, asked } = await reading(pageOf);
    expect(found).toContain('Error: cannot list clusters of EKS: ');
    expect(found).toContain(problem);
    expect(asked).toBe(most);
  });
});
