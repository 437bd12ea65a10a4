import { CELL } from '../../clients/kubernetes/kinds.ts';
import { objectStart } from '../../clients/temporal/workflow-start.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ApplicationAction } from '../../domain/applications/decision.ts';
import { childName } from '../../domain/applications/names.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';

/** Hands a request of an operator on to the workflow of an application's Cell; one that has nothing to do takes only `retry`. */
export async function forwardRequest(
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
  of: {
    readonly application: string;
    readonly action: Extract<ApplicationAction, { do: 'Forward' }>;
  },
  { kubernetes, temporal, taskQueue }: ApplicationsDependencies,
): Promise<void> {
  const { request, by, reason } = of.action;
  const child = { namespace: key.namespace, name: childName(key.name, of.application) };
  const found = await kubernetes.get<Cell>(CELL, child);
  if (found === undefined || controllerOf(found.metadata)?.uid !== uid) return;
  const asked = { by, reason };
  if (request === 'retry') {
    const { type, options } = objectStart({ kind: 'Cell', key: child }, taskQueue);
    await temporal.workflow.signalWithStart(type, { ...options, signal: request, signalArgs: [asked] });
    return;
  }
  try {
    await temporal.workflow.getHandle(objectWorkflowId('Cell', child)).signal(request, asked);
  } catch (error) {
    // Its run has closed: there is nothing left to pause, to promote or to abort.
    if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
  }
}
