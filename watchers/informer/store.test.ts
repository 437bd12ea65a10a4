import { describe, expect, it } from 'vitest';
import { createStore, labelWords, type Shelved } from './store.ts';

const object = (namespace: string, name: string) => ({ metadata: { namespace, name } });

describe('the store', () => {
  it('finds an object by its key', () => {
    const store = createStore();
    store.apply({ type: 'add', object: object('shop', 'web') });
    expect(store.get({ namespace: 'shop', name: 'web' })).toEqual(object('shop', 'web'));
    expect(store.get({ namespace: 'other', name: 'web' })).toBeUndefined();
  });

  it('lists a namespace, or all', () => {
    const store = createStore();
    store.apply({ type: 'add', object: object('shop', 'web') });
    store.apply({ type: 'add', object: object('blog', 'web') });
    expect([...store.list('shop')]).toEqual([object('shop', 'web')]);
    expect([...store.list()]).toHaveLength(2);
    expect([...store.list('none')]).toEqual([]);
  });

  it('forgets what was deleted', () => {
    const store = createStore();
    store.apply({ type: 'add', object: object('shop', 'web') });
    store.apply({ type: 'delete', object: object('shop', 'web') });
    expect([...store.list()]).toEqual([]);
  });

  it('shows the newest form of an object', () => {
    const store = createStore<{ metadata: { namespace: string; name: string; resourceVersion?: string } }>();
    store.apply({ type: 'add', object: object('shop', 'web') });
    const next = { metadata: { ...object('shop', 'web').metadata, resourceVersion: '2' } };
    store.apply({ type: 'update', object: next, old: object('shop', 'web') });
    expect([...store.list('shop')]).toEqual([next]);
  });
});

describe('what stands under words', () => {
  const labelled = (name: string, labels: Record<string, string>) => ({
    metadata: { namespace: 'shop', name, labels },
  });
  const wordsOf = ({ metadata }: ReturnType<typeof labelled>) => labelWords(metadata.labels);
  const names = (found: Shelved<ReturnType<typeof labelled>>) => found.map(({ metadata }) => metadata.name);

  it('is found by the one that the fewest have, and by its newest words', () => {
    const store = createStore({ wordsOf });
    const [a, b, c] = [
      labelled('a', { role: 'web', of: 'a' }),
      labelled('b', { role: 'web', of: 'b' }),
      labelled('c', { role: 'db' }),
    ] as const;
    for (const one of [a, b, c]) store.apply({ type: 'add', object: one });
    expect(names(store.under('shop', labelWords({ role: 'web', of: 'b' })))).toEqual(['b']);
    expect(names(store.under('shop', labelWords({ role: 'web' })))).toEqual(['a', 'b']);
    expect(names(store.under('shop', labelWords({ role: 'none' })))).toEqual([]);
    expect(names(store.under('other', labelWords({ role: 'web' })))).toEqual([]);
    store.apply({ type: 'update', object: labelled('b', { role: 'db' }), old: b });
    store.apply({ type: 'delete', object: a });
    expect(names(store.under('shop', labelWords({ role: 'web' })))).toEqual([]);
    expect(names(store.under('shop', labelWords({ role: 'db' })))).toEqual(['c', 'b']);
  });

  it('is all of the namespace where nobody asks for a word', () => {
    const store = createStore({ wordsOf });
    store.apply({ type: 'add', object: labelled('a', { role: 'web' }) });
    expect(names(store.under('shop', []))).toEqual(['a']);
  });
});

describe('objects of which one has a form that no schema allows', () => {
  const named = (name: string, spec?: object) => ({ metadata: { namespace: 'shop', name }, spec });
  type Odd = ReturnType<typeof named> & { readonly spec: { readonly wanted: string } };
  const read = ({ spec }: Odd): boolean => spec.wanted === 'yes';
  const untold: string[] = [];
  const store = createStore<Odd>({
    wordsOf: () => ['all'],
    unread: ({ metadata }) => void untold.push(metadata.name),
  });
  for (const one of [named('odd'), named('one', { wanted: 'yes' }), named('two', { wanted: 'no' })])
    store.apply({ type: 'add', object: one as Odd });

  it.each([
    ['filtered', (all: Shelved<Odd>) => all.filter(read).map(({ metadata }) => metadata.name), ['one']],
    ['searched', (all: Shelved<Odd>) => [all.some(read)], [true]],
    ['mapped', (all: Shelved<Odd>) => all.map(read), [true, false]],
    ['mapped to several', (all: Shelved<Odd>) => all.flatMap((one) => (read(one) ? [1, 2] : [])), [1, 2]],
    [
      'filtered after another filter',
      (all: Shelved<Odd>) =>
        all
          .filter(() => true)
          .filter(read)
          .map(({ metadata }) => metadata.name),
      ['one'],
    ],
  ])('are %s without it, and it is told of', (_, reading, want) => {
    for (const all of [store.list(), store.list('shop'), store.under('shop', ['all'])]) {
      untold.splice(0);
      expect(reading(all)).toEqual(want);
      expect(untold).toEqual(['odd']);
    }
  });
});
