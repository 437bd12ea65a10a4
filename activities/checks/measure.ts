import { given } from '../../domain/model/fields.ts';
import { ProviderError, unavailable } from '../../clients/provider-error.ts';
import type { CheckAnalysis } from '../../crds/check.ts';
import { mean, reduce, type Answer, type GroupValue, type Measured } from '../../domain/checks/judge.ts';
import { questionOf } from '../../domain/checks/question.ts';
import type { Window } from '../../domain/checks/next-run.ts';
import { toFailure } from '../failure.ts';
import type { Query, Connection } from './providers/index.ts';

/** What a sample is measured with. */
export interface Measuring {
  readonly asker: Connection;
  readonly window: Window;
  /** Waits for leave to ask once more. */
  readonly take: () => Promise<void>;
  readonly countTargets: (targetGroupARNs: readonly string[]) => Promise<number>;
  readonly signal: AbortSignal;
}

/** Asks all that one sample needs, in one window; throws a ProviderError when an answer is missing. The first question is paid for. */
export async function measure(analysis: CheckAnalysis, measuring: Measuring): Promise<Measured> {
  const { window, take } = measuring;
  const { aggregator, compare, minSamples } = analysis;
  const groups = reduce(
    await ask({ question: questionOf(analysis), window, aggregator }, measuring),
    window,
    aggregator,
  );
  const more: { samples?: number; baseline?: number } = {};
  if (minSamples !== undefined) {
    await take();
    // Where CloudWatch is asked, it is over the same metrics.
    const question = given({ metrics: analysis.provider?.cloudWatch?.metrics, query: minSamples.query });
    const answer = await ask({ question, window, aggregator: 'sum', isPlain: true }, measuring);
    const counted = only(reduce(answer, window, 'sum'), 'minSamples.query');
    if (counted !== undefined) more.samples = counted;
  }
  if (compare === undefined) return { groups, ...more };
  const others: (number | undefined)[] = [];
  for (const question of compare.baselines) {
    await take();
    const answer = await ask({ question, window, aggregator }, measuring);
    others.push(only(reduce(answer, window, aggregator), 'compare.baselines'));
  }
  return { ...more, ...(await compared(compare, { groups, others }, measuring)) };
}

async function ask(asked: Query, { asker, signal }: Measuring): Promise<Answer> {
  try {
    return await asker.ask(asked, signal);
  } catch (error) {
    signal.throwIfAborted();
    const cause = error instanceof ProviderError ? error : ofSdk(error);
    throw new ProviderError(cause.trouble, withoutSecrets(cause.message, asker.secrets));
  }
}

/** What is told never has a key in it, whoever has put it there. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.filter((secret) => secret !== '').reduce((safe, secret) => safe.replaceAll(secret, '…'), text);

function ofSdk(error: unknown): ProviderError {
  const failure = toFailure(error);
  if (Reflect.get(failure, 'type') === 'Throttled')
    return new ProviderError({ is: 'Throttled' }, failure.message);
  return unavailable(failure.message);
}

function only(groups: readonly GroupValue[], field: string): number | undefined {
  if (groups.length <= 1) return groups[0]?.value;
  throw unavailable(
    `${field} returned ${groups.length} series; it must return one. Aggregate them in the query.`,
  );
}

type Compare = NonNullable<CheckAnalysis['compare']>;

/** The values of both sides, and with normalise what each has for one healthy target. */
async function compared(
  { normalise, targetGroupARNs }: Compare,
  {
    groups,
    others,
  }: { readonly groups: readonly GroupValue[]; readonly others: readonly (number | undefined)[] },
  measuring: Measuring,
): Promise<Pick<Measured, 'groups' | 'baseline'>> {
  const known = others.filter((value) => value !== undefined);
  // A part of the other side is not the other side.
  const hasAll = known.length > 0 && known.length === others.length;
  if (normalise === undefined) return { groups, ...(hasAll ? { baseline: mean(known) } : {}) };
  const own = await healthyIn(targetGroupARNs?.canary ?? [], measuring);
  const theirs = await healthyIn(targetGroupARNs?.stable ?? [], measuring);
  // There is data, so that noData has no say in it.
  if (own === 0 && groups.some(({ value }) => value !== undefined))
    throw unavailable(
      'The canary has no healthy targets to divide its value by (compare.normalise). Find out why ELBv2 reports them as unhealthy.',
    );
  const sum = known.reduce((all, value) => all + value, 0);
  return {
    groups: groups.map(({ group, value }) =>
      value === undefined ? { group } : { group, value: value / own },
    ),
    ...(hasAll && theirs > 0 ? { baseline: sum / theirs } : {}),
  };
}

/** Counts healthy targets; ELBv2 that does not answer is an error of the sample, as a provider is. */
async function healthyIn(
  targetGroupARNs: readonly string[],
  { countTargets, signal }: Measuring,
): Promise<number> {
  try {
    return await countTargets(targetGroupARNs);
  } catch (error) {
    signal.throwIfAborted();
    throw ofSdk(error);
  }
}
