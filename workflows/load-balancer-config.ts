import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { canonical } from '../domain/canonical.ts';
import { formatKey, type ObjectKey } from '../domain/ids.ts';
import { placeOf, type LoadBalancerType } from '../domain/load-balancer.ts';
import { loadBalancerStatus, type ApplyOutcome } from '../domain/load-balancer-status.ts';
import type { ObservedLoadBalancerConfig } from '../domain/observation.ts';
import { elbv2Write, objects } from './activities.ts';
import { takeApplications } from './applications.ts';
import { holdOrRelease, removeConfigured } from './deletion.ts';
import { failureOf } from './failure.ts';
import { changed, drifted } from './messages.ts';

/** Which object to apply. */
export interface LoadBalancerConfigInput {
  readonly key: ObjectKey;
  /** Default: AWSApplicationLoadBalancer. */
  readonly type?: LoadBalancerType;
}

/** The longest time between two attempts, in milliseconds. */
const LONGEST_BACKOFF_MS = { urgent: 2_000, transient: 15_000, permanent: 10 * 60_000 } as const;

type Present = NonNullable<ObservedLoadBalancerConfig['config']>;

/** Makes a load balancer what its object says, as the only writer of that configuration, until there is nothing left to apply. */
export async function loadBalancerConfig(input: LoadBalancerConfigInput): Promise<void> {
  const ref = { type: 'AWSApplicationLoadBalancer', ...input } as const;
  let wakes = 0;
  let verify = false;
  let writing: CancellationScope | undefined;
  const applications = takeApplications((request) => {
    wakes += 1;
    // What takes traffic back does not wait for a write that waits itself.
    if (request.urgent) writing?.cancel();
  });
  setHandler(changed, () => void (wakes += 1), { description: 'Looks at the object again.' });
  const onDrift = (): void => {
    verify = true;
    wakes += 1;
  };
  setHandler(drifted, onDrift, {
    description: 'Reads the load balancer again, because it does not serve what was applied.',
  });

  for (let attempts = 0; ;) {
    const seen = wakes;
    const { config } = await objects('Look at the object').observeLoadBalancerConfig(ref);
    if (config === undefined) {
      const message = `Expected ${ref.type}Config ${formatKey(ref.key)}, got none.`;
      applications.refuse(ApplicationFailure.nonRetryable(message, 'ObjectNotFound'));
      await condition(allHandlersFinished);
      if (wakes === seen) return;
      continue;
    }
    const outcome = config.deletion.isUnderWay ? await remove(config) : await attempt(config);
    if (outcome === 'Gone') continue;
    if (outcome !== undefined) await report(config, outcome);
    if (outcome?.is === 'Served') {
      attempts = 0;
      verify = false;
      applications.serve(config.generation, outcome.served);
      await condition(() => allHandlersFinished() || wakes !== seen);
      if (wakes === seen) return;
    } else if (outcome !== undefined) {
      attempts += 1;
      if (outcome.permanent) {
        applications.refuse(ApplicationFailure.nonRetryable(outcome.message, outcome.reason));
      }
      const longest = LONGEST_BACKOFF_MS[kindOf(outcome.permanent)];
      await condition(() => wakes !== seen, Math.min(longest, 500 * 2 ** Math.min(attempts - 1, 20)), {
        summary: `Trying again: ${outcome.message}`.slice(0, 200),
      });
    }
    if (workflowInfo().continueAsNewSuggested && allHandlersFinished()) {
      await continueAsNew<typeof loadBalancerConfig>(input);
    }
  }

  function kindOf(permanent: boolean): keyof typeof LONGEST_BACKOFF_MS {
    if (applications.areUrgent()) return 'urgent';
    return permanent ? 'permanent' : 'transient';
  }

  /** Makes one attempt; undefined when something more urgent has ended it. */
  async function attempt(config: Present): Promise<ApplyOutcome | undefined> {
    const { asked, adopt, status } = config;
    const { served } = status;
    const urgent = applications.areUrgent();
    const request = {
      key: ref.key,
      generation: config.generation,
      forwarding: asked,
      ...(served === undefined ? {} : { served }),
      adopt,
      urgent,
      // After an attempt that failed nobody knows whether it was applied.
      verify: verify || status.phase === 'Error',
    };
    const write = elbv2Write(`Make ${placeOf(asked)} what the object says`, urgent);
    writing = new CancellationScope();
    try {
      await holdOrRelease(ref, config.deletion);
      return {
        is: 'Served',
        served: await writing.run(() => write.applyRule(request)),
        created: served === undefined,
      };
    } catch (error) {
      // What was cancelled may have been applied all the same.
      verify ||= writing.consideredCancelled;
      if (writing.consideredCancelled) return undefined;
      const failure = failureOf(error);
      // The object asks for something else by now: look at it again, at once.
      verify ||= failure.reason === 'Superseded';
      return failure.reason === 'Superseded' ? undefined : { is: 'Refused', ...failure };
    } finally {
      writing = undefined;
    }
  }

  /** Deletes what the object has made, and lets the object go. */
  async function remove(config: Present): Promise<ApplyOutcome | 'Gone'> {
    const message = `Expected ${ref.type}Config ${formatKey(ref.key)} to stay, got its deletion.`;
    applications.refuse(ApplicationFailure.nonRetryable(message, 'ObjectNotFound'));
    try {
      await removeConfigured(ref, config);
      return 'Gone';
    } catch (error) {
      return { is: 'Refused', ...failureOf(error) };
    }
  }

  async function report(config: Present, outcome: ApplyOutcome): Promise<void> {
    const status = loadBalancerStatus(config, outcome, new Date().toISOString());
    if (canonical(status) === canonical(config.status)) return;
    await objects(`Report: ${status.phase ?? ''}`).reportLoadBalancerConfig({
      ...ref,
      uid: config.uid,
      status,
      events: [],
    });
  }
}
