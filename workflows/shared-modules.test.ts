import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { bundleWorkflows } from '../clients/temporal/workflow-bundle.ts';
import { quietRuntime } from '../test/support/temporal/runtime.ts';

const file = join(import.meta.dirname, '../test/histories/cellRollout-Completed.json');
const BEGIN = 'async function cellRollout(input) {';

// What is built into the language is the same for all runs of a worker, as long as they share it.
const oncePerWorker = `
  if (Object.hasOwn(Array.prototype, 'evaluated')) throw new Error('evaluated again');
  Object.defineProperty(Array.prototype, 'evaluated', { value: true });
`;

/** A copy of its own was 360 kB for each run that a worker keeps, and most of the time in which one starts. */
it('the modules of the workflows are evaluated once for all runs of a worker', async () => {
  quietRuntime();
  const begins = (await bundleWorkflows()).split(BEGIN);
  expect(begins).toHaveLength(2);
  const code = begins.join(`${oncePerWorker}${BEGIN}`);
  const history = historyFromJSON(JSON.parse(await readFile(file, 'utf8')));
  const runs = ['one', 'another', 'a third'].map((workflowId) => ({ workflowId, history }));
  const errors: unknown[] = [];
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { code } }, runs))
    errors.push(error);
  expect(errors).toEqual([undefined, undefined, undefined]);
});
