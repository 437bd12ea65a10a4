import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { RateLimiter } from '../../clients/rate-limiter.ts';
import { digest } from '../../clients/digest.ts';
import { CHECK } from '../../clients/kubernetes/kinds.ts';
import { ProviderError } from '../../clients/provider-error.ts';
import { withTimeLimit } from '../../clients/concurrency.ts';
import { check as checkKind, type Check, type CheckAnalysis } from '../../crds/check.ts';
import { expressionProblems, thresholdOf } from '../../domain/checks/judge-value.ts';
import { judge, type Sample } from '../../domain/checks/judge.ts';
import { identityOf, isOver, nextRun, type NextRun } from '../../domain/checks/next-run.ts';
import { questionOf, textOf } from '../../domain/checks/question.ts';
import { measuredStatus, resultOf, statusOf, type StatusInput } from '../../domain/checks/status.ts';
import { parseDuration } from '../../domain/duration.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { parseTime } from '../../domain/time.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { CheckActivities, CheckRun } from '../contract.ts';
import { createReadReporter } from '../kubernetes/status-reporter.ts';
import { startLifetime } from '../discovery/lifetime.ts';
import { measure } from './measure.ts';
import { mustUse, openProvider, type ProviderDependencies } from './providers/index.ts';

const targetCounter =
  (elbv2: ELBv2Regions, signal: AbortSignal) =>
  async (targetGroupARNs: readonly string[]): Promise<number> => {
    const counts = await Promise.all(
      targetGroupARNs.map(async (arn) => {
        const targets = await elbv2(arn).targetHealth(arn, signal);
        return targets.filter(({ TargetHealth }) => TargetHealth?.State === 'healthy').length;
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  };

/** What Checks are measured with. */
export interface CheckDependencies extends ProviderDependencies {
  readonly elbv2: ELBv2Regions;
  readonly queries: RateLimiter;
}

const over = (message: string): CheckRun => ({ isPresent: false, message });

/** After what fails it is looked at again in this time, and never later. */
const LONGEST_SECONDS = 60;

// The quota is that of the account, of which others have their part.
const throttledFor = (times: number): number => Math.min(LONGEST_SECONDS, 5 * 2 ** Math.min(times - 1, 10));

const again = (message: string, seconds: number): CheckRun => ({
  isPresent: true,
  message,
  intervalSeconds: LONGEST_SECONDS,
  againInSeconds: Math.max(1, seconds),
});

/** Makes the activity that takes a sample of a Check when one is due, and reports on it. */
export function checkActivities(dependencies: CheckDependencies): Pick<CheckActivities, 'runCheck'> {
  const { kubernetes } = dependencies;
  const reporter = createReadReporter(kubernetes);
  return {
    async runCheck(key, throttled) {
      const { signal } = startLifetime();
      const object = await kubernetes.get<Check>(CHECK, key);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined)
        return over('The Check is gone.');
      const report = async (status: object): Promise<void> => {
        signal.throwIfAborted();
        await reporter(CHECK, object, status, signal);
      };
      const { generation = 0 } = object.metadata;
      const base = { before: object.status ?? {}, generation, now: Date.now() };
      const parsed = checkKind.parseSpec(object.spec);
      const problems = parsed.ok ? expressionProblems(parsed.value.analysis) : parsed.problems;
      if (!parsed.ok || problems.length > 0) {
        const message = problems.join(' ');
        await report(statusOf(base, { phase: 'Error', reason: 'InvalidObject', message }));
        return over(message);
      }
      const { analysis } = parsed.value;
      const identity = identityOf(object, digest(canonical(analysis)));
      const input: StatusInput = { ...base, analysis, identity };
      const next = nextRun({ spec: parsed.value, status: object.status }, identity, base.now);
      return await perform(next, { input, key, report, signal, throttled, dependencies });
    },
  };
}

interface Run {
  readonly input: StatusInput;
  readonly key: ObjectKey;
  readonly report: (status: object) => Promise<void>;
  readonly signal: AbortSignal;
  readonly throttled: number | undefined;
  readonly dependencies: CheckDependencies;
}

async function perform(next: NextRun, run: Run): Promise<CheckRun> {
  const { input, report } = run;
  switch (next.is) {
    case 'Over':
      return over(input.before.message ?? 'The Check is complete.');
    case 'Terminate': {
      const message = 'Terminated by spec.terminate before it had a verdict.';
      const analysis = { ...next.counts, observedHash: input.identity.hash };
      await report(statusOf(input, { phase: 'Terminated', reason: 'Terminated', message }, { analysis }));
      return over('Terminated by spec.terminate.');
    }
    case 'Wait': {
      const message = `Measuring from ${new Date(next.until).toISOString()}.`;
      return await keepWaiting(next, run, message, (next.until - input.now) / 1000);
    }
    case 'Measure':
      return await sampled(next, run);
  }
}

async function keepWaiting(
  { counts, isNew }: Extract<NextRun, { is: 'Wait' | 'Measure' }>,
  { input, report }: Run,
  message: string,
  seconds: number,
): Promise<CheckRun> {
  const verdict = { phase: 'Running', reason: 'Waiting', message } as const;
  if (isNew) await report(statusOf(input, verdict, { analysis: counts }));
  return again(message, seconds);
}

async function sampled(next: Extract<NextRun, { is: 'Measure' }>, run: Run): Promise<CheckRun> {
  const { input, report, key } = run;
  const { analysis } = input;
  const taken = await takeSample(next, run);
  if (taken.is === 'RateLimited')
    return await keepWaiting(next, run, taken.message, taken.retryAfterMs / 1000);
  if (taken.is === 'Throttled') {
    const throttled = (run.throttled ?? 0) + 1;
    return { ...(await keepWaiting(next, run, taken.message, throttledFor(throttled))), throttled };
  }
  const query = textOf(questionOf(analysis), analysis.provider?.datadog?.formula);
  const result = resultOf(taken.sample, { window: next.window, query, now: input.now });
  const status = measuredStatus(input, next.counts, taken.sample, result);
  await report(status);
  const message = `${key.name}: ${status.message ?? ''}`;
  return isOver(status) ? over(message) : again(message, parseDuration(analysis.interval));
}

type Taken =
  | { readonly is: 'Sample'; readonly sample: Sample }
  | { readonly is: 'RateLimited'; readonly retryAfterMs: number; readonly message: string }
  | { readonly is: 'Throttled'; readonly message: string };

/** Takes one sample; an error of the provider is a sample that says so. */
async function takeSample(
  { counts, window }: Extract<NextRun, { is: 'Measure' }>,
  { input, key, signal, dependencies }: Run,
): Promise<Taken> {
  const { analysis, now } = input;
  const { namespace } = key;
  const { queries } = dependencies;
  try {
    await mayCount(analysis, { namespace, dependencies, signal });
    const asker = await openProvider(dependencies, { namespace, analysis }, signal);
    const { quota } = asker;
    const heldBack = (error: unknown): never => {
      if (quota !== undefined && error instanceof ProviderError && error.trouble.is === 'RateLimited')
        queries.pause(quota, error.trouble.retryAfterMs);
      throw error;
    };
    if (quota !== undefined && !(await isLetIn(queries, quota, signal)))
      return { is: 'Throttled', message: 'Waiting for the rate limit of queries.' };
    const measured = await measure(analysis, {
      asker: { ...asker, ask: (...asked) => asker.ask(...asked).catch(heldBack) },
      window,
      signal,
      take: async () => {
        // A sample that has begun is finished first.
        if (quota !== undefined) await queries.wait(quota, { urgent: true, signal });
      },
      countTargets: targetCounter(dependencies.elbv2, signal),
    });
    const since = parseTime(counts.extendedSince) ?? now;
    return { is: 'Sample', sample: judge(analysis, measured, now - since) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { trouble, message } = error;
    if (trouble.is === 'RateLimited')
      return { is: 'RateLimited', retryAfterMs: trouble.retryAfterMs, message };
    if (trouble.is === 'Throttled') return { is: 'Throttled', message };
    const reason = trouble.is === 'Refused' ? (trouble.reason ?? 'Refused') : 'Unavailable';
    return { is: 'Sample', sample: { outcome: 'Error', reason, threshold: thresholdOf(analysis), message } };
  }
}

/** How long a sample waits for the rate limit before it is tried again later, in milliseconds. */
const LONGEST_WAIT_MS = 10_000;

/** Waits for the rate limit, not for so long that Checks of other providers would have to wait for it. */
async function isLetIn(queries: RateLimiter, quota: string, signal: AbortSignal): Promise<boolean> {
  try {
    await withTimeLimit({ milliseconds: LONGEST_WAIT_MS, signal }, (inTime) =>
      queries.wait(quota, { urgent: false, signal: inTime }),
    );
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}

async function mayCount(
  { compare }: CheckAnalysis,
  of: { readonly namespace: string; readonly dependencies: CheckDependencies; readonly signal: AbortSignal },
): Promise<void> {
  const { canary = [], stable = [] } = compare?.targetGroupARNs ?? {};
  for (const arn of [...canary, ...stable])
    await mustUse(of.dependencies.policies, of.namespace, { of: 'TargetGroup', arn }, of.signal);
}
