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
    return ofGroup(group, reductions[aggregator](values));
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

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

type Reduction = (values: readonly number[]) => number | undefined;

const ofSome =
  (reduction: (values: readonly number[]) => number): Reduction =>
  (values) =>
    values.length === 0 ? undefined : reduction(values);

const reductions: Readonly<Record<Aggregator, Reduction>> = {
  avg: ofSome(mean),
  min: ofSome((values) => values.reduce((a, b) => Math.min(a, b))),
  max: ofSome((values) => values.reduce((a, b) => Math.max(a, b))),
  sum: ofSome(sum),
  last: (values) => values.at(-1),
};
