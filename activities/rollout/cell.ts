import { Context } from '@temporalio/activity';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { TellEvent } from '../../clients/datadog/events.ts';
import { undefinedOn } from '../../clients/concurrency.ts';
import type { Log } from '../../clients/log.ts';
import { CELL, groupOf, SUBJECT_ACCESS_REVIEW } from '../../clients/kubernetes/kinds.ts';
import type { Identified, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { outsideEvent, type CellReport } from '../../domain/rollout/report/events.ts';
import { notificationOf, type Notification } from '../../domain/rollout/report/notifications.ts';
import type { CellActivities, ApprovalActivities } from '../contract.ts';
import { observeCell } from './observe-cell.ts';
import { createTurnReporter } from '../kubernetes/status-turn.ts';
import type { SurroundingsReader } from './surroundings.ts';
import type { LostRun } from '../../domain/model/state.ts';
import { readTermination } from '../../domain/model/stuck-run.ts';
import { verbOf } from '../../crds/request-names.ts';

interface Review extends Identified {
  readonly spec: object;
  readonly status?: { readonly allowed?: boolean; readonly denied?: boolean };
}

/** Makes the activity that asks Kubernetes about those who approve. */
export const approvalActivities = (kubernetes: Pick<KubernetesClient, 'create'>): ApprovalActivities => ({
  async reviewApproval({ key: { namespace, name }, by, groups }) {
    const { apiVersion, kind } = SUBJECT_ACCESS_REVIEW;
    const access = { group: groupOf(CELL), resource: CELL.plural, verb: verbOf('approve'), namespace, name };
    const review: Review = {
      apiVersion,
      kind,
      // Nothing is kept of it, so that it bears no name.
      metadata: { name: '' },
      spec: { user: by, groups, resourceAttributes: access },
    };
    const { status } = await kubernetes.create(review);
    return { allowed: status?.allowed === true && status.denied !== true };
  },
});

/** How many runs that continued as new are followed to the one that ended. */
const MOST_RUNS = 20;

/** Finds out whether someone has terminated a run, or one that continued in its place; what Temporal does not know is `Unknown`. */
export async function readLostRun(temporal: Client, workflowId: string, runId: string): Promise<LostRun> {
  let next: string | undefined = runId;
  for (let runs = 0; next !== undefined && next !== '' && runs < MOST_RUNS; runs += 1) {
    const last = await lastEventOf(temporal, workflowId, next);
    const terminated = last?.workflowExecutionTerminatedEventAttributes;
    if (terminated !== null && terminated !== undefined) {
      const { identity, reason } = terminated;
      const stuck = readTermination(reason ?? '');
      if (stuck !== undefined) return { is: 'Stuck', message: stuck };
      return { is: 'Terminated', by: identity ?? '', reason: reason ?? '' };
    }
    next = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return { is: 'Unknown' };
}

async function lastEventOf({ workflowService, options }: Client, workflowId: string, runId: string) {
  const reading = workflowService.getWorkflowExecutionHistoryReverse({
    namespace: options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  const isLost = (error: unknown): boolean => isGrpcServiceError(error) && lost.has(error.code);
  return (await undefinedOn(isLost, reading))?.history?.events?.[0];
}

// google.rpc.Code INVALID_ARGUMENT (no run id at all) and NOT_FOUND
const lost: ReadonlySet<number> = new Set([3, 5]);

/** What the activities of a Cell are made of. */
export interface CellDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  /** Reads what there is around Cells; shared by those who look and those who write. */
  readonly surroundings: SurroundingsReader;
  readonly tellEvent?: TellEvent | undefined;
  readonly notify?: ((notification: Notification) => void) | undefined;
  readonly log?: Pick<Log, 'info' | 'warn'> | undefined;
}

/** Makes the activities that look at a Cell and report on it. */
export function cellActivities(dependencies: CellDependencies): CellActivities {
  const { kubernetes, temporal, surroundings } = dependencies;
  const report = cellReporter(dependencies);
  return {
    observeCell: (key) => observeCell(kubernetes, key, surroundings.now),
    // One that nobody waits for any more is not to land after the next, and hide what that has told.
    reportCell: (told) => report(told, Context.current().cancellationSignal),
    readLostRun: ({ workflowId, runId }) => readLostRun(temporal, workflowId, runId),
  };
}

/** Writes the status of a Cell with its Events, logs them, and sends them outside. */
export type ReportCell = (report: CellReport, signal?: AbortSignal) => Promise<void>;

/** Makes what reports on Cells. */
export function cellReporter({
  kubernetes,
  temporal,
  tellEvent,
  notify,
  log,
}: Pick<CellDependencies, 'kubernetes' | 'temporal' | 'tellEvent' | 'notify' | 'log'>): ReportCell {
  const report = createTurnReporter(kubernetes, temporal);
  return async ({ key, uid, resourceVersion: seen, status, events }, signal) => {
    await report({ kind: CELL, key, uid, seen, signal }, status, events);
    const { desiredVersion, stableVersion, canaryWeight } = status;
    for (const event of events) {
      const about = {
        cell: formatKey(key),
        event: event.reason,
        desiredVersion,
        stableVersion,
        canaryWeight,
      };
      log?.[event.type === 'Warning' ? 'warn' : 'info'](about, event.message);
      const outside = outsideEvent(key, event);
      if (outside !== undefined) tellEvent?.(`${uid}/${event.id}`, outside);
      const notification = notificationOf({ key, uid, status }, event);
      if (notification !== undefined) notify?.(notification);
    }
  };
}
