import { describe, expect, it } from 'vitest';
import { createStore } from './store.ts';

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
    expect(store.list('shop')).toEqual([object('shop', 'web')]);
    expect(store.list()).toHaveLength(2);
    expect(store.list('none')).toEqual([]);
  });

  it('forgets what was deleted', () => {
    const store = createStore();
    store.apply({ type: 'add', object: object('shop', 'web') });
    store.apply({ type: 'delete', object: object('shop', 'web') });
    expect(store.list()).toEqual([]);
  });

  it('shows the newest form of an object', () => {
    const store = createStore<{ metadata: { namespace: string; name: string; resourceVersion?: string } }>();
    store.apply({ type: 'add', object: object('shop', 'web') });
    const next = { metadata: { ...object('shop', 'web').metadata, resourceVersion: '2' } };
    store.apply({ type: 'update', object: next, old: object('shop', 'web') });
    expect(store.list('shop')).toEqual([next]);
  });
});
