import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ELBv2 } from '../clients/elbv2.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import { loadBalancerConfigStart } from '../clients/workflow-start.ts';
import { keyOf } from '../domain/ids.ts';
import { drifted } from '../workflows/messages.ts';
import type { DriftActivities } from './contract.ts';
import { loadBalancerOf } from './load-balancers/index.ts';
import type { ConfigObject } from './load-balancers/port.ts';

/** What the watch over listeners is made of. */
export interface DriftDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  readonly elbv2: (arn: string) => ELBv2;
  readonly taskQueue: string;
}

/** Makes the activities that compare a listener with what the objects say. */
export function driftActivities({
  kubernetes,
  temporal,
  elbv2,
  taskQueue,
}: DriftDependencies): DriftActivities {
  return {
    async findDrift({ type, listenerARN }) {
      const loadBalancer = loadBalancerOf(type);
      const objects = await kubernetes.list<ConfigObject>(loadBalancer.kind);
      const watched = objects
        .map((object) => ({ object, ...loadBalancer.read(object) }))
        .filter(({ asked }) => asked.listenerARN === listenerARN);
      // What is not applied yet is being worked at; only what was served can have drifted.
      const mirrored = watched.flatMap(({ object, served }) =>
        served === undefined || object.status?.phase === 'Error' || served.listenerARN !== listenerARN
          ? []
          : [{ key: keyOf(object), served }],
      );
      if (mirrored.length === 0) return { watched: watched.length, drifted: [] };
      const calls = loadBalancer.connect({ elbv2 });
      const found = await calls.drift(listenerARN, mirrored, Context.current().cancellationSignal);
      return { watched: watched.length, drifted: found };
    },
    async wakeLoadBalancerConfig(ref) {
      const { type, options } = loadBalancerConfigStart(ref, taskQueue);
      await temporal.workflow.signalWithStart(type, { ...options, signal: drifted, signalArgs: [] });
    },
  };
}
