import { Context } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../clients/kinds.ts';
import { isConflict, type KubernetesClient } from '../clients/kubernetes.ts';
import type { ELBv2 } from '../clients/elbv2.ts';
import { loadBalancerConfigStart } from '../clients/workflow-start.ts';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import type { TargetHealth } from '../domain/health.ts';
import { formatKey } from '../domain/ids.ts';
import { API_VERSION, SEQUENCE_ANNOTATION } from '../domain/labels.ts';
import { applyUpdate } from '../workflows/messages.ts';
import { beating } from './beat.ts';
import type { AppliedRule, ShiftRequest, TrafficActivities } from './contract.ts';
import { failure } from './failure.ts';
import { ownedByCell } from './owner.ts';

/** What the activities that shift traffic are made of. */
export interface TrafficDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  readonly elbv2: (arn: string) => ELBv2;
  readonly taskQueue: string;
}

/** Makes the activities that shift traffic and look at the health of targets. */
export function trafficActivities(dependencies: TrafficDependencies): TrafficActivities {
  return {
    shiftTraffic: (request) => beating((signal) => shift(dependencies, request, signal)),
    readTargetHealth: (arns) => Promise.all(arns.map((arn) => healthOf(dependencies.elbv2(arn), arn))),
  };
}

async function shift(
  dependencies: TrafficDependencies,
  request: ShiftRequest,
  signal: AbortSignal,
): Promise<AppliedRule> {
  const generation = await writeConfig(dependencies.kubernetes, request);
  const { key } = request.cell;
  const { temporal, taskQueue } = dependencies;
  const { runId } = Context.current().info.workflowExecution ?? { runId: '' };
  const { type, options } = loadBalancerConfigStart(key, taskQueue);
  const startWorkflowOperation = new WithStartWorkflowOperation(type, {
    ...options,
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  try {
    return await temporal.connection.withAbortSignal(signal, () =>
      temporal.workflow.executeUpdateWithStart(applyUpdate, {
        startWorkflowOperation,
        // A repeated attempt of this activity asks for the same update.
        updateId: `${runId}-${request.sequence}`,
        args: [{ generation, urgent: request.urgent }],
      }),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
      throw error.cause;
    throw error;
  }
}

/** Writes the Cell's configuration object unless somebody with a later sequence was faster; answers with its generation. */
async function writeConfig(kubernetes: KubernetesClient, request: ShiftRequest): Promise<number> {
  const { cell, listenerARN, rule, sequence } = request;
  const known = await kubernetes.get<AWSApplicationLoadBalancerConfig>(
    AWS_APPLICATION_LOAD_BALANCER_CONFIG,
    cell.key,
  );
  const written = Number(known?.metadata.annotations?.[SEQUENCE_ANNOTATION] ?? 0);
  const repeated = Context.current().info.attempt > 1 && written === sequence;
  if (written >= sequence && !repeated) throw superseded(request, written);
  const resourceVersion = known?.metadata.resourceVersion;
  try {
    const applied = await kubernetes.apply<
      AWSApplicationLoadBalancerConfig & { metadata: { name: string; namespace: string } }
    >(
      {
        apiVersion: API_VERSION,
        kind: AWS_APPLICATION_LOAD_BALANCER_CONFIG.kind,
        metadata: {
          ...cell.key,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
          annotations: { [SEQUENCE_ANNOTATION]: String(sequence) },
          ownerReferences: ownedByCell(cell),
        },
        spec: { listenerARN, listener: { rule } },
      },
      { force: true },
    );
    return applied.metadata.generation ?? 0;
  } catch (error) {
    // Somebody has written in between; the next attempt sees whether that was a later sequence.
    if (isConflict(error))
      throw failure(
        'Unavailable',
        `AWSApplicationLoadBalancerConfig ${formatKey(cell.key)} was changed meanwhile.`,
      );
    throw error;
  }
}

const superseded = ({ cell, sequence }: ShiftRequest, written: number): Error =>
  failure(
    'Superseded',
    `Expected write ${sequence} to AWSApplicationLoadBalancerConfig ${formatKey(cell.key)} to be the next, got ${written} there already.`,
  );

async function healthOf(elbv2: ELBv2, targetGroupARN: string): Promise<TargetHealth> {
  const targets = await elbv2.targetHealth(targetGroupARN, Context.current().cancellationSignal);
  const others = new Map<string, number>();
  for (const { TargetHealth: health } of targets) {
    if (health?.State === 'healthy') continue;
    const what = `${health?.State ?? 'unknown'}${health?.Reason === undefined ? '' : ` (${health.Reason})`}`;
    others.set(what, (others.get(what) ?? 0) + 1);
  }
  return {
    targetGroupARN,
    healthy: targets.filter((target) => target.TargetHealth?.State === 'healthy').length,
    total: targets.length,
    others: [...others].map(([what, count]) => `${count} ${what}`).join(', '),
  };
}
