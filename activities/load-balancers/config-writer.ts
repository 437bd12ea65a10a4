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
import { strandingRefusal, strandingWarning, type WeightChange } from '../../domain/gates/health.ts';
import { sameShares } from '../../domain/load-balancers/weights.ts';
import { loadBalancerStatus, type ApplyOutcome } from '../../domain/load-balancers/load-balancer-status.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { given } from '../../domain/model/given.ts';
import { dependenciesOf } from './config-object.ts';
import { healthReader, readStranding, type HealthReader } from './target-health.ts';
import { refuseWhenAskedOtherwise } from './write-guards.ts';
import type { Adoption, NotYet } from '../contract.ts';
import { awsErrorType, failure, reasonOf, toFailure } from '../failure.ts';
import { loadBalancerOf } from './index.ts';
import { inOrder } from './in-order.ts';
import type { Writing } from './port.ts';
import { readIfInTime } from './read-in-time.ts';
import { adoptionFor } from '../permit.ts';
import { Postponed, writingOf, type WritingMeans } from './writing.ts';
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
  /** Whether all traffic may go to groups without a healthy target, because a person asks for that. */
  readonly force?: boolean | undefined;
  /** Reads the health of target groups, where the caller has read some of it already. */
  readonly health?: HealthReader;
  /** Throws when the write is not the next one any more; left out, when the object asks for something else than when the attempt began. */
  readonly refuseOutdated?: () => Promise<void>;
  /** Which versions target groups are of, where the caller reads that anyway. */
  readonly versions?: Promise<VersionSources | undefined>;
}

/** What ELBv2 serves after an attempt that was not refused. */
export type Served =
  | {
      readonly is: 'Served';
      readonly served: ObservedForwarding;
      /** Why all traffic goes to groups without a healthy target, where a person has asked for that. */
      readonly warning?: string;
      /** Whether something else had changed what the status says is served. */
      readonly corrects?: true;
    }
  | NotYet;

/** The result of an attempt that was not refused. */
export type Applied =
  | (Extract<Served, { is: 'Served' }> & {
      /** The object as it says now; undefined when it is gone. */
      readonly config: LoadBalancerConfigView | undefined;
    })
  | NotYet;

/** The one who makes ELBv2 what a configuration object says, and says so in its status. */
export interface ConfigWriter {
  /** Takes a turn in the write budget ahead, so that nothing is asked for before it may be written. */
  readonly reserve: (forwarding: Forwarding, options: AttemptOptions) => Promise<BudgetTurn | NotYet>;
  /** Whether someone had to wait for a turn just now, so that whoever comes without a ticket has to as well. */
  readonly isCrowded: (forwarding: Forwarding) => boolean;
  /** Writes and reads back; throws what refuses, after the status says so unless it is urgent. */
  readonly serve: (
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    turn?: BudgetTurn,
  ) => Promise<Served>;
  /** Writes, reads back and reports; throws what refuses, after the status says so. */
  readonly apply: (
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    turn?: BudgetTurn,
  ) => Promise<Applied>;
  /** Deletes what the object has made of the load balancer. */
  readonly remove: (config: LoadBalancerConfigView, options: AttemptOptions) => Promise<NotYet | undefined>;
  /** Says in the status of an object the result of an attempt; answers with the object as it says now, undefined when it is gone. */
  readonly report: (
    config: LoadBalancerConfigView,
    outcome: ApplyOutcome,
    versions?: AttemptOptions['versions'],
  ) => Promise<LoadBalancerConfigView | undefined>;
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
    const { urgent, percent, ticket } = options;
    const quota = quotaOf(forwarding);
    const ask = (signal: AbortSignal) => budget.take(quota, { urgent, percent, ticket }, signal);
    // What takes traffic back does not wait for the object that the budget is kept in.
    const grant = await readIfInTime(options, ask, { is: 'Granted' } as const);
    if (grant.is === 'Wait' && !urgent) waitedAt.set(quota, Date.now());
    return grant;
  }

  const writing = (
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    own: Pick<WritingMeans, 'hasTurn' | 'refuseStranding'>,
  ): Writing =>
    writingOf({
      ...own,
      signal: options.signal,
      take: () => take(config.desired, options),
      charge: () => budget.charge(quotaOf(config.desired), options),
      refuseOutdated: options.refuseOutdated ?? (() => refuseWhenAskedOtherwise(kubernetes, config)),
      heed: (refusal) => heed(config, refusal),
    });

  /** Tells those who share the budget that ELBv2 throttles. */
  async function heed({ desired }: LoadBalancerConfigView, refusal: unknown): Promise<void> {
    if (awsErrorType(refusal) === 'Throttled') await budget.penalise(quotaOf(desired), PENALTY_MS);
  }

  /** Tells of what refuses, and says it in the status; throws it on. */
  async function refused(
    config: LoadBalancerConfigView,
    error: unknown,
    { urgent }: AttemptOptions,
  ): Promise<never> {
    await heed(config, error);
    const told = toFailure(error);
    // What was given up is neither here nor there, and another attempt says more of an object that asks otherwise. What takes
    // traffic back has not asked the object for anything yet.
    const isTold = urgent || Context.current().cancellationSignal.aborted || reasonOf(told) === 'Superseded';
    // That the status cannot be written must not hide what has refused.
    if (!isTold)
      await report(config, { is: 'Refused', reason: reasonOf(told), message: told.message }).catch(
        () => undefined,
      );
    throw told;
  }

  async function postponing<T>(
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    run: () => Promise<T>,
  ): Promise<T | NotYet> {
    try {
      return await run();
    } catch (error) {
      return error instanceof Postponed ? error.notYet : await refused(config, error, options);
    }
  }

  async function serve(
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    turn?: BudgetTurn,
  ): Promise<Served> {
    const { key, desired, status } = config;
    const calls = loadBalancerOf(desired.type).connect(means);
    const adopt = await adoptionOf(config, options);
    const known = status.observed === undefined ? {} : { observed: status.observed };
    const { verify, urgent, force, health = healthReader(dependencies.elbv2, options) } = options;
    const undoes = verify && (urgent || mayBeUndone(config));
    const request = { key, forwarding: desired, adopt, verify, undoes, urgent, ...known };
    let warning: string | undefined;
    const refuseStranding = async (weights: WeightChange): Promise<void> => {
      const stranding = await readStranding(weights, health, options);
      if (stranding === undefined) return;
      if (force !== true) throw failure('NoHealthyTargets', strandingRefusal(stranding));
      warning = strandingWarning(stranding);
    };
    const own = writing(config, options, { hasTurn: turn !== undefined, refuseStranding });
    let wrote = false;
    const permit: Writing['permit'] = (weights) => ((wrote = true), own.permit(weights));
    const served = await postponing(config, options, () => calls.apply(request, { ...own, permit }));
    if ('is' in served) return served;
    const corrects = wrote && verify && !urgent && wasServed(config) ? (true as const) : undefined;
    if (corrects) dependencies.tell?.count('okra_drift_healed_total', { type: desired.type });
    return { is: 'Served', served, ...given({ warning, corrects }) };
  }

  return {
    report,
    isCrowded: (forwarding) => Date.now() - (waitedAt.get(quotaOf(forwarding)) ?? 0) < CROWDED_MS,
    reserve: async (forwarding, options) => {
      const grant = await take(forwarding, options);
      return grant.is === 'Granted' ? { is: 'Turn' } : new Postponed(grant).notYet;
    },
    serve,
    apply: async (config, options, turn) => {
      const done = await serve(config, options, turn);
      if (done.is === 'NotYet') return done;
      const { served } = done;
      const outcome = { is: 'Served', served, created: config.status.observed === undefined } as const;
      return { ...done, config: await report(config, outcome, options.versions) };
    },
    remove: async (config, options) => {
      const { key, desired, status } = config;
      const calls = loadBalancerOf(desired.type).connect(means);
      const request = {
        key,
        forwarding: desired,
        ...(status.observed === undefined ? {} : { observed: status.observed }),
      };
      const own = writing(config, options, { hasTurn: false, refuseStranding: () => Promise.resolve() });
      const removed = await postponing(config, options, () => calls.remove(request, own));
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
