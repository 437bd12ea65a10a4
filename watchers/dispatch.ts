import type { Client } from '@temporalio/client';
import type { Backoff, Sleep } from '../clients/backoff.ts';
import { detailsOf, hasCode, statusCodes, unlessGone } from '../clients/temporal/grpc-status.ts';
import type { Log } from '../clients/log.ts';
import { registration } from '../clients/temporal/search-attributes.ts';
import {
  driftWatchStart,
  objectStart,
  targetGroupCheckStart,
  type WorkflowStart,
} from '../clients/temporal/workflow-start.ts';
import type { Config } from '../config/config.ts';
import { unreachable } from '../domain/unreachable.ts';
import { changed } from '../workflows/messages.ts';
import { workflowIdOf, type Instruction, type WakingSignal } from './instruction.ts';
import { createQueue } from './informer/queue.ts';
import { given } from '../domain/model/fields.ts';

/** The calls to Temporal that carry instructions out. */
export interface WorkflowCalls {
  /** Sends `changed` to a workflow, and starts it first when it does not run. */
  wake(start: WorkflowStart): Promise<void>;
  /** Sends a signal; throws WorkflowNotFoundError when the workflow does not run. */
  signal(workflowId: string, signal: WakingSignal): Promise<void>;
}

interface DispatcherOptions {
  readonly calls: WorkflowCalls;
  readonly config: Pick<Config, 'taskQueue' | 'driftIntervalSeconds' | 'syncIntervalSeconds' | 'temporal'>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

const CALL_MILLISECONDS = 10_000;

/** Makes the calls with a Temporal client; each of them has to be answered in time. */
export function workflowCalls(client: Client): WorkflowCalls {
  const inTime = async (call: () => Promise<unknown>): Promise<void> => {
    await client.withDeadline(Date.now() + CALL_MILLISECONDS, call);
  };
  return {
    wake: ({ type, options }) =>
      inTime(() => client.workflow.signalWithStart(type, { ...options, signal: changed, signalArgs: [] })),
    signal: (workflowId, signal) => inTime(() => client.workflow.getHandle(workflowId).signal(signal)),
  };
}

/** Takes instructions and sees them carried out, however long Temporal is away. */
export type Dispatcher = ReturnType<typeof createDispatcher>;

/** Makes a dispatcher, which works until the signal is given. */
export function createDispatcher({ calls, config, log, signal, sleep }: DispatcherOptions) {
  const reportFailure = failureReporter(log, config.temporal.namespace);
  const queue = createQueue<Instruction>({
    keyOf: (instruction) =>
      [instruction.do, workflowIdOf(instruction), instruction.do === 'Signal' ? instruction.signal : ''].join(
        ' ',
      ),
    perform: (instruction) => perform(instruction, { calls, config, log }),
    onFailure: (instruction, error) => reportFailure(instruction, error, queue.size()),
    backoff: (error) => (isRefused(error) ? refused : away),
    signal,
    ...given({ sleep }),
  });
  return {
    dispatch: queue.put,
    carryOut: (instruction: Instruction) => perform(instruction, { calls, config, log }),
    pending: queue.size,
    idle: queue.idle,
  };
}

type Means = Pick<DispatcherOptions, 'calls' | 'config' | 'log'>;

async function perform(instruction: Instruction, { calls, config, log }: Means): Promise<void> {
  const { taskQueue, driftIntervalSeconds, syncIntervalSeconds: intervalSeconds } = config;
  switch (instruction.do) {
    case 'Start':
      await calls.wake(
        objectStart({ kind: instruction.kind, key: instruction.key, intervalSeconds }, taskQueue),
      );
      log.debug(describe(instruction), 'workflow woken');
      return;
    case 'CheckTargetGroups':
      await calls.wake(
        targetGroupCheckStart({ namespace: instruction.namespace, intervalSeconds }, taskQueue),
      );
      log.debug(describe(instruction), 'workflow woken');
      return;
    case 'Signal':
      await unlessGone(calls.signal(workflowIdOf(instruction), instruction.signal));
      log.debug(describe(instruction), 'workflow signalled');
      return;
    case 'Watch': {
      const { type, place } = instruction;
      // One that runs is woken, as the interval may be another since it has gone to sleep.
      const of = { type, place, intervalSeconds: driftIntervalSeconds };
      await calls.wake(driftWatchStart(of, taskQueue));
      log.debug(describe(instruction), 'listener watched');
      return;
    }
    default:
      unreachable(instruction);
  }
}

const away: Backoff = { first: 200, longest: 5_000 };

// What Temporal refuses has to be put right by a person, and there may be one such instruction for each object.
const refused: Backoff = { first: 1_000, longest: 60_000 };

const isRefused = (error: unknown): boolean => hasCode(error, statusCodes.INVALID_ARGUMENT);

const QUIET_MILLISECONDS = 10_000;

// While Temporal is away every instruction fails again and again; a line now and then says enough.
function failureReporter(
  log: Log,
  namespace: string,
): (instruction: Instruction, error: unknown, pending: number) => void {
  const quietUntil = { away: 0, refused: 0 };
  return (instruction, error, pending) => {
    const of = { ...describe(instruction), pending, err: error };
    const kind = isRefused(error) ? 'refused' : 'away';
    const isQuiet = performance.now() < quietUntil[kind];
    if (!isQuiet) quietUntil[kind] = performance.now() + QUIET_MILLISECONDS;
    if (kind === 'away') log[isQuiet ? 'debug' : 'warn'](of, 'workflow not reached, trying again');
    else log[isQuiet ? 'debug' : 'error'](of, refusal(error, namespace));
  };
}

function refusal(error: unknown, namespace: string): string {
  const said = detailsOf(error);
  const todo = /search attribute/i.test(said)
    ? registration(namespace)
    : 'See which limit of the Temporal server that is.';
  return `Temporal refuses this: ${said}. Retrying. ${todo}`;
}

const describe = (instruction: Instruction) => ({
  workflowId: workflowIdOf(instruction),
  ...(instruction.do === 'Signal' ? { signal: instruction.signal } : {}),
});
