import type { AWSApplicationLoadBalancerConfigStatus } from '../crds/aws-application-load-balancer-config.ts';
import type { ListenerRule } from '../crds/listener-rule.ts';
import { conditionsFrom } from './conditions.ts';
import type { ObservedLoadBalancerConfig } from './observation.ts';

/** A rule that was read back from ELBv2. */
export interface Served {
  readonly listenerARN: string;
  readonly ruleARN: string;
  readonly rule: ListenerRule;
}

/** What came of one attempt to apply an object. */
export type ApplyOutcome =
  | { readonly is: 'Served'; readonly rule: Served; readonly created: boolean; readonly message?: never }
  | {
      readonly is: 'Refused';
      readonly reason: string;
      readonly message: string;
      readonly permanent: boolean;
    };

type Status = AWSApplicationLoadBalancerConfigStatus;

/** The rule that a status says is served; undefined when it names none. */
export function servedRule({ listenerARN, ruleARN, listener }: Status): Served | undefined {
  if (listenerARN === undefined || ruleARN === undefined || listener === undefined) return undefined;
  return { listenerARN, ruleARN, rule: listener.rule };
}

/** Derives the status of an object from what came of applying it; what is still served stays in it. */
export function loadBalancerStatus(
  config: NonNullable<ObservedLoadBalancerConfig['config']>,
  outcome: ApplyOutcome,
  time: string,
): Status {
  const before = config.status;
  const said = saidOf(outcome);
  const settled = outcome.is === 'Served';
  const mirror = settled
    ? {
        listenerARN: outcome.rule.listenerARN,
        ruleARN: outcome.rule.ruleARN,
        listener: { rule: outcome.rule.rule },
        weights: weightsText(outcome.rule.rule),
      }
    : pickMirror(before);
  const observedGeneration = settled ? config.generation : before.observedGeneration;
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    phase: said.phase,
    reason: said.reason,
    message: said.message,
    ...mirror,
    conditions: conditionsFrom(
      [
        { type: 'Ready', holds: settled, reason: said.reason, message: said.message },
        { type: 'Degraded', holds: !settled, reason: said.reason, message: said.message },
      ],
      before.conditions ?? [],
      { generation: config.generation, time },
    ),
  };
}

function saidOf(outcome: ApplyOutcome): {
  phase: NonNullable<Status['phase']>;
  reason: string;
  message: string;
} {
  if (outcome.is === 'Refused') return { phase: 'Error', reason: outcome.reason, message: outcome.message };
  return {
    phase: outcome.created ? 'Created' : 'Updated',
    reason: 'Served',
    message: `ELBv2 serves rule ${outcome.rule.rule.priority} with ${weightsText(outcome.rule.rule)}.`,
  };
}

const weightsText = (rule: ListenerRule): string =>
  rule.forward.targetGroups.map((group) => `${group.name}: ${group.weight}`).join(', ');

function pickMirror({ listenerARN, ruleARN, listener, weights }: Status): Status {
  return {
    ...(weights === undefined ? {} : { weights }),
    ...(listenerARN === undefined ? {} : { listenerARN }),
    ...(ruleARN === undefined ? {} : { ruleARN }),
    ...(listener === undefined ? {} : { listener }),
  };
}
