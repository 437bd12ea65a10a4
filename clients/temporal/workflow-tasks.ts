import type { Client } from '@temporalio/client';
import type { DueTask, TaskFailure } from '../../domain/model/stuck-run.ts';
import { hasCode, statusCodes, unlessGone } from './grpc-status.ts';

/** A run that was open when it was listed. */
export interface OpenRun {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
}

type Raw = Client['workflowService'];
type Execution = Pick<OpenRun, 'workflowId' | 'runId'>;
type HistoryEvent = NonNullable<
  NonNullable<Awaited<ReturnType<Raw['getWorkflowExecutionHistoryReverse']>>['history']>['events']
>[number];

/** A signal that a run has not taken up, as Temporal keeps it. */
export type WaitingSignal = NonNullable<HistoryEvent['workflowExecutionSignaledEventAttributes']>;

/** What is known of an open run. */
export interface RunReading {
  readonly events: number;
  /** The workflow task that is due, and what the run was sent since it completed one, the oldest first; undefined: none is due. */
  readonly due?: { readonly task: DueTask; readonly signals: readonly WaitingSignal[] };
}

/** The workflow tasks of open runs, as Temporal knows them. */
export type WorkflowTasks = ReturnType<typeof workflowTasks>;

const CALL_MILLISECONDS = 10_000;
const PAGE_EVENTS = 100;
/** A run that is signalled all the time gets a page of events in about a minute. */
const MOST_PAGES = 20;

/** Reads the tasks of the runs on a task queue; those on other queues may belong to another installation. */
export function workflowTasks(client: Client, taskQueue: string) {
  const { namespace } = client.options;
  const inTime = <T>(call: (service: Raw) => Promise<T>): Promise<T> =>
    client.withDeadline(Date.now() + CALL_MILLISECONDS, () => call(client.workflowService));
  /** The last events of a run, as long as they are of a kind, the oldest first. */
  const latestOf = (execution: Execution, isOne: (event: HistoryEvent) => boolean) => {
    const request = { namespace, execution, maximumPageSize: PAGE_EVENTS };
    return lastWhile(isOne, (nextPageToken) =>
      inTime((service) => service.getWorkflowExecutionHistoryReverse({ ...request, nextPageToken })),
    );
  };
  const isOpen = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue.replaceAll("'", "''")}'`;

  return {
    list: async function* (types: readonly string[]): AsyncIterable<OpenRun> {
      const query = `${isOpen} AND WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;
      for await (const { workflowId, runId, type } of client.workflow.list({ query }))
        yield { workflowId, runId, type };
    },
    /** Reads what became of the last tasks of a run; undefined when Temporal does not know it any more. */
    read: async ({ workflowId, runId }: OpenRun): Promise<RunReading | undefined> => {
      const execution = { workflowId, runId };
      try {
        const { pendingWorkflowTask, workflowExecutionInfo } = await inTime((service) =>
          service.describeWorkflowExecution({ namespace, execution }),
        );
        const events = Number(workflowExecutionInfo?.historyLength ?? 0);
        if (pendingWorkflowTask === null || pendingWorkflowTask === undefined) return { events };
        const latest = await latestOf(execution, (event) => !event.workflowTaskCompletedEventAttributes);
        const task = { attempt: pendingWorkflowTask.attempt ?? 1, failures: latest.flatMap(failureOf) };
        return { events, due: { task, signals: latest.flatMap(signalOf) } };
      } catch (error) {
        if (hasCode(error, statusCodes.NOT_FOUND)) return undefined;
        throw error;
      }
    },
    signalsSince: async ({ workflowId, runId }: OpenRun, time: number): Promise<readonly WaitingSignal[]> => {
      const latest = await latestOf({ workflowId, runId }, (event) => timeOf(event) >= time);
      return latest.flatMap(signalOf);
    },
    /** Terminates a run; answers false when it has ended before. */
    terminate: async ({ workflowId, runId }: OpenRun, reason: string): Promise<boolean> => {
      const terminated = inTime(() => client.workflow.getHandle(workflowId, runId).terminate(reason));
      return (await unlessGone(terminated)) !== undefined;
    },
    /** Sends a signal once more, to the run that is open now. */
    resend: async (workflowId: string, { signalName, input, header }: WaitingSignal): Promise<void> => {
      const { identity } = client.options;
      const signal = { signalName: signalName ?? '', input: input ?? null, header: header ?? null, identity };
      await inTime((service) =>
        service.signalWorkflowExecution({ namespace, workflowExecution: { workflowId }, ...signal }),
      );
    },
  };
}

type Page = Awaited<ReturnType<Raw['getWorkflowExecutionHistoryReverse']>>;

async function lastWhile(
  isOne: (event: HistoryEvent) => boolean,
  readPage: (token: Uint8Array | null) => Promise<Page>,
): Promise<readonly HistoryEvent[]> {
  const found: HistoryEvent[] = [];
  let token: Uint8Array | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { history, nextPageToken } = await readPage(token);
    const events = history?.events ?? [];
    const end = events.findIndex((event) => !isOne(event));
    found.push(...(end === -1 ? events : events.slice(0, end)));
    token = nextPageToken ?? null;
    if (end !== -1 || token === null || token.length === 0) break;
  }
  return found.toReversed();
}

const timeOf = ({ eventTime }: HistoryEvent): number => Number(eventTime?.seconds ?? 0) * 1000;

const signalOf = (event: HistoryEvent): readonly WaitingSignal[] =>
  event.workflowExecutionSignaledEventAttributes ? [event.workflowExecutionSignaledEventAttributes] : [];

/** Values of temporal.api.enums.v1.WorkflowTaskFailedCause that are not the run's fault: work that came in (1, 31), the server or a person. */
const harmless: ReadonlySet<number> = new Set([1, 13, 17, 18, 20, 31]);

/** temporal.api.enums.v1.TimeoutType: a worker took the task and did not answer. */
const START_TO_CLOSE = 1;

const isTooSlow = (message: string): boolean => message.startsWith('Script execution timed out');

function failureOf(event: HistoryEvent): readonly TaskFailure[] {
  const at = timeOf(event);
  const { workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: timedOut } = event;
  if (failed && !harmless.has(failed.cause ?? 0)) {
    const message = failed.failure?.message || 'no message';
    return [isTooSlow(message) ? { at } : { at, message }];
  }
  return timedOut?.timeoutType === START_TO_CLOSE ? [{ at }] : [];
}
