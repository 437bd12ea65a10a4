import { conditionsFrom, type Condition } from './conditions.ts';
import { placeOf, weightsText, type Served } from './load-balancer.ts';
import type { LoadBalancerConfigView } from './observation.ts';

/** What came of one attempt to apply an object. */
export type ApplyOutcome =
  | { readonly is: 'Served'; readonly served: Served; readonly created: boolean; readonly message?: never }
  | {
      readonly is: 'Refused';
      readonly reason: string;
      readonly message: string;
    };

/** The status of an object that configures a load balancer, whichever it is. */
export interface LoadBalancerStatus {
  readonly observedGeneration?: number | undefined;
  readonly phase?: 'Pending' | 'Created' | 'Updating' | 'Updated' | 'Error' | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** What the load balancer serves; undefined when nothing is known of it. */
  readonly served?: Served | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

/** Derives the status of an object from what came of applying it; what is still served stays in it. */
export function loadBalancerStatus(
  config: LoadBalancerConfigView,
  outcome: ApplyOutcome,
  time: string,
): LoadBalancerStatus {
  const before = config.status;
  const said = saidOf(outcome);
  const settled = outcome.is === 'Served';
  const served = settled ? outcome.served : before.served;
  const observedGeneration = settled ? config.generation : before.observedGeneration;
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...said,
    ...(served === undefined ? {} : { served }),
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

function saidOf(outcome: ApplyOutcome) {
  if (outcome.is === 'Refused') {
    return { phase: 'Error', reason: outcome.reason, message: outcome.message } as const;
  }
  const { served, created } = outcome;
  const place = placeOf(served);
  return {
    phase: created ? 'Created' : 'Updated',
    reason: 'Served',
    message: `ELBv2 serves ${place} with ${weightsText(served.targetGroups)}.`,
  } as const;
}
