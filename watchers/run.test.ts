import { describe, expect, it } from 'vitest';
import type { KindRef } from '../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import type { SnapshotOptions } from '../clients/kubernetes/kubernetes-list.ts';
import { noLog } from './testing/fakes.ts';
import { runWatchers, type WatcherOptions } from './run.ts';

const filling = 'x'.repeat(1_000_000);
const fat = {
  metadata: { name: 'a', namespace: 'default', resourceVersion: '1' },
  spec: { template: filling },
  data: { config: 'e30=', filling },
  status: { filling },
};

/** How many kinds are watched. */
const KINDS = 20;

/** Lets watchers list every kind once, in which each object is a large one, and says how much of it each of them keeps. */
async function keptBytes(): Promise<ReadonlyMap<string, number>> {
  const kept = new Map<string, number>();
  const stop = new AbortController();
  const give = async <T>(value: unknown): Promise<T> => await Promise.resolve(value as T);
  const none = async function* () {
    yield* await give<[]>([]);
  };
  const kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'snapshot' | 'watch'> = {
    get: () => give(undefined),
    create: (object) => give({ ...object, metadata: { ...object.metadata, resourceVersion: '1' } }),
    patch: () => give({ metadata: { name: 'okra', resourceVersion: '2' } }),
    snapshot: async <T>(kind: KindRef, { trim = (one: T) => one }: SnapshotOptions<T> = {}) => {
      kept.set(kind.kind, JSON.stringify(trim(await give<T>(fat))).length);
      if (kept.size === KINDS) stop.abort();
      return { items: [], resourceVersion: '1' };
    },
    watch: none,
  };
  const clusters = { keep: () => undefined };
  await runWatchers({
    kubernetes: kubernetes as KubernetesClient,
    clusters: clusters as unknown as WatcherOptions['clusters'],
    temporal: { client: { workflow: { list: none } } as unknown as WatcherOptions['temporal']['client'] },
    database: { read: () => give('one'), prepare: () => give(undefined) },
    config: {
      kubernetes: { watchNamespaces: [] },
      temporal: { address: '127.0.0.1:1', namespace: 'default' },
      lease: { namespace: 'default', name: 'okra' },
      identity: 'one',
      taskQueue: 'okra',
      driftIntervalSeconds: 60,
      syncIntervalSeconds: 60,
    },
    log: noLog,
    signal: stop.signal,
  });
  return kept;
}

describe('the watchers', () => {
  it("keep of large objects of other people's kinds next to nothing", async () => {
    const kept = await keptBytes();
    const large = [...kept].filter(([, bytes]) => bytes > 1000).map(([kind]) => kind);
    expect(kept.size).toBe(KINDS);
    expect(large.filter((kind) => !/^(Cell|Freeze|AccessPolicy|ClusterSet|AWS.*)$/.test(kind))).toEqual([]);
    // They would be small as well if this measured nothing.
    expect(large).toContain('Cell');
  });
});
