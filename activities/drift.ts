import type { Client } from '@temporalio/client';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../clients/kinds.ts';
import type { ELBv2 } from '../clients/elbv2.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import { loadBalancerConfigStart } from '../clients/workflow-start.ts';
import type { AWSApplicationLoadBalancerConfig } from '../crds/aws-application-load-balancer-config.ts';
import { keyOf } from '../domain/ids.ts';
import { servedRule } from '../domain/load-balancer-status.ts';
import { describeDifference, differenceOf } from '../domain/rule-difference.ts';
import { drifted } from '../workflows/messages.ts';
import type { DriftActivities, DriftFinding } from './contract.ts';
import { awsErrorType } from './failure.ts';
import { fromRule } from './rule-conversion.ts';

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
    async findDrift(listenerARN) {
      const objects = await kubernetes.list<AWSApplicationLoadBalancerConfig>(
        AWS_APPLICATION_LOAD_BALANCER_CONFIG,
      );
      const watched = objects.filter((object) => object.spec.listenerARN === listenerARN);
      if (watched.length === 0) return { watched: 0, drifted: [] };
      const rules = await rulesOf(elbv2(listenerARN), listenerARN);
      const found: DriftFinding['drifted'][number][] = [];
      for (const object of watched) {
        const served = object.status === undefined ? undefined : servedRule(object.status);
        // What is not applied yet is being worked at; only what was served can have drifted.
        if (served === undefined || object.status?.phase === 'Error') continue;
        const rule = rules.find((one) => one.RuleArn === served.ruleARN);
        const difference =
          rule === undefined ? undefined : differenceOf(served.rule, fromRule(rule, served.rule));
        if (rule === undefined) found.push({ key: keyOf(object), difference: 'The rule is gone.' });
        else if (difference !== undefined)
          found.push({ key: keyOf(object), difference: describeDifference(difference) });
      }
      return { watched: watched.length, drifted: found };
    },
    async wakeLoadBalancerConfig(key) {
      const { type, options } = loadBalancerConfigStart(key, taskQueue);
      await temporal.workflow.signalWithStart(type, { ...options, signal: drifted, signalArgs: [] });
    },
  };
}

async function rulesOf(elbv2: ELBv2, listenerARN: string): ReturnType<ELBv2['rulesOf']> {
  try {
    return await elbv2.rulesOf(listenerARN);
  } catch (error) {
    if (awsErrorType(error) === 'ListenerNotFound') return [];
    throw error;
  }
}
