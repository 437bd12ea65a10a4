import { once } from 'node:events';
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

const give = async <T>(value: unknown): Promise<T> => await Promise.resolve(value as T);
const none = async function* () {
  yield* await give<[]>([]);
};

/** Runs watchers that lead until the signal. */
async function lead(
  of: Pick<KubernetesClient, 'snapshot' | 'watch'>,
  clusters: object,
  signal: AbortSignal,
): Promise<void> {
  const kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'snapshot' | 'watch'> = {
    get: () => give(undefined),
    create: (object) => give({ ...object, metadata: { ...object.metadata, resourceVersion: '1' } }),
    patch: () => give({ metadata: { name: 'okra', resourceVersion: '2' } }),
    ...of,
  };
  await runWatchers({
    kubernetes: kubernetes as KubernetesClient,
    clusters: clusters as WatcherOptions['clusters'],
    temporal: {
      client: { options: {}, workflow: { list: none } } as unknown as WatcherOptions['temporal']['client'],
      namespaceId: () => 'one',
    },
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
    signal,
  });
}

/** Lets watchers list every kind once, in which each object is a large one, and says how much of it each of them keeps. */
async function keptBytes(): Promise<ReadonlyMap<string, number>> {
  const kept = new Map<string, number>();
  const stop = new AbortController();
  const snapshot = async <T>(kind: KindRef, { trim = (one: T) => one }: SnapshotOptions<T> = {}) => {
    kept.set(kind.kind, JSON.stringify(trim(await give<T>(fat))).length);
    if (kept.size === KINDS) stop.abort();
    return { items: [], resourceVersion: '1' };
  };
  await lead({ snapshot, watch: none }, { keep: () => undefined }, stop.signal);
  return kept;
}

const COUNT = 100;

/** Lets many secrets of clusters come at once, and counts how often it is looked what is to be watched in them. */
async function refreshes(): Promise<number> {
  const stop = new AbortController();
  let [looks, seen] = [0, 0];
  const keep = (_namespace: string, { size }: ReadonlySet<string>): void => {
    looks += 1;
    seen = size;
    if (seen === COUNT) stop.abort();
  };
  const secret = (index: number) => ({
    metadata: { name: `c${index}`, namespace: 'shop', uid: `u${index}`, resourceVersion: `${index + 2}` },
    data: {},
  });
  const watch = async function* ({ kind }: KindRef) {
    if (kind !== 'Secret') return;
    for (let index = 0; index < COUNT; index += 1) {
      yield await give<never>({ type: 'ADDED', object: secret(index) });
    }
    await until(stop.signal);
  };
  const snapshot = () => give<never>({ items: [], resourceVersion: '1' });
  await lead({ snapshot, watch: watch as KubernetesClient['watch'] }, { keep }, stop.signal);
  expect(seen).toBe(COUNT);
  return looks;
}

const until = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

describe('the watchers', () => {
  it('look a few times what is to be watched in clusters when many secrets come at once', async () => {
    expect(await refreshes()).toBeLessThan(5);
  });

  it("keep of large objects of other people's kinds next to nothing", async () => {
    const kept = await keptBytes();
    const large = [...kept].filter(([, bytes]) => bytes > 1000).map(([kind]) => kind);
    expect(kept.size).toBe(KINDS);
    expect(large.filter((kind) => !/^(Cell|Freeze|AccessPolicy|ClusterSet|AWS.*)$/.test(kind))).toEqual([]);
    // They would be small as well if this measured nothing.
    expect(large).toContain('Cell');
  });
});
