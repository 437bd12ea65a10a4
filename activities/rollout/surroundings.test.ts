import { describe, expect, it } from 'vitest';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type Snapshot } from '../../clients/kubernetes/kubernetes.ts';
import type { ListVersions } from '../../domain/model/observation.ts';
import { readSurroundings, surroundingsReader } from './surroundings.ts';

/** A Kubernetes API whose lists are of the version that it stands at. */
function aCluster() {
  const cluster = { version: 100, lists: 0, time: 1_000_000, held: undefined as Promise<void> | undefined };
  const snapshot = async <T>({ plural }: KindRef): Promise<Snapshot<T>> => {
    const { version, held } = cluster;
    if (plural === 'awstargetgroups') cluster.lists += 1;
    await held;
    return { items: [], resourceVersion: String(version) };
  };
  const reader = surroundingsReader({ snapshot }, () => cluster.time);
  return { cluster, reader };
}

const of = (version: number): ListVersions => ({
  targetGroups: String(version),
  freezes: String(version),
  accessPolicies: String(version),
});

describe('what there is around Cells', () => {
  it('is what was read a moment ago', async () => {
    const { cluster, reader } = aCluster();
    await reader.now('default');
    cluster.version = 101;
    cluster.time += 200;
    expect((await reader.recent('default', of(100)).read).versions).toEqual(of(100));
    expect(cluster.lists).toBe(1);
  });

  it.each([
    ['what was seen is newer', (of101: ListVersions) => ({ seen: of101, later: 200 })],
    ['nobody says what was seen', () => ({ seen: undefined, later: 200 })],
    ['it is more than a second old', () => ({ seen: of(100), later: 1_001 })],
    ['the clock was set back', () => ({ seen: of(100), later: -500 })],
  ])('is read when %s', async (_, when) => {
    const { cluster, reader } = aCluster();
    await reader.now('default');
    const { seen, later } = when(of(101));
    cluster.version = 101;
    cluster.time += later;
    const { at, read } = reader.recent('default', seen);
    expect((await read).versions).toEqual(of(101));
    expect(cluster.lists).toBe(2);
    expect(at).toBeLessThanOrEqual(cluster.time);
  });

  it('is of one namespace', async () => {
    const { cluster, reader } = aCluster();
    await reader.now('default');
    await reader.recent('other', of(100)).read;
    expect(cluster.lists).toBe(2);
  });

  it('is read once for all who ask at the same time', async () => {
    const { cluster, reader } = aCluster();
    await Promise.all([reader.recent('default', of(100)).read, reader.recent('default', of(99)).read]);
    expect(cluster.lists).toBe(1);
  });

  it('is read again for who has seen more than those before', async () => {
    const { cluster, reader } = aCluster();
    const earlier = reader.recent('default', of(100)).read;
    cluster.version = 101;
    expect((await reader.recent('default', of(101)).read).versions).toEqual(of(101));
    expect((await earlier).versions).toEqual(of(100));
  });

  it('is read twice for many who look at the same time: once for the first, and then for all others', async () => {
    const { cluster, reader } = aCluster();
    const { promise, resolve } = Promise.withResolvers<void>();
    cluster.held = promise;
    const first = reader.now('default');
    // What was listed before they asked is too old for them.
    Object.assign(cluster, { version: 101, held: undefined });
    const others = Array.from({ length: 20 }, () => reader.now('default'));
    resolve();
    expect((await first).versions).toEqual(of(100));
    for (const { versions } of await Promise.all(others)) expect(versions).toEqual(of(101));
    expect(cluster.lists).toBe(2);
    await reader.now('default');
    expect(cluster.lists).toBe(3);
  });

  it.each([
    ['does not answer', () => new Promise<void>(() => undefined)],
    ['fails', () => Promise.reject(new Error('Not today.'))],
  ])('is read for the next when a list %s', async (_, held) => {
    const { cluster, reader } = aCluster();
    cluster.held = held();
    void reader.now('default').catch(() => undefined);
    cluster.held = undefined;
    expect((await reader.now('default')).versions).toEqual(of(100));
    expect(cluster.lists).toBe(2);
  });

  it('is not kept when it could not be read', async () => {
    const { cluster, reader } = aCluster();
    cluster.held = Promise.reject(new Error('Not today.'));
    await expect(reader.now('default')).rejects.toThrow('Not today.');
    cluster.held = undefined;
    expect((await reader.recent('default', of(100)).read).versions).toEqual(of(100));
  });

  const missing = new KubernetesError({ status: 404, reason: 'NotFound', message: 'No such kind.' });
  const none = () => Promise.resolve({ items: [], resourceVersion: '100' });

  it('has no Freezes and is not limited where those kinds are not installed', async () => {
    const list = ({ plural }: KindRef) => (plural === 'awstargetgroups' ? none() : Promise.reject(missing));
    const read = await readSurroundings(list, 'default');
    expect(read).toMatchObject({ freezes: [], versions: { targetGroups: '100' } });
    expect(read.access).toBeUndefined();
  });

  it.each([
    [403, 'Forbidden'],
    [503, 'ServiceUnavailable'],
  ])('is not known while a list cannot be read: %s', async (status, reason) => {
    const refusal = new KubernetesError({ status, reason, message: reason });
    const list = ({ plural }: KindRef) => (plural === 'freezes' ? Promise.reject(refusal) : none());
    await expect(readSurroundings(list, 'default')).rejects.toThrow(reason);
  });
});
