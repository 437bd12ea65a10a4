import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { knownRuns } from './known-runs.ts';
import { statusCodes } from './grpc-status.ts';

/** A Temporal that knows these runs of a workflow. */
const knowing = (...known: string[]) => ({
  workflow: {
    getHandle: (workflowId: string, runId?: string) => ({
      describe: () => {
        if (runId === undefined ? known.length > 0 : known.includes(runId)) return Promise.resolve({});
        return Promise.reject(
          runId === 'no id'
            ? Object.assign(new Error('Invalid RunId.'), {
                code: statusCodes.INVALID_ARGUMENT,
                details: 'Invalid RunId.',
                metadata: {},
              })
            : new WorkflowNotFoundError('not found', workflowId, runId),
        );
      },
    }),
  } as never,
});

it.each([
  ['one of the runs', knowing('a', 'b'), ['x', 'b'], 'These'],
  ['other runs', knowing('a', 'b'), ['x'], 'Others'],
  ['runs of which nobody has told', knowing('a'), [], 'Others'],
  ['a run, where a status names none that there can be', knowing('a'), ['no id'], 'Others'],
  ['none', knowing(), ['x'], 'None'],
])('says whether Temporal knows %s', async (_, temporal, runs, want) =>
  expect(await knownRuns(temporal, 'cell/default/web', runs)).toBe(want),
);
