// Records the closed workflows of a running stack into test/histories, one of each type and outcome:
//   npm run demo -- --keep, and then, with the address that it prints:
//   TEMPORAL_ADDRESS=127.0.0.1:… node test/support/record-histories.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const folder = join(import.meta.dirname, '../histories');
mkdirSync(folder, { recursive: true });
const connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
const client = new Client({ connection });
const recorded = new Map<string, number>();
for await (const { type, workflowId, runId } of client.workflow.list({
  query: 'ExecutionStatus="Completed"',
})) {
  const handle = client.workflow.getHandle(workflowId, runId);
  const history = await handle.fetchHistory();
  const result: unknown = await handle.result();
  const outcome =
    typeof result === 'object' && result !== null && 'outcome' in result ? String(result.outcome) : 'Closed';
  const kinds = new Set(
    (history.events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName),
  );
  const asked = ['abort', 'retry', 'pause', 'drifted'].filter((signal) => kinds.has(signal));
  const isCancelled = (history.events ?? []).some(
    (event) => event.workflowExecutionCancelRequestedEventAttributes,
  );
  const removes = (history.events ?? []).some(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'removeLoadBalancerConfig',
  );
  const name = [
    type,
    outcome,
    ...asked,
    ...(isCancelled ? ['cancelled'] : []),
    ...(removes ? ['removes'] : []),
  ].join('-');
  // The longest has the most to tell.
  const events = history.events?.length ?? 0;
  if ((recorded.get(name) ?? 0) >= events) continue;
  recorded.set(name, events);
  writeFileSync(join(folder, `${name}.json`), historyToJSON(history));
  process.stdout.write(`${name}: ${events} events\n`);
}
await connection.close();
