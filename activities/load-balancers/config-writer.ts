import { Context } from '@temporalio/activity';
import { accessPolicies } from '../../clients/kubernetes/access-policies.ts';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import type { Metrics } from '../../clients/metrics/metrics.ts';
import type { Installation } from '../../clients/kubernetes/installation.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RateLimiter } from '../../clients/rate-limiter.ts';
import { withTimeLimit } from '../../clients/concurrency.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import {
  sameRoute,
  targetGroupsOf,
  type Forwarding,
  type ObservedForwarding,
} from '../../domain/load-balancers/load-balancer.ts';
import { strandingRefusal, strandingWarning, type WeightChange } from '../../domain/gates/health.ts';
import { sameShares } from '../../domain/load-balancers/weights.ts';
import {
  loadBalancerStatus,
  type ApplyOutcome,
  type LoadBalancerConfigView,
} from '../../domain/load-balancers/load-balancer-config.ts';
import { given } from '../../domain/model/fields.ts';
import { dependenciesOf, configViewOf, readConfig } from './config-object.ts';
import { healthReader, readStranding, type HealthReader } from './target-health.ts';
import type { Adoption } from '../contract.ts';
import { awsErrorType, failure, reasonOf, toFailure } from '../failure.ts';
import { loadBalancerOf } from './index.ts';
import type { Writing } from './port.ts';
import { readIfInTime } from './reads.ts';
import { adoptionFor } from '../permit.ts';
import { refuseWhenGivenUp } from '../heartbeat.ts';
import { createStatusReporter } from '../kubernetes/status-reporter.ts';
import { reportTargetDeployment, type VersionSources } from '../rollout/target-deployment.ts';
import { formatKey } from '../../domain/model/ids.ts';
import { retryOnConflict } from '../kubernetes/writes.ts';

/** What load balancers are written with. */
export interface WriterDependencies {
  readonly kubernetes: KubernetesClient;
  readonly elbv2: (arn: string) => ELBv2;
  readonly writes: RateLimiter;
  readonly installation: Installation;
  readonly tell?: Pick<Metrics, 'count'> | undefined;
}

/** How one attempt is made. */
export interface AttemptOptions {
  readonly urgent: boolean;
  /** Whether ELBv2 is read before it is compared. */
  readonly verify: boolean;
  readonly signal: AbortSignal;
  /** Whether the first write has waited for the rate limit already. */
  readonly isReserved?: boolean;
  /** Whether no Cell owns the object. */
  readonly isStandalone?: boolean;
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
export interface Served {
  readonly is: 'Served';
  readonly served: ObservedForwarding;
  /** Why all traffic goes to groups without a healthy target, where a person has asked for that. */
  readonly warning?: string;
  /** Whether something else had changed what the status says is served. */
  readonly corrects?: true;
}

/** The one who makes ELBv2 what a configuration object says, and says so in its status. */
export type ConfigWriter = ReturnType<typeof configWriter>;

/** How long a write waits for the rate limit before it is refused as throttled, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;

/** How long writes wait when ELBv2 throttles all the same, because others share the account, in milliseconds. */
const PENALTY_MS = 1_000;

/** Makes the writer of load balancers. */
export function configWriter(dependencies: WriterDependencies) {
  const { kubernetes, writes } = dependencies;
  const reaching = dependenciesOf(dependencies);
  const policies = accessPolicies(kubernetes);
  const reportStatus = createStatusReporter(kubernetes);

  async function adoptionOf(
    { key: { namespace }, adopt }: LoadBalancerConfigView,
    options: AttemptOptions,
  ): Promise<Adoption> {
    if (!adopt) return false;
    const read = async (signal: AbortSignal): Promise<Adoption> =>
      adoptionFor(adopt, await policies.of(namespace, signal));
    return readIfInTime(options, read, 'NotOfOthers');
  }

  /** Says in the status of an object the result of an attempt; answers with the object as it says now, undefined when it is gone. */
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
    const showing = reportTargetDeployment(kubernetes, config, observed, versions);
    try {
      const write = (resourceVersion: string | undefined) =>
        reportStatus(loadBalancer.kind, { key, uid, resourceVersion }, { ...said, ...mirrored });
      const written = await inOrder(config, write, kubernetes);
      return written === 'Gone' ? undefined : { ...config, status };
    } finally {
      // It is not left under way, since it could overtake what the next attempt shows.
      await showing;
    }
  }

  /** Waits for the rate limit, also ahead of an attempt that is then made with `isReserved`, so that nothing is asked for before it may be written. */
  async function reserve(
    forwarding: Forwarding,
    { urgent, signal }: Pick<AttemptOptions, 'urgent' | 'signal'>,
  ): Promise<void> {
    try {
      await withTimeLimit({ milliseconds: LONGEST_WAIT_MS, signal }, (inTime) =>
        writes.wait(quotaOf(forwarding), { urgent, signal: inTime }),
      );
    } catch (error) {
      if (signal.aborted) throw error;
      throw failure(
        'Throttled',
        `cannot write to ELBv2: the rate limit of this worker left no room within ${LONGEST_WAIT_MS / 1000} s. Raise OKRA_ELBV2_WRITES_PER_SECOND.`,
      );
    }
  }

  /** Makes the writes of one attempt, each with a token of the rate limit. */
  function writing(
    config: LoadBalancerConfigView,
    options: AttemptOptions,
    refuseStranding?: (weights: WeightChange) => Promise<void>,
  ): Writing {
    const { signal, urgent, isReserved = false } = options;
    const { refuseOutdated = () => refuseWhenAskedOtherwise(kubernetes, config) } = options;
    let hasToken = isReserved;
    let hasSent = false;

    async function turn(): Promise<void> {
      // What has begun is finished first, so that no change stays half made.
      if (!hasToken) await reserve(config.desired, { signal, urgent: urgent || hasSent });
      hasToken = true;
    }

    return {
      signal,
      turn,
      onRefusal: (refusal) => slowDown(config, refusal),
      permit: async (weights) => {
        await turn();
        if (weights !== undefined) await refuseStranding?.(weights);
        signal.throwIfAborted();
        await refuseOutdated();
        signal.throwIfAborted();
        // Last, since the process may have been stopped while it waited for an answer that is old by now.
        refuseWhenGivenUp();
        [hasToken, hasSent] = [false, true];
      },
    };
  }

  function slowDown({ desired }: LoadBalancerConfigView, refusal: unknown): void {
    if (awsErrorType(refusal) === 'Throttled') writes.pause(quotaOf(desired), PENALTY_MS);
  }

  async function reportRefusal(
    config: LoadBalancerConfigView,
    error: unknown,
    { urgent }: AttemptOptions,
  ): Promise<never> {
    slowDown(config, error);
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

  /** Writes and reads back; throws what refuses, after the status says so unless it is urgent. */
  async function serve(config: LoadBalancerConfigView, options: AttemptOptions): Promise<Served> {
    const { key, desired, status } = config;
    const calls = loadBalancerOf(desired.type).connect(reaching);
    const adopt = await adoptionOf(config, options);
    const { verify, urgent, force, health = healthReader(dependencies.elbv2, options) } = options;
    const trusts = !verify ? 'Status' : urgent || mayBeUndone(config) ? 'Nothing' : 'Reads';
    const known = given({ observed: status.observed, isStandalone: options.isStandalone });
    const request = { key, forwarding: desired, adopt, trusts, urgent, ...known } as const;
    let warning: string | undefined;
    const refuseStranding = async (weights: WeightChange): Promise<void> => {
      const stranding = await readStranding(weights, health, options);
      if (stranding === undefined) return;
      if (force !== true) throw failure('NoHealthyTargets', strandingRefusal(stranding));
      warning = strandingWarning(stranding);
    };
    const own = writing(config, options, refuseStranding);
    let wrote = false;
    const permit: Writing['permit'] = (weights) => ((wrote = true), own.permit(weights));
    const served = await calls
      .apply(request, { ...own, permit })
      .catch((error: unknown) => reportRefusal(config, error, options));
    const corrects = wrote && verify && !urgent && wasServed(config) ? (true as const) : undefined;
    if (corrects) dependencies.tell?.count('okra_drift_corrected_total', { type: desired.type });
    return { is: 'Served', served, ...given({ warning, corrects }) };
  }

  return {
    report,
    reserve,
    serve,
    /** Writes, reads back and reports; throws what refuses, after the status says so. */
    apply: async (config: LoadBalancerConfigView, options: AttemptOptions) => {
      const done = await serve(config, options);
      const { served } = done;
      const outcome = { is: 'Served', served, created: config.status.observed === undefined } as const;
      return { ...done, config: await report(config, outcome, options.versions) };
    },
    remove: async (config: LoadBalancerConfigView, options: AttemptOptions): Promise<void> => {
      const { key, desired, status } = config;
      const request = { key, forwarding: desired, ...given({ observed: status.observed }) };
      await loadBalancerOf(desired.type)
        .connect(reaching)
        .remove(request, writing(config, options))
        .catch((error: unknown) => reportRefusal(config, error, options));
    },
  };
}

const quotaOf = (forwarding: Forwarding): string => loadBalancerOf(forwarding.type).quota(forwarding);

const wasServed = ({ status, generation }: LoadBalancerConfigView): boolean =>
  status.observed !== undefined && status.phase !== 'Error' && status.observedGeneration === generation;

/** Whether it asks for what was served last, after something else of which nobody knows whether it was written. */
function mayBeUndone(config: LoadBalancerConfigView): boolean {
  const { desired, status, generation } = config;
  const { observed, observedGeneration, phase } = status;
  if (observed === undefined || wasServed(config) || !sameRoute(desired, observed)) return false;
  // What it asks for is all that has changed since: the same in other words, say, as ELBv2 has them.
  const isOnlyChange = observedGeneration !== undefined && generation === observedGeneration + 1;
  if (phase !== 'Error' && isOnlyChange) return false;
  return sameShares(targetGroupsOf(desired), targetGroupsOf(observed));
}

/** Writes the status of an attempt over the version it was made by, or a later one that no other attempt has written to or told of. */
async function inOrder(
  config: LoadBalancerConfigView,
  write: (resourceVersion: string | undefined) => Promise<'Written' | 'Gone'>,
  kubernetes: Pick<KubernetesClient, 'get'>,
): Promise<'Written' | 'Gone'> {
  const { key, uid, desired } = config;
  const ref = { type: desired.type, key };
  if (config.resourceVersion === undefined) return write(undefined);
  return retryOnConflict(async (attempt) => {
    if (attempt === 1) return write(config.resourceVersion);
    const object = await readConfig(kubernetes, ref);
    if (object === undefined || object.metadata.uid !== uid) return 'Gone';
    const present = configViewOf(ref, object);
    if (present.sequence !== config.sequence || !sameValue(present.status, config.status))
      throw failure(
        'Superseded',
        `The status of ${desired.type}Config ${formatKey(key)} was not written: a newer attempt has changed the object.`,
      );
    return write(present.resourceVersion);
  });
}

/** Keeps from writing what the object does not ask for any more; it may have been taken back since the attempt began. */
async function refuseWhenAskedOtherwise(
  kubernetes: KubernetesClient,
  { key, desired: { type }, generation }: LoadBalancerConfigView,
): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const now = (await readConfig(kubernetes, { type, key }, signal))?.metadata.generation;
  if (now === generation) return;
  throw failure(
    'Superseded',
    `${type}Config ${formatKey(key)} has changed since this attempt began: generation ${generation} is now ${now ?? 'deleted'}.`,
  );
}
