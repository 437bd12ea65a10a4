import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, it, vi } from 'vitest';
import { workflowBundle } from '../../clients/temporal/workflow-bundle.ts';
import { quietRuntime } from '../../test/support/temporal/runtime.ts';

const file = join(import.meta.dirname, '../../test/histories/cellRollout-Completed.json');

/** The change of the SDK is that of `notForDebuggers`, which tests run with as the package does. */
it('a worker evaluates the code of the workflows once, where they run', async () => {
  quietRuntime();
  const code = await workflowBundle(new AbortController().signal);
  const history = historyFromJSON(JSON.parse(await readFile(file, 'utf8')));
  const run = vi.spyOn(Script.prototype, 'runInContext');
  // Replays run workflows in the thread of their worker, where it can be looked at.
  const replays = Worker.runReplayHistories({ workflowBundle: { code } }, [{ workflowId: 'one', history }]);
  for await (const { error } of replays) expect(error).toBeUndefined();
  // Whatever else is run has a time limit, or calls what the bundle has brought.
  const evaluated = run.mock.calls.filter(([, options]) => options === undefined);
  run.mockRestore();
  expect(evaluated).toHaveLength(1);
});
