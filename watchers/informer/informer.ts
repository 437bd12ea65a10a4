import { given } from '../../domain/model/fields.ts';
import { sleep as sleepByClock, waitAfter, type Backoff, type Sleep } from '../../clients/backoff.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import {
  isForbidden,
  isNotFound,
  KubernetesError,
  type KubernetesClient,
  type WatchEvent,
} from '../../clients/kubernetes/kubernetes.ts';
import type { Log } from '../../clients/log.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { LAST_APPLIED_ANNOTATION } from '../../domain/kubernetes/labels.ts';

/** What an informer tells about, to whom, and how long it waits. */
export interface InformerOptions<T> {
  readonly kubernetes: Pick<KubernetesClient, 'snapshot' | 'watch'>;
  readonly kind: KindRef;
  /** All namespaces when undefined. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Whether Okra can do without the kind: then one that is not installed, or not allowed, counts as empty. */
  readonly optional?: boolean;
  readonly onEvent: (event: ObjectEvent<T>) => void;
  readonly onSynced: () => void;
  /** Told of each answer about the kind, and of each error in the place of one. */
  readonly onAnswer?: (error: unknown) => void;
  /** Called when the kind is watched again after it could not be. */
  readonly onRecovered?: () => void;
  /** Takes of an object what is kept; undefined: all that is of any use. */
  readonly trim?: (object: T) => T;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly signal: AbortSignal;
  readonly timing?: Partial<InformerTiming>;
}

/** How long an informer waits, and by which clock. */
export interface InformerTiming {
  readonly backoff: Backoff;
  /** After about this time everything is listed again, so that an event lost on the way is made up for. */
  readonly relistSeconds: number;
  /** Milliseconds that never go back. */
  readonly now: () => number;
  readonly sleep: Sleep;
  readonly random: () => number;
}

const usual: InformerTiming = {
  backoff: { first: 500, longest: 5_000 },
  relistSeconds: 600,
  now: () => performance.now(),
  sleep: sleepByClock,
  random: Math.random,
};

// After a stream that lived this long, the next one is opened at once.
const GOOD_STREAM_MILLISECONDS = 5_000;

/** Begins to know objects, and says what of them is news. */
export function createCache<T extends Informed>() {
  const known = new Map<string, T>();

  function put(object: T): readonly ObjectEvent<T>[] {
    const old = known.get(cacheKeyOf(object));
    known.set(cacheKeyOf(object), object);
    if (old === undefined) return [{ type: 'add', object }];
    if (old.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    // Deleted and made again while nobody looked: another object of the same name.
    if (old.metadata.uid !== object.metadata.uid)
      return [
        { type: 'delete', object: old },
        { type: 'add', object },
      ];
    return [{ type: 'update', object, old }];
  }

  function remove(object: T): readonly ObjectEvent<T>[] {
    return known.delete(cacheKeyOf(object)) ? [{ type: 'delete', object }] : [];
  }

  function replace(objects: readonly T[]): readonly ObjectEvent<T>[] {
    const kept = new Set(objects.map(cacheKeyOf));
    const gone = [...known.values()].filter((object) => !kept.has(cacheKeyOf(object)));
    return [...gone.flatMap(remove), ...objects.flatMap(put)];
  }

  return { put, remove, replace };
}

const cacheKeyOf = ({ metadata }: Informed): string => `${metadata.namespace ?? ''}/${metadata.name}`;

interface Informer<T extends Informed> extends InformerOptions<T> {
  readonly timing: InformerTiming;
  readonly known: ReturnType<typeof createCache<T>>;
  readonly reportFailure: (error: unknown) => void;
  /** From where to watch; undefined when everything has to be listed again. */
  version: string | undefined;
  relistAt: number;
  synced: boolean;
}

/** Tells of every change of the objects of a kind until the signal is given, whatever the API server goes through. */
export async function runInformer<T extends Informed>(options: InformerOptions<T>): Promise<void> {
  const timing = { ...usual, ...options.timing };
  const informer: Informer<T> = {
    ...options,
    timing,
    known: createCache<T>(),
    reportFailure: failureReporter(options),
    version: undefined,
    relistAt: 0,
    synced: false,
  };
  for (let failures = 0; !options.signal.aborted;) {
    const startedAt = timing.now();
    await attempt(informer);
    // A stream that ends at once counts as a failure too: a server that stops ends it without an error.
    failures = timing.now() - startedAt >= GOOD_STREAM_MILLISECONDS ? 0 : failures + 1;
    if (failures > 0) await timing.sleep(waitAfter(failures, timing.backoff, timing.random), options.signal);
  }
}

async function attempt<T extends Informed>(informer: Informer<T>): Promise<void> {
  try {
    // Even where every watch breaks, for example at a proxy that does not support them.
    if (informer.timing.now() >= informer.relistAt) informer.version = undefined;
    informer.version ??= await relist(informer);
    await follow(informer, informer.version);
  } catch (error) {
    if (informer.signal.aborted) return;
    informer.reportFailure(error);
    if (!canResume(error)) informer.version = undefined;
    if (isTooLarge(error)) await informer.timing.sleep(TOO_LARGE_AGAIN_MILLISECONDS, informer.signal);
    if (informer.optional === true && isAbsent(error)) sync(informer);
  }
}

async function relist<T extends Informed>(informer: Informer<T>): Promise<string> {
  const { kubernetes, kind, timing, namespace, labelSelector, signal } = informer;
  const trim = trimOf(informer);
  const options = { namespace, labelSelector, signal, trim };
  const { items, resourceVersion } = await kubernetes.snapshot<T>(kind, options);
  informer.relistAt = timing.now() + timing.relistSeconds * 1000 * (0.9 + timing.random() / 5);
  informer.known.replace(items).forEach(informer.onEvent);
  informer.reportFailure(undefined);
  sync(informer);
  return resourceVersion;
}

async function follow<T extends Informed>(informer: Informer<T>, resourceVersion: string): Promise<void> {
  const { kubernetes, kind, timing, namespace, labelSelector, signal } = informer;
  const timeoutSeconds = Math.max(1, Math.ceil((informer.relistAt - timing.now()) / 1000));
  const options = { namespace, labelSelector, signal, resourceVersion, timeoutSeconds };
  for await (const event of kubernetes.watch<T>(kind, options)) {
    informer.version = take(informer, event);
    informer.reportFailure(undefined);
  }
}

function take<T extends Informed>(informer: Informer<T>, event: WatchEvent<T>): string | undefined {
  if (event.type === 'BOOKMARK') return event.resourceVersion;
  const object = trimOf(informer)(event.object);
  const news = event.type === 'DELETED' ? informer.known.remove(object) : informer.known.put(object);
  news.forEach(informer.onEvent);
  return object.metadata.resourceVersion;
}

function sync<T extends Informed>(informer: Informer<T>): void {
  if (informer.synced) return;
  informer.synced = true;
  informer.onSynced();
}

const trimOf = <T extends Informed>({ trim = slim }: InformerOptions<T>): ((object: T) => T) => trim;

/** Leaves out what kubectl remembers of an object, and what the API server does: the largest part of most. */
export function slim<T extends Informed>(object: T): T {
  const metadata: Informed['metadata'] & { readonly annotations?: Readonly<Record<string, string>> } =
    object.metadata;
  const { [LAST_APPLIED_ANNOTATION]: applied, ...annotations } = metadata.annotations ?? {};
  const others = applied === undefined ? {} : { annotations };
  return { ...object, metadata: { ...metadata, ...others, managedFields: undefined } };
}

// Where the server was away or busy, the version is as good as before; any other answer may be about the version.
function canResume(error: unknown): boolean {
  if (!(error instanceof KubernetesError) || isBeyondMeasure.has(error.reason)) return false;
  return [0, 429, 500, 502, 503].includes(error.status);
}

// What was kept of such a stream goes with it.
const isBeyondMeasure = new Set(['AnswerTooLarge', 'Malformed']);

// To list all of it again and again, for nothing, would keep the process busy.
const TOO_LARGE_AGAIN_MILLISECONDS = 300_000;

const isTooLarge = (error: unknown): boolean =>
  error instanceof KubernetesError && error.reason === 'ListTooLarge';

const isAbsent = (error: unknown): boolean =>
  error instanceof KubernetesError && [403, 404].includes(error.status);

// One line when it begins to fail, one for each other reason, and one when it works again.
function failureReporter<T>({
  kind,
  namespace,
  optional,
  log,
  onAnswer,
  onRecovered,
}: InformerOptions<T>): (error: unknown) => void {
  let last = '';
  let hasWorked = false;
  const of = { kind: kind.kind, ...given({ namespace }) };
  return (error) => {
    onAnswer?.(error);
    const reason = reasonOf(error);
    hasWorked ||= reason === '';
    if (reason === last) return;
    if (reason === '') {
      log.info(of, 'watch works again');
      onRecovered?.();
    } else if (optional === true && isNotFound(error)) {
      log.info(of, 'kind not installed, asking again');
    } else {
      // What a default installation does without is nothing to warn of.
      const level = optional === true && !hasWorked && isForbidden(error) ? 'info' : 'warn';
      log[level]({ ...of, reason, err: error }, 'watch failed, trying again');
    }
    last = reason;
  };
}

function reasonOf(error: unknown): string {
  if (error === undefined) return '';
  return error instanceof KubernetesError ? error.reason : 'Unknown';
}

/** What is to run under a key, until it is not wanted any more, or in another version. */
export interface WantedWatch {
  readonly version: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Runs watches by their keys until the signal. */
export function createWatchSet(signal: AbortSignal) {
  const running = new Map<string, { readonly version: string; readonly stop: AbortController }>();
  const ending = new Set<Promise<void>>();

  function start(key: string, { version, run }: WantedWatch): void {
    const stop = new AbortController();
    running.set(key, { version, stop });
    const ended = run(AbortSignal.any([signal, stop.signal])).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  return {
    update: (wanted: ReadonlyMap<string, WantedWatch>): void => {
      for (const [key, { version, stop }] of running) {
        if (wanted.get(key)?.version === version) continue;
        stop.abort();
        running.delete(key);
      }
      for (const [key, watch] of wanted) if (!running.has(key)) start(key, watch);
    },
    ended: async (): Promise<void> => void (await Promise.all(ending)),
  };
}
