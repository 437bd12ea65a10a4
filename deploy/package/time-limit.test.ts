import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script, type RunningScriptInNewContextOptions } from 'node:vm';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { workflowBundle } from '../../clients/temporal/workflow-bundle.ts';
import { quietRuntime } from '../../test/support/temporal/runtime.ts';

const file = join(import.meta.dirname, '../../test/histories/cellRollout-Completed-approval.json');
const BEGIN = 'async function cellRollout(input) {';

/** The change of the SDK is that of `oneTimeLimit`, which tests run with as the package does. */
describe('the time limit of an activation', () => {
  let code = '';
  let history: ReturnType<typeof historyFromJSON>;
  beforeAll(async () => {
    quietRuntime();
    code = await workflowBundle(new AbortController().signal);
    history = historyFromJSON(JSON.parse(await readFile(file, 'utf8')));
  });

  /** Replays the history once for each id, by a worker of which workflows with the id `endless` do something more at their start. */
  async function replayed(ids: readonly string[], more: string, options = {}) {
    const begins = code.split(BEGIN);
    expect(begins).toHaveLength(2);
    const changed = begins.join(
      `${BEGIN} if (__TEMPORAL_ACTIVATOR__.info.workflowId === 'endless') { ${more} }`,
    );
    const results: [string, string | undefined][] = [];
    const replays = Worker.runReplayHistories(
      { workflowBundle: { code: changed }, ...options },
      ids.map((workflowId) => ({ workflowId, history })),
    );
    for await (const { workflowId, error } of replays) results.push([workflowId, error?.message]);
    return results;
  }

  it.each([
    ['runs', 'for (;;);'],
    ['does when it goes on', 'await undefined; for (;;) await undefined;'],
  ])('ends what a workflow %s without an end, and nothing else', async (_, more) => {
    const results = await replayed(['endless', 'another'], more, { isolateExecutionTimeout: '2s' });
    expect(results).toEqual([
      ['endless', expect.stringContaining('Script execution timed out after 2000ms')],
      ['another', undefined],
    ]);
  });

  it('is one for all that an activation calls', async () => {
    const run = vi.spyOn(Script.prototype, 'runInContext');
    const isLimited = (options?: RunningScriptInNewContextOptions) => options?.timeout !== undefined;
    // Without a thread of its own, which could not be looked at.
    await expect(replayed(['one'], '', { debugMode: true })).resolves.toEqual([['one', undefined]]);
    const limited = run.mock.calls.filter(([, options]) => isLimited(options)).length;
    expect(limited).toBeGreaterThan(5);
    expect(run.mock.calls.length).toBeGreaterThan(3 * limited);
    run.mockRestore();
  });
});
