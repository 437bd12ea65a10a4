import { setTimeout } from 'node:timers/promises';
import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { CELL, STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import { isForbidden } from '../../clients/kubernetes/kubernetes-error.ts';
import type { Operator } from '../../clients/temporal/operator.ts';
import { temporalId } from '../../clients/temporal/workflow-id.ts';
import type { AskName } from '../../domain/model/request.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { failed } from './exit.ts';
import type { Session } from './shell.ts';
import { formatTarget, type Target } from './target.ts';

/** The object of a request, as the API server has it; undefined: there is none. */
export type Asked = Cell | StagedBindingPolicy | undefined;

/** How long an abort waits for its object to be read, in milliseconds: it can do without. */
const LONGEST_LOOK_MS = 1_000;

/** Reads the object of a request; `Unknown` where that is not allowed or, for an abort, takes too long. */
export async function readAsked(
  { kubernetes }: Pick<Session, 'kubernetes'>,
  { kind, key }: Target,
  name: AskName,
): Promise<Asked | 'Unknown'> {
  const isUrgent = name === 'abort';
  const reading = kubernetes
    .get<Cell | StagedBindingPolicy>(kind === 'Cell' ? CELL : STAGED_BINDING_POLICY, key)
    .catch((error: unknown) => {
      if (isUrgent || isForbidden(error)) return 'Unknown' as const;
      throw error;
    });
  if (!isUrgent) return await reading;
  return await Promise.race([reading, setTimeout(LONGEST_LOOK_MS, 'Unknown' as const, { ref: false })]);
}

/**
 * Ends the command where Kubernetes and Temporal are those of two installations. A kubeconfig and the address of Temporal are
 * chosen apart, and each installation may have an object of this name, whose workflow then has the same id.
 */
export async function mustBeOneInstallation(
  { temporal: { address, namespace } }: Pick<Session, 'temporal'>,
  operator: Pick<Operator, 'knownRuns'>,
  {
    target,
    name,
    asked,
  }: { readonly target: Target; readonly name: AskName; readonly asked: Asked | 'Unknown' },
): Promise<void> {
  // Kubernetes has already said whether the person may make this request.
  if (asked === 'Unknown') return;
  const workflowId = temporalId(objectWorkflowId(target.kind, target.key));
  const known = await operator.knownRuns(workflowId, runsIn(asked, workflowId));
  if (known.is !== 'Others') return;
  if (asked === undefined) throw missing(target);
  // A Cell may have been settled for longer than Temporal remembers the run that has written so.
  if (name === 'retry' && !known.isOpen && isForgotten(asked, known)) return;
  throw failed(
    `Expected Temporal at ${address}, namespace ${namespace}, to know the run that has written the status of ${formatTarget(target)}, got other runs of ${workflowId} alone. Nothing was sent: that is the Temporal of another installation, or one that has lost the run, and okrad has written no status since. Set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, or --temporal-address and --temporal-namespace, to those of okrad in this cluster. If they are the same, see okractl describe, and try again.`,
  );
}

/** Whether Temporal may not remember the run any more that has written the status. */
function isForgotten(
  { status = {} }: NonNullable<Asked>,
  { retentionMs = 0 }: { readonly retentionMs: number | undefined },
): boolean {
  const writtenAt = Date.parse(status.lastSyncTime ?? '');
  return Number.isNaN(writtenAt) || Date.now() - writtenAt > retentionMs;
}

/** The runs of the workflow that have written the status. */
function runsIn(asked: Asked, workflowId: string): readonly string[] {
  const { rollout, writer } = { rollout: undefined, writer: undefined, ...asked?.status };
  const runs = [rollout?.workflowId === workflowId ? rollout.runId : undefined, writer?.runId];
  return [...new Set(runs.filter((run) => run !== undefined))];
}

/** Says that an object does not exist. */
export const missing = (target: Target): Error =>
  failed(
    `Expected ${formatTarget(target)}, got none. See okractl get ${target.kind === 'Cell' ? 'cells -A' : 'sbp'}.`,
  );
