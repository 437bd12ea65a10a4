import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Metrics, Sample } from '../metrics/metrics.ts';
import type { Traces } from '../traces/traces.ts';

interface Look {
  readonly activity: string;
  readonly workflowId: string;
}

/** A look may be late by a tenth of its interval, and by the attempts of the one before; one that is later was made by another worker, or is not made any more. */
const LATE = { intervals: 1.1, seconds: 420 };

/** Begins with no look that fails. */
export function failingLooks(
  intervals: { readonly drift: number; readonly sync: number },
  clock: () => number = Date.now,
) {
  const failing = new Map<string, { activity: string; since: number; at: number }>();
  const keyOf = ({ activity, workflowId }: Look): string => `${activity} ${workflowId}`;

  function forgetOld(): void {
    for (const [key, { activity, at }] of failing) {
      const interval = activity === 'findDrift' ? intervals.drift : intervals.sync;
      if (clock() - at > (interval * LATE.intervals + LATE.seconds) * 1000) failing.delete(key);
    }
  }

  return {
    /** Learns that a look begins, and since when those before it have failed; undefined: they have not. */
    begun: (look: Look, since: number | undefined): void => {
      const key = keyOf(look);
      if (since === undefined) failing.delete(key);
      else {
        // Where nobody scrapes, those that are not made any more must not pile up.
        if (!failing.has(key)) forgetOld();
        failing.set(key, { activity: look.activity, since, at: clock() });
      }
    },
    completed: (look: Look): void => void failing.delete(keyOf(look)),
    states: (): readonly Sample[] => {
      forgetOld();
      const longest = new Map<string, number>();
      for (const { activity, since, at } of failing.values())
        longest.set(activity, Math.max(longest.get(activity) ?? 0, (at - since) / 1000));
      return [...longest].map(([activity, value]): Sample => ({
        name: 'okra_reconcile_failing_seconds',
        labels: { activity },
        value,
      }));
    },
  };
}

/** Traces each activity in the one trace of its run, whose id all workers derive from the run's without being told. */
export const activityTraces =
  (traces: Pick<Traces, 'within'>): ActivityInterceptorsFactory =>
  ({ info }) => ({
    inbound: {
      execute: (input, next) => {
        const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
        const attributes = {
          'temporal.workflow.id': workflowId,
          'temporal.workflow.run_id': runId,
          'temporal.workflow.type': info.workflowType ?? '',
          'temporal.activity.id': info.activityId,
          'temporal.activity.attempt': info.attempt,
          'temporal.task_queue': info.taskQueue,
        };
        const run = (): Promise<unknown> => next(input);
        const trace = runId.replaceAll('-', '');
        if (!/^[0-9a-f]{32}$/.test(trace)) return run();
        return traces.within(trace, { name: info.activityType, attributes }, run);
      },
    },
  });

/** Counts what the activities of a worker do, from outside of them. */
export const activityMetrics =
  (
    metrics: Pick<Metrics, 'count' | 'observe'>,
    looks: Pick<ReturnType<typeof failingLooks>, 'begun' | 'completed'>,
  ): ActivityInterceptorsFactory =>
  ({ info: { activityType, workflowExecution } }) => ({
    inbound: {
      execute: async (input, next) => {
        const startedAt = performance.now();
        const look = { activity: activityType, workflowId: workflowExecution?.workflowId ?? '' };
        const since = fieldOf(input.args.at(-1), 'failingSince');
        looks.begun(look, typeof since === 'number' ? since : undefined);
        const ended = (outcome: string): void => {
          const seconds = (performance.now() - startedAt) / 1000;
          metrics.count('okra_activities_total', { activity: activityType, outcome });
          metrics.observe('okra_activity_duration_seconds', { activity: activityType }, seconds);
          if (writing.has(activityType) && outcome !== 'Completed' && outcome !== 'Cancelled')
            metrics.count('okra_writes_total', { outcome: 'Refused' });
        };
        try {
          const result = await next(input);
          ended('Completed');
          looks.completed(look);
          tellResult(metrics, activityType, { asked: input.args[0], result });
          return result;
        } catch (error) {
          ended(outcomeOf(error));
          throw error;
        }
      },
    },
  });

const writing: ReadonlySet<string> = new Set(['shiftTraffic', 'applyLoadBalancer']);

/** What an activity has thrown, in one word. */
export function outcomeOf(error: unknown): string {
  if (error instanceof CancelledFailure) return 'Cancelled';
  return (error instanceof ApplicationFailure ? error.type : undefined) ?? 'Unavailable';
}

/** What the result of an activity says that is worth counting. */
export function tellResult(
  metrics: Pick<Metrics, 'count'>,
  activity: string,
  { asked, result }: { readonly asked: unknown; readonly result: unknown },
): void {
  if (writing.has(activity)) {
    const outcome = fieldOf(result, 'is');
    if (typeof outcome === 'string') metrics.count('okra_writes_total', { outcome });
  }
  if (activity === 'findDrift') {
    const [type, drifted] = [fieldOf(asked, 'type'), fieldOf(result, 'drifted')];
    if (typeof type === 'string' && Array.isArray(drifted))
      metrics.count('okra_drift_found_total', { type }, drifted.length);
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
