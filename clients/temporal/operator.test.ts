import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { knownRuns } from './operator.ts';
import { statusCodes } from './grpc-status.ts';

/** A Temporal that knows these runs of a workflow. */
const knowing = (...known: string[]) => ({
  options: { namespace: 'okra' } as never,
  connection: {
    workflowService: {
      describeNamespace: () =>
        Promise.resolve({ config: { workflowExecutionRetentionTtl: { seconds: 259_200 } } }),
    },
  } as never,
  workflow: {
    getHandle: (workflowId: string, runId?: string) => ({
      describe: () => {
        if (runId === undefined ? known.length > 0 : known.includes(runId))
          return Promise.resolve({ status: { name: 'RUNNING' } });
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

const others = { is: 'Others', isOpen: true, retentionMs: 259_200_000 };

it.each([
  ['one of the runs', knowing('a', 'b'), ['x', 'b'], { is: 'These' }],
  ['other runs', knowing('a', 'b'), ['x'], others],
  ['runs of which nobody has told', knowing('a'), [], others],
  ['a run, where a status names none that there can be', knowing('a'), ['no id'], others],
  ['none', knowing(), ['x'], { is: 'None' }],
])('says whether Temporal knows %s', async (_, temporal, runs, want) =>
  expect(await knownRuns(temporal, 'cell/default/web', runs)).toEqual(want),
);
