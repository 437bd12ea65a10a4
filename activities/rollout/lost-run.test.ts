import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { terminationFor } from '../../domain/model/stuck-run.ts';
import { readLostRun } from './cell.ts';

/** A Temporal in which the run was terminated for a reason. */
const terminated = (reason: string): Client =>
  ({
    options: { namespace: 'default' },
    workflowService: {
      getWorkflowExecutionHistoryReverse: () =>
        Promise.resolve({
          history: { events: [{ workflowExecutionTerminatedEventAttributes: { reason, identity: 'ann' } }] },
        }),
    },
  }) as unknown as Client;

describe('a run that was terminated', () => {
  it('was stuck when Okra has terminated it', async () => {
    const reason = terminationFor('Its workflow task failed 4 times.');
    expect(await readLostRun(terminated(reason), 'cell/default/web', 'r')).toEqual({
      is: 'Stuck',
      message: 'Its workflow task failed 4 times.',
    });
  });

  it('was terminated by a person otherwise', async () =>
    expect(await readLostRun(terminated('it is Friday'), 'cell/default/web', 'r')).toEqual({
      is: 'Terminated',
      by: 'ann',
      reason: 'it is Friday',
    }));
});
