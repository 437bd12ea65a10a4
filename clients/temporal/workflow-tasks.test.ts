import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { workflowTasks } from './workflow-tasks.ts';

const run = { workflowId: 'cell/default/web', runId: 'r', type: 'cellRollout' };
const at = (seconds: number) => ({ eventTime: { seconds } });
const failed = (seconds: number, cause: number, message: string) => ({
  ...at(seconds),
  workflowTaskFailedEventAttributes: { cause, failure: { message } },
});
const timedOut = (seconds: number, timeoutType: number) => ({
  ...at(seconds),
  workflowTaskTimedOutEventAttributes: { timeoutType },
});
const signalled = (signalName: string) => ({
  ...at(0),
  workflowExecutionSignaledEventAttributes: { signalName },
});
const completed = { ...at(0), workflowTaskCompletedEventAttributes: {} };

/** A Temporal with a run: its pages of events, the newest first, and the attempt at the task that is due. */
function aTemporal(pages: readonly (readonly object[])[], attempt: number | undefined) {
  const queries: string[] = [];
  const client = {
    options: { namespace: 'default', identity: 'me' },
    withDeadline: (_: number, call: () => unknown) => call(),
    workflowService: {
      describeWorkflowExecution: () =>
        Promise.resolve({
          workflowExecutionInfo: { historyLength: 9 },
          ...(attempt === undefined ? {} : { pendingWorkflowTask: { attempt } }),
        }),
      getWorkflowExecutionHistoryReverse: ({ nextPageToken }: { nextPageToken: Uint8Array | null }) => {
        const page = nextPageToken?.[0] ?? 0;
        const isLast = page === pages.length - 1;
        const token = isLast ? {} : { nextPageToken: new Uint8Array([page + 1]) };
        return Promise.resolve({ history: { events: pages[page] ?? [] }, ...token });
      },
    },
    workflow: {
      list: async function* ({ query }: { query: string }) {
        queries.push(query);
        yield await Promise.resolve(run);
      },
    },
  } as unknown as Client;
  return { tasks: workflowTasks(client, "it's"), queries };
}

describe('the workflow tasks of a run', () => {
  it('are not read further where none is due', async () => {
    expect(await aTemporal([], undefined).tasks.read(run)).toEqual({ events: 9 });
  });

  it('are those since one was completed, the oldest first, over pages', async () => {
    const pages = [
      [failed(3, 24, 'third'), signalled('abort')],
      [timedOut(2, 1), signalled('changed'), failed(1, 14, 'first'), completed, failed(0, 14, 'before')],
    ];
    const { due } = (await aTemporal(pages, 3).tasks.read(run)) ?? {};
    expect(due?.task).toEqual({
      attempt: 3,
      failures: [{ at: 1000, message: 'first' }, { at: 2000 }, { at: 3000, message: 'third' }],
    });
    expect(due?.signals.map(({ signalName }) => signalName)).toEqual(['changed', 'abort']);
  });

  it.each([
    ['what came in while the run was at work', failed(1, 1, 'UnhandledCommand')],
    ['a reset', failed(1, 20, 'reset')],
    ['a task that waited too long for the worker that knows the run', timedOut(1, 2)],
  ])('have not failed by %s', async (_, event) => {
    expect((await aTemporal([[event]], 1).tasks.read(run))?.due?.task.failures).toEqual([]);
  });

  it('were not answered in time where the worker was too slow for them', async () => {
    const slow = failed(1, 14, 'Script execution timed out after 2000ms');
    const reading = await aTemporal([[slow]], 1).tasks.read(run);
    expect(reading?.due?.task.failures).toEqual([{ at: 1000 }]);
  });

  it('are not asked for where only what it was sent since a time is', async () => {
    const sent = (seconds: number, signalName: string) => ({ ...signalled(signalName), ...at(seconds) });
    const pages = [
      [sent(3, 'abort'), { ...completed, ...at(2) }],
      [sent(2, 'pause'), sent(1, 'promote')],
    ];
    const signals = await aTemporal(pages, undefined).tasks.signalsSince(run, 2000);
    expect(signals.map(({ signalName }) => signalName)).toEqual(['pause', 'abort']);
  });

  it('are those of its own task queue', async () => {
    const { tasks, queries } = aTemporal([], 1);
    for await (const one of tasks.list(['cellRollout', 'check'])) expect(one).toEqual(run);
    expect(queries).toEqual([
      "ExecutionStatus = 'Running' AND TaskQueue = 'it''s' AND WorkflowType IN ('cellRollout', 'check')",
    ]);
  });
});
