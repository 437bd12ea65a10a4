import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../clients/temporal/workflow-bundle.ts';
import { quietRuntime } from '../test/support/temporal/runtime.ts';

const folder = join(import.meta.dirname, '../test/histories');
const histories = readdirSync(folder).filter((file) => file.endsWith('.json'));

/** All of them, one after the other, as one worker replays them. */
async function* recorded() {
  for (const file of histories) {
    const json: unknown = JSON.parse(await readFile(join(folder, file), 'utf8'));
    yield { workflowId: file, history: historyFromJSON(json) };
  }
}

/** What was recorded in production must continue with the workflows as they are now. */
describe('a recorded history', () => {
  const failures = new Map<string, Error | undefined>();
  beforeAll(async () => {
    quietRuntime();
    const code = await bundleWorkflows();
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle: { code } },
      recorded(),
    ))
      failures.set(workflowId, error);
  });

  it('is there for each kind of end', () => expect(histories.length).toBeGreaterThanOrEqual(10));

  it.each(histories)('replays: %s', (file) => {
    expect(failures.has(file)).toBe(true);
    expect(failures.get(file)).toBeUndefined();
  });
});
