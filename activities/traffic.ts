import { Context } from '@temporalio/activity';
import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { isConflict, type KubernetesClient } from '../clients/kubernetes.ts';
import type { ELBv2 } from '../clients/elbv2.ts';
import { loadBalancerConfigStart } from '../clients/workflow-start.ts';
import type { TargetHealth } from '../domain/health.ts';
import { formatKey, type ObjectKey } from '../domain/ids.ts';
import { ADOPT_ANNOTATION, API_VERSION, SEQUENCE_ANNOTATION } from '../domain/labels.ts';
import type { Served } from '../domain/load-balancer.ts';
import { applyUpdate } from '../workflows/messages.ts';
import { beating } from './beat.ts';
import type { ShiftRequest, TrafficActivities } from './contract.ts';
import { failure } from './failure.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { ConfigObject } from './load-balancers/port.ts';
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
    inspectLoadBalancer: (request) => {
      const calls = loadBalancerOf(request.route.type).connect(dependencies);
      return calls.inspect(request, Context.current().cancellationSignal);
    },
    readTargetHealth: (arns) => Promise.all(arns.map((arn) => healthOf(dependencies.elbv2(arn), arn))),
  };
}

async function shift(
  dependencies: TrafficDependencies,
  request: ShiftRequest,
  signal: AbortSignal,
): Promise<Served> {
  const { generation, uid } = await writeConfig(dependencies.kubernetes, request);
  const { key } = request.cell;
  const { temporal, taskQueue } = dependencies;
  const { runId } = Context.current().info.workflowExecution ?? { runId: '' };
  const { type, options } = loadBalancerConfigStart({ type: request.forwarding.type, key }, taskQueue);
  const startWorkflowOperation = new WithStartWorkflowOperation(type, {
    ...options,
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  try {
    return await temporal.connection.withAbortSignal(signal, () =>
      temporal.workflow.executeUpdateWithStart(applyUpdate, {
        startWorkflowOperation,
        // A repeated attempt of this activity asks for the same update.
        updateId: `${runId}-${uid.slice(0, 8)}-${request.sequence}`,
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

/** Writes the Cell's configuration object unless somebody with a later sequence was faster. */
async function writeConfig(
  kubernetes: KubernetesClient,
  request: ShiftRequest,
): Promise<{ readonly generation: number; readonly uid: string }> {
  const { cell, forwarding, deletionPolicy, adopt, sequence } = request;
  const loadBalancer = loadBalancerOf(forwarding.type);
  const { kind } = loadBalancer;
  const known = await kubernetes.get<ConfigObject>(kind, cell.key);
  const written = Number(known?.metadata.annotations?.[SEQUENCE_ANNOTATION] ?? 0);
  const repeated = Context.current().info.attempt > 1 && written === sequence;
  if (written >= sequence && !repeated) throw superseded(request, written);
  const resourceVersion = known?.metadata.resourceVersion;
  try {
    const { metadata } = await kubernetes.apply<ConfigObject & { metadata: ObjectKey }>(
      {
        apiVersion: API_VERSION,
        kind: kind.kind,
        metadata: {
          ...cell.key,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
          annotations: {
            [SEQUENCE_ANNOTATION]: String(sequence),
            ...(adopt ? { [ADOPT_ANNOTATION]: 'true' } : {}),
          },
          ownerReferences: ownedByCell(cell),
        },
        spec: loadBalancer.spec(forwarding, deletionPolicy),
      },
      { force: true },
    );
    return { generation: metadata.generation ?? 0, uid: metadata.uid ?? '' };
  } catch (error) {
    // Somebody has written in between; the next attempt sees whether that was a later sequence.
    if (isConflict(error))
      throw failure('Unavailable', `${kind.kind} ${formatKey(cell.key)} was changed meanwhile.`);
    throw error;
  }
}

const superseded = ({ cell, sequence }: ShiftRequest, written: number): Error =>
  failure(
    'Superseded',
    `Expected write ${sequence} to the load balancer configuration ${formatKey(cell.key)} to be the next, got ${written} there already.`,
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
