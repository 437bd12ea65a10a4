import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  setHandler,
} from '@temporalio/workflow';
import type { AppliedRule } from '../activities/contract.ts';
import type { ObjectKey } from '../domain/ids.ts';
import { canonical } from '../domain/canonical.ts';
import { loadBalancerStatus, servedRule, type ApplyOutcome } from '../domain/load-balancer-status.ts';
import type { ObservedLoadBalancerConfig } from '../domain/observation.ts';
import { elbv2Write, objects } from './activities.ts';
import { failureOf } from './failure.ts';
import { applyUpdate, changed, drifted, type ApplyRequest } from './messages.ts';

/** Which object to apply. */
export interface LoadBalancerConfigInput {
  readonly key: ObjectKey;
}

/** The longest time between two attempts at a rule, in milliseconds. */
const LONGEST_BACKOFF_MS = { usual: 60_000, urgent: 2_000 } as const;

type Present = NonNullable<ObservedLoadBalancerConfig['config']>;

/** Makes a listener rule what its object says, as the only writer of that rule, until there is nothing left to apply. */
export async function loadBalancerConfig({ key }: LoadBalancerConfigInput): Promise<void> {
  let wakes = 0;
  let verify = false;
  let applied: { generation: number; rule: AppliedRule } | undefined;
  let refusal: { round: number; failure: ApplicationFailure } | undefined;
  let round = 0;
  const waiting = new Set<ApplyRequest>();
  let writing: CancellationScope | undefined;
  const isApplied = (request: ApplyRequest): boolean =>
    applied !== undefined && applied.generation >= request.generation;
  const isUrgent = (): boolean => [...waiting].some((request) => request.urgent);

  setHandler(changed, () => void (wakes += 1), { description: 'Looks at the object again.' });
  const onDrift = (): void => {
    verify = true;
    wakes += 1;
  };
  setHandler(drifted, onDrift, { description: 'Reads the rule again, because it is not what was applied.' });
  setHandler(applyUpdate, apply, { description: 'Applies the object and answers when ELBv2 was read back.' });

  async function apply(request: ApplyRequest): Promise<AppliedRule> {
    const asked = round;
    waiting.add(request);
    wakes += 1;
    if (request.urgent) writing?.cancel();
    try {
      await condition(() => isApplied(request) || (refusal !== undefined && refusal.round > asked));
      if (applied !== undefined && isApplied(request)) return applied.rule;
      throw (
        refusal?.failure ?? ApplicationFailure.nonRetryable('Expected a rule, got none.', 'ObjectNotFound')
      );
    } finally {
      waiting.delete(request);
    }
  }

  for (let attempts = 0; ;) {
    const seen = wakes;
    round += 1;
    const { config } = await objects('Look at the object').observeLoadBalancerConfig(key);
    if (config === undefined) {
      const message = `Expected AWSApplicationLoadBalancerConfig ${key.namespace}/${key.name}, got none.`;
      refusal = { round, failure: ApplicationFailure.nonRetryable(message, 'ObjectNotFound') };
      await condition(allHandlersFinished);
      if (wakes !== seen) continue;
      return;
    }
    const outcome = await attempt(config);
    if (outcome !== undefined) await report(config, outcome);
    if (outcome?.is === 'Served') {
      attempts = 0;
      verify = false;
      applied = { generation: config.generation, rule: outcome.rule };
    } else if (outcome !== undefined) {
      attempts += 1;
      if (outcome.permanent)
        refusal = {
          round: round + 1,
          failure: ApplicationFailure.nonRetryable(outcome.message, outcome.reason),
        };
    }
    if (wakes !== seen) continue;
    if (outcome?.is === 'Served') {
      await condition(allHandlersFinished);
      if (wakes === seen) return;
      continue;
    }
    const longest = isUrgent() ? LONGEST_BACKOFF_MS.urgent : LONGEST_BACKOFF_MS.usual;
    await condition(() => wakes !== seen, Math.min(longest, 500 * 2 ** Math.min(attempts - 1, 10)), {
      summary: `Trying again: ${outcome?.message ?? 'interrupted'}`,
    });
  }

  async function attempt(config: Present): Promise<ApplyOutcome | undefined> {
    const served = servedRule(config.status);
    writing = new CancellationScope();
    const { spec, adopt } = config;
    const write = elbv2Write(`Make rule ${spec.listener.rule.priority} what the object says`, isUrgent());
    try {
      const rule = await writing.run(() =>
        write.applyRule({
          key,
          listenerARN: spec.listenerARN,
          rule: spec.listener.rule,
          ...(served === undefined ? {} : { served }),
          adopt,
          urgent: isUrgent(),
          verify: verify || served === undefined || config.status.phase === 'Error',
        }),
      );
      return { is: 'Served', rule, created: served === undefined };
    } catch (error) {
      // Cancelled by something more urgent: the object is looked at again at once.
      if (writing.consideredCancelled) return undefined;
      return { is: 'Refused', ...failureOf(error) };
    } finally {
      writing = undefined;
    }
  }

  async function report(config: Present, outcome: ApplyOutcome): Promise<void> {
    const status = loadBalancerStatus(config, outcome, new Date().toISOString());
    if (canonical(status) === canonical({ ...config.status, lastSyncTime: undefined })) return;
    await objects(`Report: ${status.phase ?? ''}`).reportLoadBalancerConfig({
      key,
      uid: config.uid,
      status,
      events: [],
    });
  }
}
