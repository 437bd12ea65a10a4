import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Resource } from '../../crds/resource.ts';
import { given } from '../../domain/model/fields.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { successionOf, type ReportedEvent, type StatusWriter } from '../../domain/rollout/report/events.ts';
import { hasCode, statusCodes, unlessGone } from '../../clients/temporal/grpc-status.ts';
import { refuseWhenGivenUp } from '../heartbeat.ts';
import { retryOnConflict } from './writes.ts';
import { createStatusReporter, superseded } from './status-reporter.ts';

type Written = Resource<unknown, { readonly writer?: StatusWriter }>;

interface TurnOf {
  readonly kind: KindRef;
  readonly key: ObjectKey;
  readonly uid: string;
  /** The version of the object that the status goes by; while it is the last one, nobody has written a later status. */
  readonly seen?: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Makes what writes a status, with its Events, over what it goes by, or was read just before, unless a later activity or run has written: a late one would hide what was blocked. */
export function createTurnReporter(kubernetes: KubernetesClient, temporal: Client) {
  const report = createStatusReporter(kubernetes);
  return async (
    { kind, key, uid, seen, signal }: TurnOf,
    status: object,
    events: readonly ReportedEvent[] = [],
  ): Promise<void> => {
    const { workflowExecution: workflow, activityId } = Context.current().info;
    const write = (resourceVersion?: string, writer?: StatusWriter) =>
      report(kind, { key, uid, resourceVersion, signal }, { ...status, ...given({ writer }) }, events);
    await retryOnConflict(async (attempt) => {
      // What an attempt that was given up has to report is older than what the next attempt has reported.
      refuseWhenGivenUp();
      if (workflow === undefined) return write();
      // The ids of the activities of a run are numbers that go up.
      const writer = { runId: workflow.runId, activity: Number.parseInt(activityId, 10) || 0 };
      if (attempt === 1 && seen !== undefined) return write(seen, writer);
      const object = await kubernetes.get<Written>(kind, key, { signal });
      // The status has no effect on another object; the Events that come with it are still written.
      if (object === undefined || object.metadata.uid !== uid) return write();
      if (await isLate(writer, object.status?.writer, { workflow, temporal })) throw superseded(kind, key);
      return write(object.metadata.resourceVersion, writer);
    });
  };
}

interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** Whether the status that is there was written later than this one. Anyone who may write statuses may have written who its writer is. */
async function isLate(
  writer: StatusWriter,
  before: StatusWriter | undefined,
  { workflow, temporal }: { readonly workflow: Execution; readonly temporal: Client },
): Promise<boolean> {
  if (before === undefined) return false;
  switch (successionOf(writer, before)) {
    case 'Next':
      return false;
    case 'AnotherRun':
      return !(await isLatest(workflow, temporal));
    case 'Late':
      return before.activity <= (await newestActivityOf(workflow, temporal));
  }
}

/** The number of the newest activity of a run; infinite for a run that Temporal does not know, whose every status is late. */
async function newestActivityOf(
  execution: Execution,
  { workflowService, options: { namespace } }: Client,
): Promise<number> {
  let nextPageToken: Uint8Array = new Uint8Array();
  try {
    do {
      const request = { namespace, execution, maximumPageSize: 20, nextPageToken };
      const page = await workflowService.getWorkflowExecutionHistoryReverse(request);
      const ids = (page.history?.events ?? []).flatMap(
        (event) => event.activityTaskScheduledEventAttributes?.activityId ?? [],
      );
      if (ids[0] !== undefined) return Number.parseInt(ids[0], 10);
      nextPageToken = page.nextPageToken ?? new Uint8Array();
    } while (nextPageToken.length > 0);
    return 0;
  } catch (error) {
    if (hasCode(error, statusCodes.NOT_FOUND)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

const isLatest = async ({ workflowId, runId }: Execution, { workflow }: Client): Promise<boolean> =>
  (await unlessGone(workflow.getHandle(workflowId).describe()))?.runId === runId;
