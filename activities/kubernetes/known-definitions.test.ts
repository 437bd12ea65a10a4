import { describe, expect, it } from 'vitest';
import { FREEZE } from '../../clients/kubernetes/kinds.ts';
import { knownDefinitions } from './known-definitions.ts';

const made = '2026-01-01T00:00:00Z';

/** A cluster in which the definition of Freezes is read, and counted. */
function aCluster() {
  const cluster = {
    time: 1_000_000,
    reads: 0,
    definition: { creationTimestamp: made } as object | undefined,
    /** What discovery says; it may be older than what was read. */
    isServed: false,
    /** What the next read of the definition waits for. */
    next: Promise.resolve(),
  };
  const client = {
    get: async <T>() => {
      cluster.reads += 1;
      const { next, definition: metadata } = cluster;
      await next;
      return metadata === undefined ? undefined : ({ metadata } as T);
    },
    serves: () => Promise.resolve(cluster.isServed),
  };
  const definitions = knownDefinitions(client, () => cluster.time);
  const after = (...uids: readonly string[]) =>
    definitions(
      FREEZE,
      undefined,
      uids.map((uid) => ({ metadata: { uid } })),
    );
  return { cluster, definitions, after };
}

describe('the definition of a kind that is listed again and again', () => {
  it('is read once every few seconds while nothing is missing', async () => {
    const { cluster, after } = aCluster();
    expect(await after('a')).toEqual({ isThere: true, since: made });
    cluster.time += 9_000;
    expect(await after('a', 'b')).toEqual({ isThere: true, since: made });
    expect(cluster.reads).toBe(1);
    cluster.time += 2_000;
    await after('a', 'b');
    expect(cluster.reads).toBe(2);
  });

  it.each([
    ['an object of the first list', ['a'], []],
    ['an object of a later list', ['a', 'b'], ['a']],
  ])('is read again when %s is missing', async (_, listed, left) => {
    const { cluster, after } = aCluster();
    await after('a');
    await after(...listed);
    cluster.definition = { creationTimestamp: made, deletionTimestamp: made };
    expect(await after(...left)).toMatchObject({ isThere: false });
  });

  it('is read again when an object is being deleted', async () => {
    const { cluster, definitions, after } = aCluster();
    await after('a');
    cluster.definition = { creationTimestamp: made, deletionTimestamp: made };
    const listed = [{ metadata: { uid: 'a', deletionTimestamp: made } }];
    expect(await definitions(FREEZE, undefined, listed)).toMatchObject({ isThere: false });
  });

  it('is read each time while it is being deleted', async () => {
    const { cluster, after } = aCluster();
    cluster.definition = { creationTimestamp: made, deletionTimestamp: made };
    await after('a');
    cluster.definition = { creationTimestamp: '2026-01-02T00:00:00Z' };
    expect(await after('a')).toEqual({ isThere: true, since: '2026-01-02T00:00:00Z' });
  });

  it('is gone where it was there before, whatever discovery says still', async () => {
    const { cluster, after } = aCluster();
    await after('a');
    cluster.definition = undefined;
    cluster.isServed = true;
    expect(await after()).toMatchObject({ isThere: false });
  });

  it('is there where kinds come without definitions', async () => {
    const { cluster, after } = aCluster();
    cluster.definition = undefined;
    cluster.isServed = true;
    expect(await after('a')).toMatchObject({ isThere: true });
    expect(await after()).toMatchObject({ isThere: true });
  });

  it('is read again when an object is missing that was listed while an earlier list waited for the definition', async () => {
    const { cluster, after } = aCluster();
    const { promise, resolve } = Promise.withResolvers<void>();
    cluster.next = promise;
    const early = after('a');
    cluster.next = Promise.resolve();
    await after('a', 'b');
    resolve();
    await early;
    cluster.definition = { creationTimestamp: made, deletionTimestamp: made };
    expect(await after('a')).toMatchObject({ isThere: false });
  });

  it('is read again after the clock was set back', async () => {
    const { cluster, after } = aCluster();
    await after('a');
    cluster.time -= 60_000;
    await after('a');
    expect(cluster.reads).toBe(2);
  });
});
