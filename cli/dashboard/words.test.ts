import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { OfferView } from './cell-page.ts';

// It is made for browsers, whose types nothing else here knows.
const { rightsOf } = (await import(new URL('assets/words.mjs', import.meta.url).href)) as {
  readonly rightsOf: (offers: readonly Pick<OfferView, 'name' | 'may'>[]) => readonly string[];
};

it('says of what Kubernetes has not said anything yet something else than of what it refuses', () => {
  expect(
    rightsOf([
      { name: 'pause', may: 'No' },
      { name: 'promoteFull', may: 'No' },
      { name: 'resume', may: 'Yes' },
      { name: 'abort', may: 'Unknown' },
    ]),
  ).toEqual([
    'You do not have permission to pause, promote fully.',
    'Permission to abort not known yet. It is checked again before anything is sent.',
  ]);
  expect(rightsOf([{ name: 'abort', may: 'Yes' }])).toEqual([]);
});

const assets = new URL('assets/', import.meta.url);

it.each(readdirSync(assets))('needs no font with signs: %s', (file) => {
  const text = readFileSync(new URL(file, assets), 'utf8');
  // These are in every font of letters.
  expect(text.match(/[^\p{ASCII}…–]/gu)).toBeNull();
});
