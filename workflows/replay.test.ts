import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { workflowBundle } from '../clients/temporal/workflow-bundle.ts';

const folder = join(import.meta.dirname, '../test/histories');
const histories = readdirSync(folder).filter((file) => file.endsWith('.json'));

/** What was recorded in production must go on with the workflows as they are now. */
describe('a recorded history', () => {
  let code: string;
  beforeAll(async () => {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
    code = await workflowBundle(new AbortController().signal);
  }, 60_000);

  it('is there for each kind of end', () => expect(histories.length).toBeGreaterThanOrEqual(10));

  it.each(histories)('replays: %s', { timeout: 60_000 }, async (file) => {
    const history = historyFromJSON(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    await Worker.runReplayHistory({ workflowBundle: { code } }, history, 'recorded');
  });
});
