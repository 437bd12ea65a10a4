import type { Client } from '@temporalio/client';
import type { Log } from '../clients/log.ts';
import { syncWorkflows } from '../domain/model/ids.ts';
import { workflowTypes } from '../workflows/messages.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Router } from './router.ts';

/** What is needed to find workflows whose object is gone. */
export interface OrphanOptions {
  readonly client: Pick<Client, 'workflow'>;
  /** The namespaces that are watched; empty: all. */
  readonly namespaces: readonly string[];
  readonly router: Pick<Router, 'knows'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly log: Log;
}

const types = [workflowTypes.cellRollout, workflowTypes.loadBalancerConfig, ...syncWorkflows];
const QUERY = `ExecutionStatus = 'Running' AND WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;

/** Tells running workflows whose object was deleted while nobody watched to look again. */
export async function wakeOrphans({
  client,
  namespaces,
  router,
  dispatcher,
  log,
}: OrphanOptions): Promise<void> {
  try {
    for await (const { workflowId } of client.workflow.list({ query: QUERY })) {
      const namespace = workflowId.split('/')[1] ?? '';
      const isWatched = namespaces.length === 0 || namespaces.includes(namespace);
      if (!isWatched || router.knows(workflowId) !== false) continue;
      log.info({ workflowId }, 'object deleted while nobody watched');
      dispatcher.dispatch({ do: 'Signal', workflowId, signal: 'changed' });
    }
  } catch (error) {
    // They find out by themselves when they look the next time.
    log.warn({ err: error }, 'running workflows not listed');
  }
}
