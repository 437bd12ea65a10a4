import { describe, expect, it } from 'vitest';
import { createCache } from './informer.ts';
import type { Informed } from '../event.ts';

const object = (name: string, resourceVersion: string, uid = `uid-${name}`): Informed => ({
  metadata: { namespace: 'default', name, uid, resourceVersion },
});

describe('what an informer knows', () => {
  it('grows by an object that is new', () => {
    expect(createCache().put(object('a', '1'))).toEqual([{ type: 'add', object: object('a', '1') }]);
  });

  it('tells an update together with the old object', () => {
    const known = createCache();
    known.put(object('a', '1'));
    expect(known.put(object('a', '2'))).toEqual([
      { type: 'update', object: object('a', '2'), old: object('a', '1') },
    ]);
  });

  it('says nothing of an object that is the same', () => {
    const known = createCache();
    known.put(object('a', '1'));
    expect(known.put(object('a', '1'))).toEqual([]);
  });

  it('tells that an object was replaced by another of its name', () => {
    const known = createCache();
    known.put(object('a', '1', 'first'));
    expect(known.put(object('a', '5', 'second')).map(({ type }) => type)).toEqual(['delete', 'add']);
  });

  it('tells a deletion once', () => {
    const known = createCache();
    known.put(object('a', '1'));
    expect(known.remove(object('a', '2'))).toEqual([{ type: 'delete', object: object('a', '2') }]);
    expect(known.remove(object('a', '2'))).toEqual([]);
  });

  it('finds out by a new list what came, changed and went unseen', () => {
    const known = createCache();
    known.replace([object('a', '1'), object('b', '1'), object('c', '1')]);
    const news = known.replace([object('b', '2'), object('c', '1'), object('d', '3')]);
    expect(news.map(({ type, object: { metadata } }) => `${type} ${metadata.name}`)).toEqual([
      'delete a',
      'update b',
      'add d',
    ]);
  });

  it('keeps objects of one name in different namespaces apart', () => {
    const known = createCache();
    known.put({ metadata: { namespace: 'x', name: 'a', resourceVersion: '1' } });
    const news = known.put({ metadata: { namespace: 'y', name: 'a', resourceVersion: '2' } });
    expect(news.map(({ type }) => type)).toEqual(['add']);
  });
});
