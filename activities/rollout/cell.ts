import type { Client } from '@temporalio/client';
import type { TellEvent } from '../../clients/datadog/events.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { outsideEvent } from '../../domain/rollout/outside-events.ts';
import type { CellActivities } from '../contract.ts';
import { statusReporter } from '../kubernetes/status-reporter.ts';
import { readLostRun } from './lost-run.ts';
import { observeCell } from './observe-cell.ts';

/** What the activities of a Cell are made of. */
export interface CellDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  /** Tells somebody outside of what happens; nobody waits for that. Undefined: nobody is told. */
  readonly tellEvent?: TellEvent | undefined;
}

/** Makes the activities that look at a Cell and report on it. */
export function cellActivities({ kubernetes, temporal, tellEvent }: CellDependencies): CellActivities {
  const report = statusReporter(kubernetes);
  return {
    observeCell: (key) => observeCell(kubernetes, key),
    async reportCell({ key, uid, status, events }) {
      await report(CELL, { key, uid }, status, events);
      for (const event of events) {
        const outside = outsideEvent(key, event);
        if (outside !== undefined) tellEvent?.(`${uid}/${event.id}`, outside);
      }
    },
    readLostRun: ({ workflowId, runId }) => readLostRun(temporal, workflowId, runId),
  };
}
