import type { Client } from '@temporalio/client';
import type { Log } from '../clients/log.ts';
import { kindsWithWorkflow, workedObject, type WorkedObject } from '../domain/model/workflow-ids.ts';
import type { Dispatcher } from './dispatch.ts';
import type { Router } from './router.ts';

/** What is needed to find workflows whose object is gone. */
export interface OrphanOptions {
  readonly client: Pick<Client, 'workflow'>;
  /** The namespaces that are watched; empty: all. */
  readonly namespaces: readonly string[];
  readonly router: Pick<Router, 'objectOf'>;
  readonly dispatcher: Pick<Dispatcher, 'dispatch'>;
  readonly log: Log;
}

const types = [...new Set(kindsWithWorkflow.map(({ workflow }) => workflow.type))];
const QUERY = `ExecutionStatus = 'Running' AND WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`;

/** Tells running workflows whose object was deleted while nobody watched to look again. */
export async function wakeOrphans({
  client,
  namespaces,
  router,
  dispatcher,
  log,
}: OrphanOptions): Promise<void> {
  const isWatched = ({ kind, key }: WorkedObject): boolean =>
    !kind.namespaced || namespaces.length === 0 || namespaces.includes(key.namespace);
  try {
    for await (const { workflowId } of client.workflow.list({ query: QUERY })) {
      const object = workedObject(workflowId);
      if (object === undefined || !isWatched(object)) continue;
      if (router.objectOf(workflowId)?.object !== undefined) continue;
      log.info({ workflowId }, 'object deleted while nobody watched');
      dispatcher.dispatch({ do: 'Signal', workflowId, signal: 'changed' });
    }
  } catch (error) {
    // They find out by themselves when they look the next time.
    log.warn({ err: error }, 'running workflows not listed');
  }
}
