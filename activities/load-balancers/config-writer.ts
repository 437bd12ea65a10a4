import { Context } from '@temporalio/activity';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Metrics } from '../../clients/metrics/metrics.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { WriteBudget } from '../../clients/aws/shared-budget.ts';
import type { Grant, Ticket } from '../../domain/load-balancers/budget.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import {
  sameRoute,
  targetGroupsOf,
  type Forwarding,
  type ObservedForwarding,
} from '../../domain/load-balancers/load-balancer.ts';
import { sameShares } from '../../domain/load-balancers/weights.ts';
import { loadBalancerStatus, type ApplyOutcome } from '../../domain/load-balancers/load-balancer-status.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { dependenciesOf } from './config-object.ts';
import type { Adoption, NotYet } from '../contract.ts';
import { awsErrorType, reasonOf, toFailure } from '../failure.ts';
import { loadBalancerOf } from './index.ts';
import { inOrder } from './in-order.ts';
import type { Writing } from './port.ts';
import { readIfInTime } from './read-in-time.ts';
import { adoptionFor } from '../permit.ts';
import { Postponed, writingOf } from './writing.ts';
import { refuseWhenGivenUp } from '../heartbeat.ts';
import { statusReporter } from '../kubernetes/status-reporter.ts';
import { targetDeploymentReporter, type VersionSources } from '../rollout/target-deployment.ts';

/** What load balancers are written with. */
export interface WriterDependencies {
  readonly kubernetes: KubernetesClient;
  readonly elbv2: (arn: string) => ELBv2;
  readonly budget: WriteBudget;
  readonly installation: Installation;
  /** Who counts. */
  readonly tell?: Pick<Metrics, 'count'> | undefined;
}

/** How one attempt is made. */
export interface AttemptOptions {
  readonly urgent: boolean;
  /** Of what is urgent, how much of the traffic it takes back, in percent. */
  readonly percent?: number | undefined;
  /** Whether ELBv2 is read before it is compared. */
  readonly verify: boolean;
  readonly ticket?: Ticket | undefined;
  readonly signal: AbortSignal;
  /** Which versions target groups are of, where the caller reads that anyway. */
  readonly versions?: Promise<VersionSources | undefined>;
}

/** The result of an attempt that was not refused. */
export type Applied =
  | {
      readonly is: 'Served';
      readonly served: ObservedForwarding;
      /** The object as it says now; undefined when it is gone. */
      readonly config: LoadBalancerConfigView | undefined;
    }
  | NotYet;

/** The one who makes ELBv2 what a configuration object says, and says so in its status. */
export interface ConfigWriter {
  /** Takes a turn in the write budget ahead, so that nothing is asked for before it may be written. */
  readonly reserve: (forwarding: Forwarding, options: AttemptOptions) => Promise<BudgetTurn | NotYet>;
  /** Whether someone had to wait for a turn just now, so that whoever comes without a ticket has to as well. */
  readonly isCrowded: (forwarding: Forwarding) => boolean;
  /** Writes, reads back and reports; throws what refuses, after the status says so. */
  readonly apply: (
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    turn?: BudgetTurn,
  ) => Promise<Applied>;
  /** Deletes what the object has made of the load balancer. */
  readonly remove: (config: LoadBalancerConfigView, options: AttemptOptions) => Promise<NotYet | undefined>;
  /** Says in the status of an object the result of an attempt. */
  readonly report: (config: LoadBalancerConfigView, outcome: ApplyOutcome) => Promise<unknown>;
}

/** A turn in the write budget that is good for one write. */
export interface BudgetTurn {
  readonly is: 'Turn';
}

/** How long a line is remembered that someone has had to wait in, in milliseconds. */
const CROWDED_MS = 2_000;

/** How long writes wait when ELBv2 throttles all the same, because others share the account, in milliseconds. */
const PENALTY_MS = 1_000;

/** Makes the writer of load balancers. */
export function configWriter(dependencies: WriterDependencies): ConfigWriter {
  const { kubernetes, budget } = dependencies;
  const means = dependenciesOf(dependencies);
  const policies = accessPolicies(kubernetes);
  const waitedAt = new Map<string, number>();
  const reportStatus = statusReporter(kubernetes);
  const reportDeployment = targetDeploymentReporter(kubernetes);

  async function adoptionOf(
    { key: { namespace }, adopt }: LoadBalancerConfigView,
    options: AttemptOptions,
  ): Promise<Adoption> {
    if (!adopt) return false;
    const read = async (signal: AbortSignal): Promise<Adoption> =>
      adoptionFor(adopt, await policies.of(namespace, signal));
    return readIfInTime(options, read, 'NotOfOthers');
  }

  async function report(
    config: LoadBalancerConfigView,
    outcome: ApplyOutcome,
    versions?: AttemptOptions['versions'],
  ): Promise<LoadBalancerConfigView | undefined> {
    const { key, uid, desired } = config;
    const status = loadBalancerStatus(config, outcome, new Date().toISOString());
    if (sameValue(status, config.status)) return config;
    const loadBalancer = loadBalancerOf(desired.type);
    const { observed, ...said } = status;
    // What an attempt that was given up has read back is older than what the one after it has.
    refuseWhenGivenUp();
    const mirrored = observed === undefined ? {} : loadBalancer.status(observed);
    const showing = reportDeployment({ key, uid }, observed, versions);
    try {
      const write = (resourceVersion: string | undefined) =>
        reportStatus(loadBalancer.kind, { key, uid, resourceVersion }, { ...said, ...mirrored }, []);
      const written = await inOrder(config, write, kubernetes);
      return written === 'Gone' ? undefined : { ...config, status };
    } finally {
      // It is not left under way, since it could overtake what the next attempt shows.
      await showing;
    }
  }

  async function take(forwarding: Forwarding, options: AttemptOptions): Promise<Grant> {
    const { urgent, percent, ticket, signal } = options;
    const quota = quotaOf(forwarding);
    const grant = await budget.take(quota, { urgent, percent, ticket }, signal);
    if (grant.is === 'Wait' && !urgent) waitedAt.set(quota, Date.now());
    return grant;
  }

  const writing = (config: LoadBalancerConfigView, options: AttemptOptions, turn?: BudgetTurn): Writing =>
    writingOf(config, {
      kubernetes,
      signal: options.signal,
      hasTurn: turn !== undefined,
      take: () => take(config.desired, options),
      charge: () => budget.charge(quotaOf(config.desired), options),
      heed: (refusal) => heed(config, refusal),
    });

  /** Tells those who share the budget that ELBv2 throttles. */
  async function heed({ desired }: LoadBalancerConfigView, refusal: unknown): Promise<void> {
    if (awsErrorType(refusal) === 'Throttled') await budget.penalise(quotaOf(desired), PENALTY_MS);
  }

  /** Tells of what refuses, and says it in the status; throws it on. */
  async function refused(config: LoadBalancerConfigView, error: unknown): Promise<never> {
    await heed(config, error);
    const told = toFailure(error);
    // What was given up is neither here nor there, and another attempt says more of an object that asks otherwise.
    const isTold = Context.current().cancellationSignal.aborted || reasonOf(told) === 'Superseded';
    // That the status cannot be written must not hide what has refused.
    if (!isTold)
      await report(config, { is: 'Refused', reason: reasonOf(told), message: told.message }).catch(
        () => undefined,
      );
    throw told;
  }

  async function postponing<T>(config: LoadBalancerConfigView, run: () => Promise<T>): Promise<T | NotYet> {
    try {
      return await run();
    } catch (error) {
      return error instanceof Postponed ? error.notYet : await refused(config, error);
    }
  }

  return {
    report,
    isCrowded: (forwarding) => Date.now() - (waitedAt.get(quotaOf(forwarding)) ?? 0) < CROWDED_MS,
    reserve: async (forwarding, options) => {
      const grant = await take(forwarding, options);
      return grant.is === 'Granted' ? { is: 'Turn' } : new Postponed(grant).notYet;
    },
    apply: async (config, options, turn) => {
      const { key, desired, status } = config;
      const calls = loadBalancerOf(desired.type).connect(means);
      const adopt = await adoptionOf(config, options);
      const known = status.observed === undefined ? {} : { observed: status.observed };
      const { verify, urgent } = options;
      const undoes = verify && (urgent || mayBeUndone(config));
      const request = { key, forwarding: desired, adopt, verify, undoes, urgent, ...known };
      const own = writing(config, options, turn);
      let wrote = false;
      const permit: Writing['permit'] = () => ((wrote = true), own.permit());
      const served = await postponing(config, () => calls.apply(request, { ...own, permit }));
      if ('is' in served) return served;
      if (wrote && verify && wasServed(config))
        dependencies.tell?.count('okra_drift_healed_total', { type: desired.type });
      const outcome = { is: 'Served', served, created: status.observed === undefined } as const;
      return { is: 'Served', served, config: await report(config, outcome, options.versions) };
    },
    remove: async (config, options) => {
      const { key, desired, status } = config;
      const calls = loadBalancerOf(desired.type).connect(means);
      const request = {
        key,
        forwarding: desired,
        ...(status.observed === undefined ? {} : { observed: status.observed }),
      };
      const removed = await postponing(config, () => calls.remove(request, writing(config, options)));
      return removed ?? undefined;
    },
  };
}

/** The account and place whose writes share one budget. */
const quotaOf = (forwarding: Forwarding): string => loadBalancerOf(forwarding.type).quota(forwarding);

/** Whether the status says that what the object asks for was served already. */
const wasServed = ({ status, generation }: LoadBalancerConfigView): boolean =>
  status.observed !== undefined && status.phase !== 'Error' && status.observedGeneration === generation;

/**
 * Whether the object asks for what its status says was served last, after it has asked for something of which nobody knows
 * whether that was written.
 */
function mayBeUndone(config: LoadBalancerConfigView): boolean {
  const { desired, status, generation } = config;
  const { observed, observedGeneration, phase } = status;
  if (observed === undefined || wasServed(config) || !sameRoute(desired, observed)) return false;
  // What it asks for is all that has changed since: the same in other words, say, as ELBv2 has them.
  const isOnlyChange = observedGeneration !== undefined && generation === observedGeneration + 1;
  if (phase !== 'Error' && isOnlyChange) return false;
  return sameShares(targetGroupsOf(desired), targetGroupsOf(observed));
}
