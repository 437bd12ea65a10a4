import { sleep as sleepByClock, waitAfter, type Sleep } from '../clients/backoff.ts';
import { inBatches } from '../clients/concurrency.ts';
import { emitEvent } from '../clients/kubernetes/object-event.ts';
import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import type { Log } from '../clients/log.ts';
import type { Metrics, Sample } from '../clients/metrics/metrics.ts';
import type { OpenRun, WaitingSignal, WorkflowTasks } from '../clients/temporal/workflow-tasks.ts';
import { keyOf } from '../domain/model/ids.ts';
import type { RequestName } from '../domain/model/request.ts';
import {
  findShortened,
  findStuck,
  terminationFor,
  WORKFLOW_STUCK,
  type StuckFor,
} from '../domain/model/stuck-run.ts';
import { kindsWithWorkflow } from '../domain/model/workflow-ids.ts';
import { sentence } from '../domain/text.ts';
import { createQueue } from './informer/queue.ts';
import { isWakingSignal, start, type Instruction } from './instruction.ts';
import type { Router } from './router.ts';

interface StuckRunOptions {
  readonly tasks: WorkflowTasks;
  readonly router: Pick<Router, 'objectOf' | 'replay'>;
  readonly carryOut: (order: Instruction) => Promise<void>;
  readonly kubernetes: Pick<KubernetesClient, 'create'>;
  readonly metrics: Pick<Metrics, 'states'>;
  readonly log: Pick<Log, 'warn' | 'debug'>;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly clock?: () => number;
}

interface Found {
  readonly run: OpenRun;
  readonly stuck: StuckFor;
  readonly signals: readonly WaitingSignal[];
  readonly isShortened: boolean;
}

const CHECK_MILLISECONDS = 10_000;

/** How many runs are read in a check, of those that may be thousands at least, how many at once, and the pause after these. */
const MOST_READ = 200;
const FEWEST_OTHERS = 50;
const BATCH = 4;
const BATCH_MILLISECONDS = 100;

/** Runs that are not read for so long are closed, or read rarely. */
const REMEMBERED_MILLISECONDS = 3_600_000;

/** Their runs close when there is nothing left to do, so that those that are open are at work. */
const working = ['cellRollout', 'loadBalancerConfig'];
/** Their runs stay open as long as their object exists, and there may be thousands. */
const lasting = [
  ...new Set(kindsWithWorkflow.map(({ workflow }) => workflow.type)),
  'driftWatch',
  'targetGroupCheck',
].filter((type) => !working.includes(type));

/** Replaces runs whose workflow task fails again and again, until the signal is given. */
export async function watchStuckRuns(options: StuckRunOptions): Promise<void> {
  const { tasks, router, metrics, signal, log, sleep = sleepByClock, clock = Date.now } = options;
  const listed = runLister(tasks);
  const replace = runReplacer(options);
  let found: readonly Found[] = [];
  const counter = stuckCounter(clock);
  const end = metrics.states('workflows', counter.read);

  const lengths = new Map<string, { readonly events: number; readonly at: number }>();

  async function examine(run: OpenRun): Promise<Found | undefined> {
    const reading = await tasks.read(run);
    const now = clock();
    const before = lengths.get(run.runId);
    const shortened = reading && findShortened(reading.events, before?.events ?? 0);
    if (before !== undefined && shortened !== undefined)
      return {
        run,
        stuck: shortened,
        signals: requestsIn(await tasks.signalsSince(run, before.at)),
        isShortened: true,
      };
    if (reading !== undefined) lengths.set(run.runId, { events: reading.events, at: now });
    const stuck = reading?.due && findStuck(reading.due.task, now);
    return stuck === undefined
      ? undefined
      : { run, stuck, signals: requestsIn(reading?.due?.signals ?? []), isShortened: false };
  }

  async function read(run: OpenRun): Promise<Found | undefined> {
    if (signal.aborted) return undefined;
    try {
      return await examine(run);
    } catch (error) {
      log.debug({ ...run, err: error }, 'workflow task not read');
      return undefined;
    }
  }

  async function check(): Promise<void> {
    const listedRuns = [...found.map(({ run }) => run), ...(await listed())];
    const runs = [...new Map(listedRuns.map((run) => [run.runId, run])).values()];
    const all = await inBatches(runs, BATCH, async (run) => {
      const one = await read(run);
      if (runs.length > BATCH) await sleep(BATCH_MILLISECONDS, signal);
      return one;
    });
    found = all.filter((one) => one !== undefined);
    counter.add(found);
    for (const [runId, { at }] of lengths) if (clock() - at > REMEMBERED_MILLISECONDS) lengths.delete(runId);
    if (found.some(({ isShortened }) => isShortened)) router.replay();
    await replace(found);
  }

  try {
    for (; !signal.aborted; await sleep(CHECK_MILLISECONDS, signal)) {
      try {
        await check();
      } catch (error) {
        // Temporal is away, which those say who need it.
        log.debug({ err: error }, 'workflow tasks not checked');
      }
    }
  } finally {
    end();
  }
}

/** What was asked of a run and is not answered; all else is read again by the run that follows. */
const requestsIn = (signals: readonly WaitingSignal[]): readonly WaitingSignal[] =>
  signals.filter(({ signalName }) => !isWakingSignal(signalName ?? ''));

/** How long a run counts as stuck after a check, in milliseconds: several scrapes, and longer than its replacement takes to be stuck. */
const COUNTED_MILLISECONDS = 300_000;

function stuckCounter(clock: () => number) {
  const counted = new Map<string, { readonly type: string; readonly at: number }>();
  return {
    add: (found: readonly Found[]): void => {
      for (const { run } of found) counted.set(run.runId, { type: run.type, at: clock() });
    },
    read: (): readonly Sample[] => {
      for (const [runId, { at }] of counted) if (clock() - at > COUNTED_MILLISECONDS) counted.delete(runId);
      return [...Map.groupBy(counted.values(), ({ type }) => type)].map(([type, runs]) => ({
        name: 'okra_workflows_stuck',
        labels: { type },
        value: runs.length,
      }));
    },
  };
}

function runLister(tasks: WorkflowTasks): () => Promise<readonly OpenRun[]> {
  const atWork = inTurns(() => tasks.list(working));
  const others = inTurns(() => tasks.list(lasting));
  return async () => {
    const first = await atWork(MOST_READ);
    return [...first, ...(await others(Math.max(MOST_READ - first.length, FEWEST_OTHERS)))];
  };
}

function inTurns<T>(list: () => AsyncIterable<T>): (most: number) => Promise<readonly T[]> {
  let rest: AsyncIterator<T> | undefined;
  return async (most) => {
    const taken: T[] = [];
    while (taken.length < most) {
      rest ??= list()[Symbol.asyncIterator]();
      const next = await rest.next();
      if (next.done === true) {
        rest = undefined;
        break;
      }
      taken.push(next.value);
    }
    return taken;
  };
}

interface Replaced extends Pick<Found, 'signals'> {
  readonly order: Instruction;
  readonly workflowId: string;
}

/** A run that took the place of another, and is stuck as well, is not replaced at once. */
const again = { first: 120_000, longest: 3_600_000 };

function runReplacer(options: StuckRunOptions): (found: readonly Found[]) => Promise<void> {
  const { tasks, router, log, signal, sleep = sleepByClock, clock = Date.now } = options;
  const replacements = new Map<string, { readonly times: number; readonly notBefore: number }>();
  const queue = createQueue<Replaced>({
    keyOf: ({ workflowId }) => workflowId,
    perform: (one) => startAgain(one, options),
    onFailure: ({ workflowId }, error) =>
      log.warn({ workflowId, err: error }, 'workflow not started again yet, trying again'),
    signal,
    sleep,
  });

  /** Replaces a run, and answers whether everything has to be routed anew for what takes its place. */
  async function replace({ run, stuck, signals }: Found): Promise<boolean> {
    const { workflowId } = run;
    const worked = router.objectOf(workflowId);
    if (worked !== undefined && worked.object === undefined) {
      log.debug(run, 'stuck run left, its object is not known here');
      return false;
    }
    const reason = terminationFor(stuck);
    if (!(await tasks.terminate(run, reason))) return false;
    const times = (replacements.get(workflowId)?.times ?? 0) + 1;
    replacements.set(workflowId, { times, notBefore: clock() + waitAfter(times, again, () => 0) });
    log.warn({ ...run, reason }, 'run terminated, starting another');
    if (worked?.object === undefined) return true;
    queue.put({ order: start(worked.kind.kind, keyOf(worked.object)), workflowId, signals });
    await tell(run, stuck, options);
    return false;
  }

  return async (found) => {
    const now = clock();
    // One that has run for long since is as any other.
    for (const [workflowId, { notBefore }] of replacements)
      if (now > notBefore + again.longest) replacements.delete(workflowId);
    let isReplayDue = false;
    for (const one of found) {
      if (now < (replacements.get(one.run.workflowId)?.notBefore ?? 0)) continue;
      try {
        if (await replace(one)) isReplayDue = true;
      } catch (error) {
        log.warn({ ...one.run, err: error }, 'stuck run not terminated, trying again');
      }
    }
    if (isReplayDue) router.replay();
  };
}

const ABORT: RequestName = 'abort';
/** How long a run takes to find the rollout that it continues. */
const TAKE_UP_MILLISECONDS = 2_000;

async function startAgain(
  { order, workflowId, signals }: Replaced,
  { tasks, carryOut, signal, sleep = sleepByClock }: StuckRunOptions,
): Promise<void> {
  await carryOut(order);
  const { aborts = [], others = [] } = Object.groupBy(signals, ({ signalName }) =>
    signalName === ABORT ? 'aborts' : 'others',
  );
  for (const one of aborts) await tasks.resend(workflowId, one);
  // A run keeps an abort for the rollout that it takes up; what else is asked of it makes sense after that.
  if (others.length > 0) await sleep(TAKE_UP_MILLISECONDS, signal);
  for (const one of others) await tasks.resend(workflowId, one);
}

async function tell(
  { workflowId, runId }: OpenRun,
  stuck: StuckFor,
  { router, kubernetes, log, signal }: StuckRunOptions,
): Promise<void> {
  const worked = router.objectOf(workflowId);
  if (worked?.object?.metadata.uid === undefined) return;
  const { kind, object } = worked;
  const about = { kind, key: keyOf(object), uid: object.metadata.uid ?? '', signal };
  const message = `${sentence(stuck)} Run ${runId} was terminated, and a new run continues from the status.`;
  const event = { id: `stuck-${runId}`, type: 'Warning', reason: WORKFLOW_STUCK, message } as const;
  await emitEvent(kubernetes, about, event).catch((error: unknown) =>
    log.warn({ workflowId, err: error }, 'event not created'),
  );
}
