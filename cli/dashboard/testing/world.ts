import type { KindRef } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient, WatchEvent } from '../../../clients/kubernetes/kubernetes.ts';
import type { Access } from '../../../clients/kubernetes/person.ts';
import type { Operator, RequestAnswer } from '../../../clients/temporal/operator.ts';
import type { WeightHistory } from '../../../clients/temporal/weight-history.ts';
import type { FakeObject } from '../../okractl/testing/shell.ts';
import type { Viewer } from '../hub.ts';

/** A cluster in memory that can be watched, and those who look at it. */
export interface World {
  readonly session: Viewer['session'] & { readonly namespace: string; readonly leaseNamespace: string };
  /** Puts an object there, and tells those who watch. */
  readonly put: (object: FakeObject) => void;
  /** Takes an object away, and tells those who watch. */
  readonly remove: (object: FakeObject) => void;
  /** What was sent to workflows. */
  readonly sent: unknown[];
}

/** What the world of a test is like. */
export interface WorldOptions {
  readonly objects?: readonly FakeObject[];
  readonly allowed?: (access: Access) => boolean | Promise<boolean>;
  readonly answer?: RequestAnswer;
  /** Whether no run is open any more when a signal comes. */
  readonly isClosed?: true;
  readonly weights?: () => Promise<WeightHistory>;
  /** How an API server answers that does not. */
  readonly list?: (kind: KindRef) => Promise<readonly unknown[]>;
  readonly snapshot?: (kind: KindRef, options?: { readonly namespace?: string }) => Promise<unknown>;
}

/** Makes a world. */
export function aWorld(options: WorldOptions = {}): World {
  const { allowed = () => true, answer = { is: 'Taken', message: 'The rollout of 2.0.0 is paused.' } } =
    options;
  const sent: unknown[] = [];
  const { kubernetes, put, remove } = watchable(options);
  const operator: Operator = {
    ask: (workflowId, name, request) => {
      sent.push({ workflowId, name, ...request });
      return Promise.resolve(answer);
    },
    tell: () => Promise.resolve(options.isClosed !== true),
    startWith: () => Promise.resolve(),
    inspect: () => Promise.resolve({ missingAttributes: [], unpolled: [] }),
    knownRuns: () => Promise.resolve({ is: 'These' }),
    weights: options.weights ?? (() => Promise.resolve({ told: [], versions: {} })),
    close: () => Promise.resolve(),
  };
  return {
    session: {
      kubernetes,
      namespace: 'default',
      leaseNamespace: 'okra',
      whoAmI: () => Promise.resolve('ann'),
      identity: () => Promise.resolve({ name: 'ann', groups: ['release'] }),
      may: async (access) => allowed(access),
      operator: () => Promise.resolve(operator),
      taskQueue: 'okra',
      temporal: { address: '127.0.0.1:7233', namespace: 'default' },
      temporalUi: undefined,
      docsUrl: undefined,
    },
    put,
    remove,
    sent,
  };
}

function watchable({ objects = [], snapshot, list }: WorldOptions): {
  readonly kubernetes: KubernetesClient;
  readonly put: World['put'];
  readonly remove: World['remove'];
} {
  const all = new Map<string, FakeObject>();
  const watchers = new Set<(event: Seen) => void>();
  let version = 0;
  const keyOf = ({ kind, metadata }: FakeObject): string =>
    `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
  const put = (object: FakeObject): void => {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    all.set(keyOf(object), stored);
    for (const watcher of watchers) watcher({ type: 'MODIFIED', object: stored });
  };
  const remove = (object: FakeObject): void => {
    all.delete(keyOf(object));
    for (const watcher of watchers) watcher({ type: 'DELETED', object });
  };
  objects.forEach(put);
  const of = ({ kind }: KindRef, namespace?: string): FakeObject[] =>
    [...all.values()].filter(
      (object) =>
        object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace),
    );
  const client: Partial<Record<keyof KubernetesClient, unknown>> = {
    get: (kind: KindRef, { namespace, name }: { namespace: string; name: string }) =>
      Promise.resolve(all.get(`${kind.kind} ${namespace}/${name}`)),
    list: list ?? ((kind: KindRef) => Promise.resolve(of(kind))),
    snapshot:
      snapshot ??
      ((kind: KindRef, { namespace }: { namespace?: string } = {}) =>
        Promise.resolve({ items: of(kind, namespace), resourceVersion: String(version) })),
    watch: (kind: KindRef, { signal }: { signal: AbortSignal }) => events(kind, watchers, signal),
  };
  return { kubernetes: client as KubernetesClient, put, remove };
}

type Seen = Exclude<WatchEvent<FakeObject>, { readonly type: 'BOOKMARK' }>;

async function* events(
  { kind }: KindRef,
  watchers: Set<(event: Seen) => void>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<FakeObject>> {
  const waiting: Seen[] = [];
  let wake: () => void = () => undefined;
  const watcher = (event: Seen): void => {
    if (event.object.kind !== kind) return;
    waiting.push(event);
    wake();
  };
  watchers.add(watcher);
  signal.addEventListener('abort', () => wake());
  while (!signal.aborted) {
    yield* waiting.splice(0);
    // Who was told may have given the signal.
    if (signal.aborted) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  watchers.delete(watcher);
}
