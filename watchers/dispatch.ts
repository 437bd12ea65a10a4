import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import type { Sleep } from '../clients/backoff.ts';
import type { Log } from '../clients/log.ts';
import {
  cellRolloutStart,
  driftWatchStart,
  loadBalancerConfigStart,
  syncStart,
  targetGroupCheckStart,
} from '../clients/workflow-start.ts';
import type { WorkflowStart } from '../clients/workflow-start.ts';
import type { Config } from '../config.ts';
import { unreachable } from '../domain/unreachable.ts';
import { changed } from '../workflows/messages.ts';
import { workflowIdOf } from './instruction.ts';
import type { Instruction, WakingSignal } from './instruction.ts';
import { createQueue } from './queue.ts';

/** An instruction that asks for something. */
export type Order = Exclude<Instruction, { do: 'Ignore' }>;

/** The calls to Temporal that carry instructions out. */
export interface WorkflowCalls {
  /** Sends `changed` to a workflow, and starts it first when it does not run. */
  wake(start: WorkflowStart): Promise<void>;
  /** Sends a signal; throws WorkflowNotFoundError when the workflow does not run. */
  signal(workflowId: string, signal: WakingSignal): Promise<void>;
  /** Starts a workflow; throws WorkflowExecutionAlreadyStartedError when it runs. */
  start(start: WorkflowStart): Promise<void>;
}

/** Takes instructions and sees them carried out, however long Temporal is away. */
export interface Dispatcher {
  readonly dispatch: (instruction: Instruction) => void;
  /** How many instructions are not carried out yet. */
  readonly pending: () => number;
  /** Ends when all instructions are carried out. */
  readonly idle: () => Promise<void>;
}

/** What a dispatcher needs. */
export interface DispatcherOptions {
  readonly calls: WorkflowCalls;
  readonly config: Pick<Config, 'taskQueue' | 'driftIntervalSeconds' | 'syncIntervalSeconds'>;
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
    start: ({ type, options }) => inTime(() => client.workflow.start(type, options)),
  };
}

/** Makes a dispatcher, which works until the signal is given. */
export function createDispatcher({ calls, config, log, signal, sleep }: DispatcherOptions): Dispatcher {
  const reportFailure = failureReporter(log);
  const queue = createQueue<Order>({
    keyOf: (order) => [order.do, workflowIdOf(order), order.do === 'Signal' ? order.signal : ''].join(' '),
    perform: (order) => perform(order, { calls, config, log }),
    onFailure: (order, error) => reportFailure(order, error, queue.size()),
    signal,
    ...(sleep === undefined ? {} : { sleep }),
  });
  return {
    dispatch: (instruction) => {
      if (instruction.do !== 'Ignore') queue.put(instruction);
    },
    pending: () => queue.size(),
    idle: () => queue.idle(),
  };
}

type Means = Pick<DispatcherOptions, 'calls' | 'config' | 'log'>;

async function perform(order: Order, { calls, config, log }: Means): Promise<void> {
  switch (order.do) {
    case 'Start':
      await calls.wake(startOf(order, config));
      log.info(describe(order), 'workflow woken');
      return;
    case 'Signal':
      await unless(WorkflowNotFoundError, calls.signal(workflowIdOf(order), order.signal));
      log.debug(describe(order), 'workflow signalled');
      return;
    case 'Watch': {
      const { type, listenerARN } = order;
      const of = { type, listenerARN, intervalSeconds: config.driftIntervalSeconds };
      await unless(WorkflowExecutionAlreadyStartedError, calls.start(driftWatchStart(of, config.taskQueue)));
      log.debug(describe(order), 'listener watched');
      return;
    }
    default:
      unreachable(order);
  }
}

function startOf(order: Extract<Order, { do: 'Start' }>, config: Means['config']): WorkflowStart {
  const { taskQueue, syncIntervalSeconds: intervalSeconds } = config;
  switch (order.workflow) {
    case 'cellRollout':
      return cellRolloutStart(order.key, taskQueue);
    case 'loadBalancerConfig':
      return loadBalancerConfigStart(order, taskQueue);
    case 'targetGroupCheck':
      return targetGroupCheckStart({ namespace: order.namespace, intervalSeconds }, taskQueue);
    case 'clusterSet':
    case 'targetGroupSet':
    case 'targetGroupBinding':
      return syncStart({ workflow: order.workflow, key: order.key, intervalSeconds }, taskQueue);
    default:
      return unreachable(order);
  }
}

async function unless(expected: new (...args: never[]) => Error, call: Promise<void>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof expected)) throw error;
  }
}

const QUIET_MILLISECONDS = 10_000;

// While Temporal is away every instruction fails again and again; a line now and then says enough.
function failureReporter(log: Log): (order: Order, error: unknown, pending: number) => void {
  let quietUntil = 0;
  return (order, error, pending) => {
    const level = performance.now() < quietUntil ? 'debug' : 'warn';
    if (level === 'warn') quietUntil = performance.now() + QUIET_MILLISECONDS;
    log[level]({ ...describe(order), pending, err: error }, 'workflow not reached, trying again');
  };
}

const describe = (order: Order) => ({
  workflowId: workflowIdOf(order),
  ...(order.do === 'Signal' ? { signal: order.signal } : {}),
});
