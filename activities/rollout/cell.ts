import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { TellEvent } from '../../clients/datadog/events.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { outsideEvent } from '../../domain/rollout/report/outside-events.ts';
import type { CellReport } from '../../domain/rollout/report/events.ts';
import type { CellActivities } from '../contract.ts';
import { createStatusReporter } from '../kubernetes/status-reporter.ts';
import { readLostRun } from './lost-run.ts';
import { observeCell } from './observe-cell.ts';
import { writeInTurn, type StatusTurn } from '../kubernetes/status-turn.ts';
import type { SurroundingsReader } from './surroundings.ts';

/** What the activities of a Cell are made of. */
export interface CellDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  /** Reads what there is around Cells; shared by those who look and those who write. */
  readonly surroundings: SurroundingsReader;
  /** Tells someone outside of what happens; nobody waits for that. Undefined: nobody is told. */
  readonly tellEvent?: TellEvent | undefined;
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

/** Writes the status of a Cell, and tells all who want to know. */
export type ReportCell = (report: CellReport, signal?: AbortSignal) => Promise<void>;

/** Makes what reports on Cells. */
export function cellReporter({
  kubernetes,
  temporal,
  tellEvent,
}: Pick<CellDependencies, 'kubernetes' | 'temporal' | 'tellEvent'>): ReportCell {
  const report = createStatusReporter(kubernetes);
  const means = { kubernetes, temporal };
  return async ({ key, uid, resourceVersion: seen, status, events }, signal) => {
    const write = async ({ resourceVersion, ...turn }: Partial<StatusTurn> = {}): Promise<void> =>
      void (await report(CELL, { key, uid, signal, resourceVersion }, { ...status, ...turn }, events));
    await writeInTurn({ kind: CELL, key, uid, seen }, write, { means, signal });
    for (const event of events) {
      const outside = outsideEvent(key, event);
      if (outside !== undefined) tellEvent?.(`${uid}/${event.id}`, outside);
    }
  };
}
