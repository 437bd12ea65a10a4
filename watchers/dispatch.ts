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
import { changed } from '../workflows/messages.ts';
import { workflowIdOf, type Instruction, type WakingSignal } from './instruction.ts';
import { createQueue } from './informer/queue.ts';
import { given } from '../domain/model/fields.ts';

interface DispatcherOptions {
  readonly calls: WorkflowCalls;
  readonly config: Pick<Config, 'taskQueue' | 'driftIntervalSeconds' | 'syncIntervalSeconds' | 'temporal'>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
}

const CALL_MILLISECONDS = 10_000;

/** The calls to Temporal that carry instructions out. */
export type WorkflowCalls = ReturnType<typeof workflowCalls>;

/** Makes the calls with a Temporal client; each of them has to be answered in time. */
export function workflowCalls(client: Client) {
  const inTime = async (call: () => Promise<unknown>): Promise<void> => {
    await client.withDeadline(Date.now() + CALL_MILLISECONDS, call);
  };
  return {
    /** Sends `changed` to a workflow, and starts it first when it does not run. */
    wake: ({ type, options }: WorkflowStart) =>
      inTime(() => client.workflow.signalWithStart(type, { ...options, signal: changed, signalArgs: [] })),
    /** Sends a signal; throws WorkflowNotFoundError when the workflow does not run. */
    signal: (workflowId: string, signal: WakingSignal) =>
      inTime(() => client.workflow.getHandle(workflowId).signal(signal)),
  };
}

/** Takes instructions and sees them carried out, however long Temporal is away. */
export type Dispatcher = ReturnType<typeof createDispatcher>;

/** Makes a dispatcher, which works until the signal is given. */
export function createDispatcher({ calls, config, log, signal, sleep }: DispatcherOptions) {
  const reportFailure = failureReporter(log, config.temporal.namespace);
  const carryOut = (instruction: Instruction): Promise<void> => perform(instruction, { calls, config, log });
  const queue = createQueue<Instruction>({
    keyOf: (instruction) => JSON.stringify([instruction.do, describe(instruction)]),
    perform: carryOut,
    onFailure: (instruction, error) => reportFailure(instruction, error, queue.size()),
    backoff: (error) => (isRefused(error) ? refused : away),
    signal,
    ...given({ sleep }),
  });
  return {
    dispatch: queue.put,
    carryOut,
    pending: queue.size,
    idle: queue.idle,
  };
}

type Means = Pick<DispatcherOptions, 'calls' | 'config' | 'log'>;

async function perform(instruction: Instruction, { calls, config, log }: Means): Promise<void> {
  const of = describe(instruction);
  if (instruction.do === 'Signal') await unlessGone(calls.signal(of.workflowId, instruction.signal));
  else await calls.wake(startFor(instruction, config));
  log.debug(of, instruction.do === 'Signal' ? 'workflow signalled' : 'workflow woken');
}

function startFor(
  instruction: Exclude<Instruction, { do: 'Signal' }>,
  { taskQueue, driftIntervalSeconds, syncIntervalSeconds: intervalSeconds }: Means['config'],
): WorkflowStart {
  switch (instruction.do) {
    case 'Start':
      return objectStart({ kind: instruction.kind, key: instruction.key, intervalSeconds }, taskQueue);
    case 'CheckTargetGroups':
      return targetGroupCheckStart({ namespace: instruction.namespace, intervalSeconds }, taskQueue);
    case 'Watch': {
      const { type, place } = instruction;
      // One that runs is woken, as the interval may be another since it has gone to sleep.
      return driftWatchStart({ type, place, intervalSeconds: driftIntervalSeconds }, taskQueue);
    }
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
