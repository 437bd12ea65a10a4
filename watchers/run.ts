import type { Client } from '@temporalio/client';
import { sleep, unheard, type Waiting } from '../clients/backoff.ts';
import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import type { Log } from '../clients/log.ts';
import { noMetrics, type Metrics } from '../clients/metrics/metrics.ts';
import type { RemoteClusters } from '../clients/kubernetes/remote-clusters.ts';
import type { Temporal } from '../clients/temporal/temporal.ts';
import { workflowTasks } from '../clients/temporal/workflow-tasks.ts';
import type { Config } from '../config/config.ts';
import { createDispatcher, workflowCalls, type Dispatcher } from './dispatch.ts';
import { runElection, type ElectionTiming } from './election/election.ts';
import { runInformer, type InformerTiming } from './informer/informer.ts';
import { cachedFields } from './informer/cached-fields.ts';
import { kindsWithWorkflow, workedObject } from '../domain/model/workflow-ids.ts';
import { watchStuckRuns } from './stuck-runs.ts';
import { firstListing } from './informer/first-listing.ts';
import { watchRemotely } from './informer/remote.ts';
import { decidesWatches } from './routes/route-remote.ts';
import { tellOf } from './metrics/telling.ts';
import { createRouter, type Router } from './router.ts';
import { sources as everywhere, type KindEvent, type Source } from './kinds.ts';
import { given } from '../domain/model/fields.ts';

export interface WatcherOptions {
  readonly kubernetes: KubernetesClient;
  readonly clusters: RemoteClusters;
  readonly temporal: Pick<Temporal, 'client' | 'namespaceId'>;
  readonly config: Pick<
    Config,
    | 'kubernetes'
    | 'temporal'
    | 'lease'
    | 'identity'
    | 'taskQueue'
    | 'driftIntervalSeconds'
    | 'syncIntervalSeconds'
    | 'stagedSelector'
  >;
  readonly log: Log;
  readonly metrics?: Pick<Metrics, 'count' | 'observe' | 'states'>;
  readonly signal: AbortSignal;
  /** Told what is waited for: the Lease, and to know all objects while leading. */
  readonly needs?: { readonly lease: Waiting; readonly kinds: Waiting };
  readonly timing?: {
    readonly election?: Partial<ElectionTiming>;
    readonly informer?: Partial<InformerTiming>;
  };
}

/** Stands for election and, while leading, turns events of Kubernetes into messages to workflows, until the signal is given. */
export async function runWatchers(options: WatcherOptions): Promise<void> {
  const { kubernetes, config, log, signal, needs, timing } = options;
  // Who stands by needs to know none.
  needs?.kinds(undefined);
  await runElection({
    waiting: needs?.lease,
    kubernetes,
    lease: config.lease,
    identity: config.identity,
    lead: (leading) => watch({ ...options, signal: leading }),
    log,
    signal,
    ...given({ timing: timing?.election }),
  });
}

// Everything is routed as new after this time, so that a workflow which was lost meanwhile is started again.
const REPLAY_MILLISECONDS = 600_000;
const nextReplay = (): number => performance.now() + REPLAY_MILLISECONDS * (0.9 + Math.random() / 5);

// So often it is looked whether Temporal has another database.
const LOOK_MILLISECONDS = 5_000;

// So long what was routed before the end may still be sent.
const DRAIN_MILLISECONDS = 5_000;

async function watch(options: WatcherOptions): Promise<void> {
  const { temporal, config, log, signal } = options;
  const ended = new AbortController();
  const calls = workflowCalls(temporal.client);
  const dispatcher = createDispatcher({ calls, config, log, signal: ended.signal });
  const router = createRouter((instruction) => dispatcher.dispatch(instruction), log);
  const telling = tellOf(options.metrics ?? noMetrics, { ...dispatcher, view: router.view });
  const told = { ...router, take: (event: KindEvent) => (telling.take(event), router.take(event)) };
  try {
    await inform(options, { router: told, dispatcher, telling });
    if (dispatcher.pending() > 0) log.info({ pending: dispatcher.pending() }, 'sending what is left');
    await Promise.race([dispatcher.idle(), sleep(DRAIN_MILLISECONDS, ended.signal)]);
  } finally {
    telling.end();
    ended.abort();
    options.needs?.kinds(undefined);
    if (signal.aborted && dispatcher.pending() > 0)
      log.warn({ pending: dispatcher.pending() }, 'left unsent');
  }
}

interface Means {
  readonly router: Router;
  readonly dispatcher: Dispatcher;
  readonly telling: ReturnType<typeof tellOf>;
}

async function inform(options: WatcherOptions, { router, dispatcher, telling }: Means): Promise<void> {
  const { log, signal, temporal, clusters, needs, timing } = options;
  const { metrics = noMetrics, kubernetes, config } = options;
  const namespaces = config.kubernetes.watchNamespaces;
  const sources = sourcesOf(config);
  const { dispatch, carryOut } = dispatcher;
  const remote = watchRemotely({
    clusters,
    view: router.view,
    dispatch,
    log,
    signal,
    ...given({ timing: timing?.informer }),
  });
  const tasks = workflowTasks(temporal.client, config.taskQueue);
  const { listed, hasBegun } = firstListing(sources, {
    begin: () => {
      router.replay();
      remote.refresh();
      log.info('watching');
      void wakeOrphans({ client: temporal.client, namespaces, router, dispatcher, log });
      void watchStuckRuns({ tasks, router, carryOut, kubernetes, metrics, log, signal });
    },
    waiting: needs?.kinds ?? unheard,
    log,
    signal,
  });
  const unrefreshed = (error: unknown): void => log.error({ err: error }, 'watches not brought up to date');
  const refreshRemote = inOneGo(() => remote.refresh(), unrefreshed);
  const onEvent = (happened: KindEvent): void => {
    router.take(happened);
    if (hasBegun() && decidesWatches(happened)) refreshRemote();
  };
  const informers = sources.map((source) => {
    const { kind } = source.kind;
    telling.asked(kind, source.namespace);
    return runInformer({
      ...source,
      kubernetes,
      log,
      signal,
      onSynced: () => listed(source),
      onAnswer: (error) => telling.answered(kind, source.namespace, error),
      // The kind that was asked for is the kind that comes.
      onEvent: (event) => onEvent({ kind, event } as KindEvent),
      ...given({ trim: cachedFields(kind), timing: timing?.informer }),
    });
  });
  const replaying = async () => {
    let known = temporal.namespaceId();
    for (let due = nextReplay(); ;) {
      await sleep(LOOK_MILLISECONDS, signal);
      if (signal.aborted) return;
      const found = temporal.namespaceId();
      const isLost = known !== undefined && found !== known;
      if (isLost) log.warn({ before: known, found }, 'new temporal database, restarting workflows');
      known = found;
      if (!hasBegun() || (!isLost && performance.now() < due)) continue;
      router.replay();
      due = nextReplay();
    }
  };
  await Promise.all([...informers, replaying()]);
  await remote.ended();
}

interface PlacedSource extends Source {
  readonly namespace?: string;
}

function sourcesOf({
  kubernetes: { watchNamespaces: namespaces },
  stagedSelector,
}: WatcherOptions['config']): readonly PlacedSource[] {
  const all = everywhere
    .filter(({ kind }) => stagedSelector !== undefined || !stagedKinds.has(kind.kind))
    .map((source) =>
      source.kind.kind === 'StagedBindingPolicy' && stagedSelector !== undefined
        ? { ...source, labelSelector: stagedSelector }
        : source,
    );
  if (namespaces.length === 0) return all;
  return all.flatMap((source) =>
    source.kind.namespaced ? namespaces.map((namespace) => ({ ...source, namespace })) : [source],
  );
}

const stagedKinds: ReadonlySet<string> = new Set([
  'StagedBindingPolicy',
  'BindingPolicy',
  'Binding',
  'CombinedStatus',
]);

/** So long nothing is done after it was asked for first, in milliseconds, and at least four times as long as it has taken before. */
const REST = { milliseconds: 50, times: 4 };

/** Does something once for all who ask within a moment, as a leader that is busy does not renew its Lease. */
export function inOneGo(
  perform: () => void,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): () => void {
  let isDue = false;
  let rest = REST.milliseconds;
  const run = (): void => {
    isDue = false;
    const startedAt = now();
    try {
      perform();
    } catch (error) {
      onFailure(error);
    }
    rest = Math.max(REST.milliseconds, (now() - startedAt) * REST.times);
  };
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(run, rest);
  };
}

const orphanTypes = [...new Set(kindsWithWorkflow.map(({ workflow }) => workflow.type))];
const QUERY = `ExecutionStatus = 'Running' AND WorkflowType IN (${orphanTypes.map((type) => `'${type}'`).join(', ')})`;

/** Tells running workflows whose object was deleted while nobody watched to look again. */
export async function wakeOrphans({
  client,
  namespaces,
  router,
  dispatcher,
  log,
}: {
  readonly client: Pick<Client, 'workflow'>;
  readonly namespaces: readonly string[];
  readonly router: Pick<Router, 'objectOf'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly log: Log;
}): Promise<void> {
  const isWatched = ({ kind, key }: NonNullable<ReturnType<typeof workedObject>>): boolean =>
    !kind.namespaced || namespaces.length === 0 || namespaces.includes(key.namespace);
  try {
    for await (const { workflowId } of client.workflow.list({ query: QUERY })) {
      const object = workedObject(workflowId);
      if (object === undefined || !isWatched(object)) continue;
      if (router.objectOf(workflowId)?.object !== undefined) continue;
      log.info({ workflowId }, 'object was deleted while the watch was down');
      dispatcher.dispatch({ do: 'Signal', workflowId, signal: 'changed' });
    }
  } catch (error) {
    // They find out by themselves when they look the next time.
    log.warn({ err: error }, 'running workflows not listed');
  }
}
