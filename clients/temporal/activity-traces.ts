import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Traces } from '../traces/traces.ts';

/**
 * Tells of each activity as a part of the run of its workflow. A run is one trace, whose id is that of the run: all workers
 * know it without being told, so that nothing of it stands in a history.
 */
export const activityTraces =
  (traces: Pick<Traces, 'within'>): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute: (input, next) => {
        const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
        const attributes = {
          'temporal.workflow.id': workflowId,
          'temporal.workflow.run_id': runId,
          'temporal.workflow.type': info.workflowType ?? '',
          'temporal.activity.id': info.activityId,
          'temporal.activity.attempt': info.attempt,
          'temporal.task_queue': info.taskQueue,
        };
        const run = (): Promise<unknown> => next(input);
        const trace = runId.replaceAll('-', '');
        if (!/^[0-9a-f]{32}$/.test(trace)) return run();
        return traces.within(trace, { name: info.activityType, attributes }, run);
      },
    },
  });
