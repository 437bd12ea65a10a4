// Records the closed workflows of a running stack into test/histories, one of each type and outcome:
//   npm run demo -- --keep, and then, with the address that it prints:
//   TEMPORAL_ADDRESS=127.0.0.1:… node test/support/record-histories.ts
// Integration tests record theirs when they end: OKRA_RECORD_HISTORIES=1 npm test -- test/rollout/requests.test.ts
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

const folder = join(import.meta.dirname, '../histories');

/**
 * Records what a query finds among the completed workflows, and the runs that continued on another version of the worker; of
 * each type and outcome the longest, which has the most to tell.
 */
export async function recordHistories({ workflow }: Client, query?: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const closed = 'ExecutionStatus IN ("Completed", "ContinuedAsNew")';
  for await (const { type, workflowId, runId } of workflow.list({
    query: query === undefined ? closed : `${closed} AND ${query}`,
  })) {
    const handle = workflow.getHandle(workflowId, runId);
    const history = await handle.fetchHistory();
    const outcome = await outcomeOf(handle, history);
    if (outcome === undefined) continue;
    const path = join(folder, `${nameOf(type, outcome, history)}.json`);
    if (eventsIn(path) < (history.events?.length ?? 0)) writeFileSync(path, historyToJSON(history));
  }
}

/** How many events a recorded history has; none when there is no such file. */
const eventsIn = (path: string): number =>
  existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as { readonly events: readonly unknown[] }).events.length
    : 0;

/** What a run ended as; undefined when it continued only because its history was long. */
async function outcomeOf(handle: WorkflowHandle, { events }: History): Promise<string | undefined> {
  if (events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes) {
    const tasks = events.flatMap((event) => event.workflowTaskStartedEventAttributes ?? []);
    return tasks.at(-1)?.targetWorkerDeploymentVersionChanged ? 'Superseded' : undefined;
  }
  const result: unknown = await handle.result();
  return typeof result === 'object' && result !== null && 'outcome' in result
    ? String(result.outcome)
    : 'Closed';
}

/** The type of a workflow, its outcome, and what was done to it on its way. */
function nameOf(type: string, outcome: string, { events = [] }: History): string {
  const signals = new Set(
    (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName),
  );
  const activities = new Set(
    (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name),
  );
  const isCancelled = (events ?? []).some((event) => event.workflowExecutionCancelRequestedEventAttributes);
  return [
    type,
    outcome,
    ...['abort', 'retry', 'pause', 'drifted'].filter((signal) => signals.has(signal)),
    ...(isCancelled ? ['cancelled'] : []),
    ...(activities.has('observeApplications') ? ['applications'] : []),
    ...(activities.has('removeLoadBalancer') ? ['removes'] : []),
    ...(activities.has('reviewApproval') ? ['approval'] : []),
  ].join('-');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const address = process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233';
  const connection = await Connection.connect({ address });
  await recordHistories(new Client({ connection }));
  await connection.close();
}
