import {
  Client,
  isGrpcServiceError,
  NamespaceNotFoundError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { TemporalConfig } from '../../config/config.ts';
import { requestSignals, requestUpdates, type Answer } from '../../workflows/messages.ts';
import type { AskName } from '../../domain/model/request.ts';
import { detailsOf, hasCode, isRefusal, statusCodes, unlessGone } from './grpc-status.ts';
import { connect, payloadConverter } from './temporal-connection.ts';
import { unpolled } from './polls.ts';
import { missingAttributes } from './search-attributes.ts';
import { readWeightHistory } from './weight-history.ts';
import type { WorkflowStart } from './workflow-start.ts';

/** What an operator sends with a request. */
export interface SentRequest {
  readonly by: string;
  readonly reason: string;
  readonly groups?: readonly string[] | undefined;
  /** What the person has looked at: the version, its step from 1, and whether an operator has paused it. */
  readonly version?: string | undefined;
  readonly step?: number | undefined;
  readonly paused?: boolean | undefined;
  readonly stage?: string | undefined;
  readonly to?: string | undefined;
}

/** How a request was answered. */
export type RequestAnswer =
  | { readonly is: 'Taken'; readonly message: string }
  | { readonly is: 'Refused'; readonly message: string }
  | { readonly is: 'NotRunning' }
  /** No worker has answered in time, or workflow tasks fail; nobody knows whether it is taken. */
  | { readonly is: 'Unanswered'; readonly message: string };

/** What Temporal lacks for Okra to work; what may not be asked is undefined. */
export interface TemporalFindings {
  readonly missingAttributes: readonly string[] | undefined;
  readonly unpolled: readonly string[] | undefined;
}

/** What an operator says to workflows. */
export type Operator = ReturnType<typeof operatorOf>;

const ANSWER_MILLISECONDS = 15_000;
// What may be sent again as a signal does not wait for long.
const SHORT_ANSWER_MILLISECONDS = 5_000;
const CALL_MILLISECONDS = 10_000;

/** Whether a request does the same when it is taken twice: a second promote would finish another step. An abort of a StagedBindingPolicy does when it names its stage. */
export const mayBeRepeated = (name: AskName): boolean => name === 'pause' || name === 'abort';

/** Connects to Temporal once, for a person who waits; throws when it does not answer. */
export async function connectOperator(config: TemporalConfig, identity: string): Promise<Operator> {
  const { namespace, codec } = config;
  const dataConverter = await payloadConverter(codec);
  try {
    const connection = await connect(config);
    return operatorOf(new Client({ connection, namespace, dataConverter, identity }), config);
  } catch (error) {
    throw unreached(config, error);
  }
}

function operatorOf(client: Client, config: TemporalConfig) {
  const inTime = async <R>(call: () => Promise<R>, milliseconds = CALL_MILLISECONDS): Promise<R> => {
    try {
      return await client.withDeadline(Date.now() + milliseconds, call);
    } catch (error) {
      // What gRPC says alone tells nobody where it was said.
      throw isOfServer(error) ? unreached(config, error) : error;
    }
  };
  const { workflow } = client;
  return {
    ask: (workflowId: string, name: AskName, request: SentRequest): Promise<RequestAnswer> =>
      inTime(
        () =>
          answered(
            workflow
              .getHandle(workflowId)
              .executeUpdate<Answer, [SentRequest]>(requestUpdates[name].name, { args: [request] }),
          ),
        mayBeRepeated(name) ? SHORT_ANSWER_MILLISECONDS : ANSWER_MILLISECONDS,
      ),
    /** Sends a request that is taken, or does nothing, whenever a worker runs; answers false when no run is open. */
    tell: async (workflowId: string, name: AskName, request: SentRequest): Promise<boolean> => {
      const { name: signal } = requestSignals[name];
      const send = async () => (await workflow.getHandle(workflowId).signal(signal, request), true);
      return (await unlessGone(inTime(send))) ?? false;
    },
    /** Starts a workflow with a request, on the task queue that its last run was on. */
    startWith: async (
      { type, options }: WorkflowStart,
      name: AskName,
      request: SentRequest,
    ): Promise<void> => {
      const taskQueue = (await inTime(() => lastTaskQueue(client, options.workflowId))) ?? options.taskQueue;
      const signal = requestSignals[name].name;
      const start = { ...options, taskQueue, signal, signalArgs: [request] };
      await unlessClosing(() => inTime(() => workflow.signalWithStart(type, start)));
    },
    inspect: (taskQueue: string) => inTime(() => inspect(client, taskQueue), ANSWER_MILLISECONDS),
    knownRuns: (workflowId: string, runIds: readonly string[]) =>
      inTime(() => knownRuns(client, workflowId, runIds)),
    /** Reads how the weights went in the last rollout of a Cell; empty when Temporal remembers none. */
    weights: (workflowId: string) => inTime(() => readWeightHistory(client, workflowId), ANSWER_MILLISECONDS),
    close: (): Promise<void> => client.connection.close(),
  };
}

const isOfServer = (error: unknown): boolean =>
  error instanceof ServiceError || error instanceof NamespaceNotFoundError || isGrpcServiceError(error);

/** What a worker polls beside its first queue (worker.ts, which loads all that a worker is made of). */
const QUEUE_SUFFIXES = ['-elbv2', '-elbv2-urgent', '-discovery', '-checks'] as const;

async function inspect(
  { connection, options: { namespace } }: Client,
  taskQueue: string,
): Promise<TemporalFindings> {
  const queues = [
    { taskQueue, types: ['workflow', 'activity'] as const },
    ...QUEUE_SUFFIXES.map((suffix) => ({ taskQueue: `${taskQueue}${suffix}`, types: ['activity'] as const })),
  ];
  await connection.workflowService.describeNamespace({ namespace });
  const [attributes, polls] = await Promise.allSettled([
    missingAttributes(connection, namespace),
    unpolled(connection, { namespace, queues }),
  ]);
  return {
    missingAttributes: attributes.status === 'fulfilled' ? attributes.value : undefined,
    unpolled: polls.status === 'fulfilled' ? polls.value : undefined,
  };
}

const lastTaskQueue = async ({ workflow }: Client, workflowId: string): Promise<string | undefined> =>
  (await unlessGone(workflow.getHandle(workflowId).describe()))?.taskQueue;

const CLOSING_ATTEMPTS = 10;
const CLOSING_MILLISECONDS = 300;

/** A run that is just closing takes no signal, and lets no other one begin. */
async function unlessClosing(call: () => Promise<unknown>): Promise<void> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      await call();
      return;
    } catch (error) {
      const isClosing = detailsOf(error).includes('workflow is closing');
      if (!isClosing || attempts === CLOSING_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, CLOSING_MILLISECONDS));
    }
  }
}

async function answered(asking: Promise<Answer>): Promise<RequestAnswer> {
  try {
    return { is: 'Taken', message: (await asking).message };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { is: 'NotRunning' };
    if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isOfWorker(error))
      return { is: 'Unanswered', message: detailsOf(error) };
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    return { is: 'Refused', message: error.cause?.message ?? error.message };
  }
}

/** Whether Temporal refuses an update because the worker fails or is slow; a signal it takes (https://github.com/temporalio/temporal/pull/4376). */
const isOfWorker = (error: unknown): boolean => hasCode(error, statusCodes.FAILED_PRECONDITION);

function unreached({ address, namespace }: TemporalConfig, error: unknown): Error {
  const got = detailsOf(error);
  const what = `cannot reach Temporal at ${address}, namespace ${namespace}: ${got}.`;
  const isElsewhere = error instanceof NamespaceNotFoundError || isSaidOfNamespace(got);
  const todo = isRefusal(error)
    ? 'Check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY and TEMPORAL_TLS_CLIENT_CERT_PATH.'
    : isElsewhere
      ? 'Set TEMPORAL_NAMESPACE, or --temporal-namespace.'
      : 'Set TEMPORAL_ADDRESS, or --temporal-address.';
  return new Error(`${what} ${todo}`, { cause: error });
}

const isSaidOfNamespace = (said: string): boolean =>
  said.toLowerCase().startsWith('namespace ') && said.includes('not found');

/** What Temporal knows of a workflow: one of the given runs, only others, or none. */
export type KnownRuns =
  | { readonly is: 'These' | 'None' }
  | {
      readonly is: 'Others';
      readonly isOpen: boolean;
      /** How long Temporal remembers a closed run, in milliseconds; undefined: it does not say. */
      readonly retentionMs: number | undefined;
    };

// Whoever may write statuses may have written anything for the id of a run.
function undefinedForNoId(error: unknown): undefined {
  if (!hasCode(error, statusCodes.INVALID_ARGUMENT)) throw error;
}

/** Finds out whether Temporal knows one of the given runs of a workflow, or at least another. */
export async function knownRuns(
  { workflow, connection, options: { namespace } }: Pick<Client, 'workflow' | 'connection' | 'options'>,
  workflowId: string,
  runIds: readonly string[],
): Promise<KnownRuns> {
  const statusOf = async (runId?: string): Promise<string | undefined> => {
    const described = workflow.getHandle(workflowId, runId).describe();
    return (await unlessGone(described.catch(undefinedForNoId)))?.status.name;
  };
  const known = await Promise.all(runIds.map(statusOf));
  if (known.some((status) => status !== undefined)) return { is: 'These' };
  const latest = await statusOf();
  if (latest === undefined) return { is: 'None' };
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const seconds = config?.workflowExecutionRetentionTtl?.seconds ?? undefined;
  const retentionMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  return { is: 'Others', isOpen: latest === 'RUNNING', retentionMs };
}
