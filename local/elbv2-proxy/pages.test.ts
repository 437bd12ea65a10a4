import { describe, expect, it } from 'vitest';
import { cutPage, type PageRequest } from './pages.ts';
import type { Fields } from './protocol/fields.ts';

const rules = (...names: readonly string[]): readonly Fields[] => names.map((RuleArn) => ({ RuleArn }));

const request = (parameters: Fields = {}, pageSize = 2): PageRequest => ({
  action: 'DescribeRules',
  parameters: { ListenerArn: 'l', ...parameters },
  pageSize,
  smallPages: 2,
});

function page(all: readonly Fields[], asked: PageRequest) {
  const cut = cutPage(all, asked);
  if ('badMarker' in cut) throw new Error('expected a page');
  return { names: cut.items.map((one) => one['RuleArn']), marker: cut.nextMarker };
}

describe('cutPage', () => {
  it('gives every item once over all pages: some that are small, and the rest', () => {
    const all = rules('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const seen: unknown[] = [];
    let marker: string | undefined;
    do {
      const next = page(all, request(marker === undefined ? {} : { Marker: marker }));
      seen.push(next.names);
      marker = next.marker;
    } while (marker !== undefined);
    expect(seen).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f', 'g'],
    ]);
  });

  it.each([
    ['what the proxy allows', { PageSize: '400' }, 2, ['a', 'b']],
    ['what the caller asks for', { PageSize: '1' }, 2, ['a']],
    ['everything when both allow it', {}, 400, ['a', 'b', 'c']],
  ])('cuts at %s', (_, parameters, pageSize, want) => {
    expect(page(rules('a', 'b', 'c'), request(parameters, pageSize)).names).toEqual(want);
  });

  it('has no marker on the last page, even when it is full', () => {
    expect(page(rules('a', 'b'), request()).marker).toBeUndefined();
  });

  it('continues behind the last item when an earlier one has gone or come', () => {
    const { marker = '' } = page(rules('a', 'b', 'c', 'd'), request());
    expect(page(rules('b', 'c', 'd'), request({ Marker: marker })).names).toEqual(['c', 'd']);
    expect(page(rules('0', 'a', 'b', 'c', 'd'), request({ Marker: marker })).names).toEqual(['c', 'd']);
  });

  it('continues at the same place when the last item has gone', () => {
    const { marker = '' } = page(rules('a', 'b', 'c', 'd'), request());
    expect(page(rules('a', 'c', 'd'), request({ Marker: marker })).names).toEqual(['d']);
  });

  it.each([
    ['no marker at all', 'nonsense', {}],
    ['a marker of another listener', undefined, { ListenerArn: 'other' }],
  ])('refuses %s', (_, made, parameters) => {
    const { marker } = page(rules('a', 'b', 'c'), request());
    const cut = cutPage(rules('a', 'b', 'c'), request({ ...parameters, Marker: made ?? marker }));
    expect(cut).toHaveProperty('badMarker');
  });
});
