import { sleep as sleepByClock, waitAfter, type Sleep } from '../clients/backoff.ts';
import { emitEvent } from '../clients/kubernetes/object-event.ts';
import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import type { Log } from '../clients/log.ts';
import type { OpenRun, WaitingSignal, WorkflowTasks } from '../clients/temporal/workflow-tasks.ts';
import { keyOf } from '../domain/model/ids.ts';
import type { RequestName } from '../domain/model/request.ts';
import { terminationFor, WORKFLOW_STUCK, type StuckFor } from '../domain/model/stuck-run.ts';
import { sentence } from '../domain/text.ts';
import type { Instruction } from './instruction.ts';
import type { Router } from './router.ts';

/** What is needed to replace runs. */
export interface ReplacerOptions {
  readonly tasks: WorkflowTasks;
  readonly router: Pick<Router, 'objectOf' | 'ordersFor'>;
  readonly carryOut: (order: Instruction) => Promise<void>;
  readonly kubernetes: Pick<KubernetesClient, 'create'>;
  readonly log: Pick<Log, 'warn' | 'debug'>;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly clock?: () => number;
}

/** A run that cannot continue, and all that is known of it. */
export interface Found {
  readonly run: OpenRun;
  readonly stuck: StuckFor;
  readonly signals: readonly WaitingSignal[];
  /** Whether Temporal has lost a part of it. */
  readonly isShortened: boolean;
}

interface Replaced {
  readonly order: Instruction;
  readonly workflowId: string;
  readonly signals: readonly WaitingSignal[];
}

/** A run that took the place of another, and is stuck as well, is not replaced at once. */
const again = { first: 120_000, longest: 3_600_000 };

const ABORT: RequestName = 'abort';
/** How long a run takes to find the rollout that it continues. */
const TAKE_UP_MILLISECONDS = 2_000;

/** Makes what terminates runs and starts others in their place. */
export function runReplacer(options: ReplacerOptions) {
  const { tasks, router, carryOut, log, signal, sleep = sleepByClock, clock = Date.now } = options;
  const replacements = new Map<string, { readonly times: number; readonly notBefore: number }>();
  let unfinished: readonly Replaced[] = [];

  async function terminate({ run, stuck, signals }: Found, order: Instruction): Promise<void> {
    const { workflowId } = run;
    const reason = terminationFor(stuck);
    if (!(await tasks.terminate(run, reason))) return;
    const times = (replacements.get(workflowId)?.times ?? 0) + 1;
    replacements.set(workflowId, { times, notBefore: clock() + waitAfter(times, again, () => 0) });
    unfinished = [...unfinished, { order, workflowId, signals }];
    log.warn({ ...run, reason }, 'run terminated, starting another');
    await tell(run, stuck, options);
  }

  async function send({ workflowId, signals }: Replaced, isDue: (name: string) => boolean): Promise<void> {
    for (const one of signals) if (isDue(one.signalName ?? '')) await tasks.resend(workflowId, one);
  }

  /** Does the same for each, and answers with those for which it could be done; the others are left for the next check. */
  async function eachOf(
    all: readonly Replaced[],
    perform: (one: Replaced) => Promise<void>,
  ): Promise<readonly Replaced[]> {
    const done: Replaced[] = [];
    for (const one of all) {
      try {
        await perform(one);
        done.push(one);
      } catch (error) {
        log.warn({ workflowId: one.workflowId, err: error }, 'workflow not started again yet, trying again');
        unfinished = [...unfinished, one];
      }
    }
    return done;
  }

  async function finish(): Promise<void> {
    const all = unfinished;
    unfinished = [];
    const started = await eachOf(all, async (one) => {
      await carryOut(one.order);
      await send(one, (name) => name === ABORT);
    });
    const others = started.filter(({ signals }) => signals.some(({ signalName }) => signalName !== ABORT));
    // A run keeps an abort for the rollout that it takes up; what else is asked of it makes sense after that.
    if (others.length > 0) await sleep(TAKE_UP_MILLISECONDS, signal);
    await eachOf(others, (one) => send(one, (name) => name !== ABORT));
  }

  async function replace(found: readonly Found[]): Promise<void> {
    const now = clock();
    // One that has run for long since is as any other.
    for (const [workflowId, { notBefore }] of replacements)
      if (now > notBefore + again.longest) replacements.delete(workflowId);
    const due = found.filter(({ run }) => now >= (replacements.get(run.workflowId)?.notBefore ?? 0));
    if (due.length === 0) return;
    const orders = router.ordersFor(due.map(({ run }) => run.workflowId));
    for (const one of due) {
      const order = orders.get(one.run.workflowId);
      if (order === undefined) log.debug(one.run, 'stuck run left, its object is not known here');
      else {
        await terminate(one, order).catch((error: unknown) =>
          log.warn({ ...one.run, err: error }, 'stuck run not terminated, trying again'),
        );
      }
    }
    await finish();
  }

  return { replace, finish };
}

async function tell(
  { workflowId, runId }: OpenRun,
  stuck: StuckFor,
  { router, kubernetes, log, signal }: ReplacerOptions,
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
