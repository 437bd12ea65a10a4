import { recordHistories } from '../record-histories.ts';
import type { RunHistory } from '../unrepeated.ts';
import { Client, Connection, ServiceError } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { StackView } from '../setup.ts';

/** What tests ask of Temporal, over one connection instead of a process for each question. */
export interface TemporalDesk extends AsyncDisposable {
  signal(workflowId: string, name: string, input?: unknown): Promise<void>;
  /** Signals a workflow and starts it if need be; answers false when a run is just closing. */
  signalWithStart(type: string, options: StartOptions): Promise<boolean>;
  /** Ends a run without notice to it. */
  terminate(workflowId: string): Promise<void>;
  /** How many runs of workflows a query finds. */
  count(query: string): Promise<number>;
  /** Whether the last run of a workflow does anything but wait. */
  isAtWork(workflowId: string): Promise<boolean>;
  /** A run of a workflow; the last one, unless it is said. */
  run(workflowId: string, runId?: string): Promise<Run>;
  /** The attempt at the task of a workflow that is due, from 1; 0 while none is. */
  taskAttempt(workflowId: string): Promise<number>;
  /** The history of a run in the JSON of Temporal, with payloads in base64. */
  history(workflowId: string, runId: string): Promise<string>;
  /** The histories of the runs that a query finds, as JSON with payloads in base64. */
  histories(query: string): Promise<readonly string[]>;
  /** The runs that a query finds, with what they have done so far. */
  runs(query: string): AsyncIterable<RunHistory>;
  /** Writes the histories of completed runs into test/histories, for `workflows/replay.test.ts`. */
  record(query: string): Promise<void>;
}

/** A run of a workflow as Temporal describes it. */
export interface Run {
  readonly runId: string;
  readonly status: string;
  /** The version of the worker on which it is; undefined where workers have none. */
  readonly build: string | undefined;
}

/** How to signal a workflow that may have to be started. */
export interface StartOptions {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly signal: string;
  readonly input: unknown;
}

/** Connects to the Temporal of a stack at the first question. */
export function openDesk({ temporal }: StackView): TemporalDesk {
  const connection = Connection.lazy({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const { workflow } = client;
  return {
    signal: (workflowId, name, ...input) => workflow.getHandle(workflowId).signal(name, ...input),
    terminate: async (workflowId) => void (await workflow.getHandle(workflowId).terminate()),
    signalWithStart: async (type, { input, ...options }) => {
      try {
        await workflow.signalWithStart(type, { ...options, args: [input] });
        return true;
      } catch (error) {
        if (error instanceof ServiceError && String(error.cause).includes('workflow is closing'))
          return false;
        throw error;
      }
    },
    count: async (query) => (await workflow.count(query)).count,
    isAtWork: async (workflowId) => {
      const { status, raw } = await workflow.getHandle(workflowId).describe();
      const isWaiting = !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0;
      return status.name === 'RUNNING' && !isWaiting;
    },
    run: async (workflowId, ...of) => {
      const { runId, status, raw } = await workflow.getHandle(workflowId, ...of).describe();
      const build = raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
      return { runId, status: status.name, build };
    },
    taskAttempt: async (workflowId) => {
      const { raw } = await workflow.getHandle(workflowId).describe();
      return raw.pendingWorkflowTask?.attempt ?? 0;
    },
    history: async (workflowId, runId) =>
      historyToJSON(await workflow.getHandle(workflowId, runId).fetchHistory()),
    histories: async (query) => {
      const histories: Promise<string>[] = [];
      for await (const { workflowId, runId } of workflow.list({ query }))
        histories.push(workflow.getHandle(workflowId, runId).fetchHistory().then(inJSON));
      return Promise.all(histories);
    },
    runs: async function* (query) {
      for await (const { workflowId, runId } of workflow.list({ query }))
        yield { workflowId, history: await workflow.getHandle(workflowId, runId).fetchHistory() };
    },
    record: (query) => recordHistories(client, query),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

const inJSON = (history: object): string => JSON.stringify(history);
