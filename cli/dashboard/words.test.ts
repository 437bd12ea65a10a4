import { expect, it } from 'vitest';
import type { OfferView } from './view.ts';

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
    'Kubernetes does not let you pause, promote in full.',
    'Kubernetes has not said yet whether it lets you abort. It is asked again before anything is sent.',
  ]);
  expect(rightsOf([{ name: 'abort', may: 'Yes' }])).toEqual([]);
});
