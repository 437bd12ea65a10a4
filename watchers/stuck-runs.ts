import { sleep as sleepByClock } from '../clients/backoff.ts';
import { inBatches } from '../clients/concurrency.ts';
import type { Metrics, Sample } from '../clients/metrics/metrics.ts';
import type { OpenRun, WaitingSignal, WorkflowTasks } from '../clients/temporal/workflow-tasks.ts';
import { findShortened, findStuck } from '../domain/model/stuck-run.ts';
import { kindsWithWorkflow } from '../domain/model/workflow-ids.ts';
import { isWakingSignal } from './instruction.ts';
import { runReplacer, type Found, type ReplacerOptions } from './run-replacer.ts';

interface StuckRunOptions extends ReplacerOptions {
  /** Called when the database of Temporal was restored, which may lack what was started since. */
  readonly onRestored: () => void;
  readonly metrics: Pick<Metrics, 'states'>;
}

const CHECK_MILLISECONDS = 10_000;

/** How many runs are read in a check where the server does not mark those that fail, how many at once, and the pause after these. */
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
  const { tasks, metrics, onRestored, signal, log, sleep = sleepByClock, clock = Date.now } = options;
  const listed = runLister(tasks);
  const replacer = runReplacer(options);
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
    await replacer.finish();
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
    if (found.some(({ isShortened }) => isShortened)) onRestored();
    await replacer.replace(found);
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

/** Makes what lists the runs to read in a check: those at work, and of the others those that the server marks and some in turns. */
function runLister(tasks: WorkflowTasks): () => Promise<readonly OpenRun[]> {
  const atWork = inTurns(() => tasks.list(working, 'All'));
  const others = inTurns(() => tasks.list(lasting, 'All'));
  return async () => {
    const first = await atWork(MOST_READ);
    if (!(await tasks.marksFailing()))
      return [...first, ...(await others(Math.max(MOST_READ - first.length, FEWEST_OTHERS)))];
    const marked = await inTurns(() => tasks.list(lasting, 'Marked'))(MOST_READ);
    return [...first, ...marked, ...(await others(FEWEST_OTHERS))];
  };
}

/** Goes through a list, so many at a time; after its end it is listed anew. */
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
