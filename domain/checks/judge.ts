import type { CheckAnalysis } from '../../crds/check.ts';
import { compareText } from '../kubernetes/canonical.ts';
import { parseDuration } from '../duration.ts';
import { unreachable } from '../unreachable.ts';
import { judgeValue, type Judged, thresholdOf } from './judge-value.ts';
import type { Window } from './next-run.ts';

/** What a provider answers, of one group. */
export interface Series {
  /** How the provider calls the group; empty when it has grouped nothing. */
  readonly group: string;
  /** When the bucket of each point begins, in milliseconds since the epoch, and its value; null: none. */
  readonly points: readonly (readonly [at: number, value: number | null])[];
  /** The time that one point is about, when the provider says it, in milliseconds. */
  readonly bucketMs?: number;
}

/** What a provider answers. */
export type Answer =
  | { readonly is: 'Series'; readonly series: readonly Series[] }
  /** Already reduced by the provider, over the window. */
  | { readonly is: 'Values'; readonly values: readonly GroupValue[] };

/** The value of a group; undefined: there is no data. */
export interface GroupValue {
  readonly group: string;
  readonly value?: number | undefined;
}

/** How points become one value. */
export type Aggregator = 'avg' | 'min' | 'max' | 'sum' | 'last';

/** Reduces an answer to a value for each group. Buckets that are not wholly within the window never count. */
export function reduce(answer: Answer, window: Window, aggregator: Aggregator): readonly GroupValue[] {
  if (answer.is === 'Values') return answer.values.map(({ group, value }) => ofGroup(group, value));
  return answer.series.map(({ group, points, bucketMs = window.bucketMs }) => {
    const within = points.filter(([at]) => at >= window.from && at + bucketMs <= window.to);
    const values = within
      .toSorted(([a], [b]) => a - b)
      .map(([, value]) => value)
      .filter((value) => value !== null)
      .filter((value) => !Number.isNaN(value));
    return ofGroup(group, values.length === 0 ? undefined : reductions[aggregator](values));
  });
}

// NaN, such as 0/0, says nothing, and would pass or fail by chance. Infinity, such as 1/0, is above every bound.
const ofGroup = (group: string, value: number | undefined): GroupValue =>
  value === undefined || Number.isNaN(value) ? { group } : { group, value };

/** The mean, in steps, so that the mean of equal values is that value, and passes where it would. */
export const mean = (values: readonly number[]): number =>
  values.reduce(
    (soFar, value, index) => soFar + (Number.isFinite(soFar) ? (value - soFar) / (index + 1) : value),
    0,
  );

const reductions: Readonly<Record<Aggregator, (values: readonly number[]) => number | undefined>> = {
  avg: mean,
  min: (values) => values.reduce((a, b) => Math.min(a, b)),
  max: (values) => values.reduce((a, b) => Math.max(a, b)),
  sum: (values) => values.reduce((all, one) => all + one, 0),
  last: (values) => values.at(-1),
};

/** What was measured for one sample. */
export interface Measured {
  readonly groups: readonly GroupValue[];
  /** The value of the other side, with `compare`; undefined when it has no data. */
  readonly baseline?: number | undefined;
  /** How much there was, with `minSamples`; undefined when there is no data. */
  readonly samples?: number | undefined;
}

/** What a sample came to. */
export interface Sample {
  readonly outcome: 'Passed' | 'Failed' | 'Inconclusive' | 'Extended' | 'Error';
  readonly value?: number | undefined;
  readonly baseline?: number | undefined;
  readonly samples?: number | undefined;
  readonly group?: string | undefined;
  readonly threshold: string;
  /** Of an error: what kept the provider from answering, in one CamelCase word. */
  readonly reason?: string | undefined;
  readonly message: string;
}

/** Judges what was measured, where samples are extended already for so many milliseconds. */
export function judge(analysis: CheckAnalysis, measured: Measured, extendedMs: number): Sample {
  const { baseline, samples } = measured;
  const common = { threshold: thresholdOf(analysis), baseline, samples };
  const tooMany = tooManyGroups(analysis, measured.groups);
  if (tooMany !== undefined) return { ...common, outcome: 'Error', message: tooMany };
  return {
    ...common,
    ...(tooFew(analysis, measured, extendedMs) ?? judgeGroups(analysis, measured, extendedMs)),
  };
}

type Judgement = Omit<Sample, 'threshold' | 'baseline' | 'samples'>;

function tooManyGroups({ groupBy }: CheckAnalysis, groups: readonly GroupValue[]): string | undefined {
  const some = groups
    .slice(0, 3)
    .map(({ group }) => JSON.stringify(group.slice(0, 60)))
    .join(', ');
  if (groupBy === undefined) {
    if (groups.length <= 1) return undefined;
    return `The query returned ${groups.length} series instead of one: ${some}${groups.length > 3 ? ', …' : ''}. Aggregate them in the query, or judge each by groupBy.`;
  }
  if (groups.length <= groupBy.cap) return undefined;
  return `The query returned ${groups.length} groups; at most ${groupBy.cap} are allowed (groupBy.cap). Group by something with fewer values.`;
}

/** What to do with too little traffic, which neither passes nor fails. */
function tooFew(
  { minSamples }: CheckAnalysis,
  { samples = 0 }: Measured,
  extendedMs: number,
): Judgement | undefined {
  if (minSamples === undefined || samples >= minSamples.atLeast) return undefined;
  const message = `The window has ${samples} samples; at least ${minSamples.atLeast} are needed (minSamples).`;
  return extended(message, minSamples.maxExtend, extendedMs);
}

function extended(message: string, maxExtend: string, extendedMs: number): Judgement {
  if (extendedMs < parseDuration(maxExtend) * 1000)
    return { outcome: 'Extended', message: `${message} Measuring again for up to ${maxExtend}.` };
  return {
    outcome: 'Inconclusive',
    message: `${message} It has been measured again for ${maxExtend} (maxExtend).`,
  };
}

function judgeGroups(analysis: CheckAnalysis, measured: Measured, extendedMs: number): Judgement {
  const { groups } = measured;
  const judged = groups.flatMap(({ group, value }) =>
    value === undefined
      ? []
      : [
          {
            group,
            value,
            ...judgeValue(analysis, { value, baseline: measured.baseline, samples: measured.samples }),
          },
        ],
  );
  const silent = groups.find(({ value }) => value === undefined);
  const worst = worstOf(judged, analysis);
  const needsAll = analysis.groupBy?.judge === 'all' && silent !== undefined;
  // A group that fails decides, whatever the silent ones would have said.
  if (worst === undefined || (needsAll && worst.outcome === 'Passed'))
    return withoutData(analysis, silent?.group ?? '', extendedMs);
  const { outcome, value, group, message } = worst;
  return { outcome, value, ...(group === '' ? {} : { group }), message };
}

type OfGroup = Judged & { readonly group: string; readonly value: number };

const order = { Error: 0, Failed: 1, Inconclusive: 2, Passed: 3 } as const;

function worstOf(judged: readonly OfGroup[], { min, max }: CheckAnalysis): OfGroup | undefined {
  // With an upper bound the largest is the worst, with a lower one alone the smallest.
  const direction = max === undefined && min !== undefined ? 1 : -1;
  const [worst] = judged.toSorted(
    (a, b) =>
      order[a.outcome] - order[b.outcome] || direction * (a.value - b.value) || compareText(a.group, b.group),
  );
  return worst;
}

function withoutData({ noData, maxExtend }: CheckAnalysis, group: string, extendedMs: number): Judgement {
  const of = group === '' ? '' : ` of group ${JSON.stringify(group.slice(0, 100))}`;
  const message = `No data${of} in the window, or no numbers.`;
  const named = group === '' ? {} : { group };
  switch (noData) {
    case 'pass':
      return { ...named, outcome: 'Passed', message: `${message} It passes because of noData.` };
    case 'fail':
      return { ...named, outcome: 'Failed', message: `${message} It fails because of noData.` };
    case 'inconclusive':
      return { ...named, outcome: 'Inconclusive', message };
    case 'extend':
      return { ...named, ...extended(message, maxExtend, extendedMs) };
    default:
      return unreachable(noData);
  }
}
