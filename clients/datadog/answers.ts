import type { Answer, GroupValue, Series } from '../../domain/checks/judge.ts';
import type { Window } from '../../domain/checks/next-run.ts';
import { fieldsIn, type Fields } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';
import { unavailable, refused } from '../provider-error.ts';

const bad = (expected: string, got: unknown): Error => {
  const said = cut(JSON.stringify(got) ?? 'nothing', 200);
  return unavailable(
    `cannot read the answer of Datadog: expected ${expected}, got ${said}. Check what answers in its place, or correct the query.`,
  );
};

const listOf = (value: unknown, what: string): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  throw bad(what, value);
};

/** The fields of an answer, of which the client has read everything; of what it has not, it may leave out the rest. */
function fieldsOf(body: unknown): Fields {
  const fields = fieldsIn(body);
  if (fields['_unparsed'] === true) throw bad('what its API describes', body);
  return fields;
}

function numberIn(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  throw bad('numbers', value);
}

const textsIn = (value: unknown = []): readonly string[] =>
  listOf(value, 'a list of tags').filter((one) => typeof one === 'string');

/** Reads an answer of the API v1. */
export function seriesOfV1(body: unknown): Answer {
  const { status, error, series } = fieldsOf(body);
  // Datadog answers a query that it cannot compute with 200.
  if (status === 'error' || (typeof error === 'string' && error !== ''))
    throw refused(`cannot compute the query in Datadog: ${String(error)}. Correct the query.`);
  return {
    is: 'Series',
    series: listOf(series, 'a list of series').map((one): Series => {
      const { scope, tagSet, pointlist, interval } = fieldsIn(one);
      const tags = textsIn(tagSet).join(',');
      const group = tags === '' ? (typeof scope === 'string' && scope !== '*' ? scope : '') : tags;
      const points = listOf(pointlist, 'a list of points').map((point) => {
        const [at, value] = listOf(point, 'points of a time and a value');
        if (typeof at !== 'number') throw bad('points with a time', point);
        return [at, numberIn(value)] as const;
      });
      return { group, points, ...(typeof interval === 'number' ? { bucketMs: interval * 1000 } : {}) };
    }),
  };
}

function attributesOf(body: unknown): Fields {
  const { data, errors } = fieldsOf(body);
  if (typeof errors === 'string' && errors !== '')
    throw refused(`cannot compute the formula in Datadog: ${errors}. Correct the queries.`);
  const { attributes } = fieldsIn(data);
  if (attributes === undefined) throw bad('attributes', data ?? body);
  return fieldsIn(attributes);
}

/** Reads series of the API v2, which does not say how long their buckets are; as asked for, unless one begins too early for that. */
export function seriesOfV2(body: unknown, { from, bucketMs: asked }: Omit<Window, 'to'>): Answer {
  const { series, times, values } = attributesOf(body);
  const at = listOf(times, 'a list of times').map((time) => {
    if (typeof time === 'number') return time;
    throw bad('times', time);
  });
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? time));
  // A bucket as asked for that begins here would be over before the window, of which alone Datadog was asked.
  const isLonger = gaps.length > 0 && at.some((time) => time + asked <= from);
  const bucketMs = isLonger ? Math.max(asked, Math.min(...gaps)) : asked;
  const rows = listOf(values, 'a list of values');
  return {
    is: 'Series',
    series: listOf(series, 'a list of series').map((one, index): Series => {
      const row = listOf(rows[index], 'values of each series');
      if (row.length !== at.length)
        throw bad('a value for each time', `${row.length} for ${at.length} times`);
      return {
        group: textsIn(fieldsIn(one)['groupTags']).join(','),
        points: at.map((time, column) => [time, numberIn(row[column])]),
        bucketMs,
      };
    }),
  };
}

/** Refuses buckets none of which lies wholly within the window: there would be no data, whatever is measured. */
export function fitting(answer: Answer, { from, to, bucketMs: asked }: Window): Answer {
  const series = answer.is === 'Series' ? answer.series : [];
  for (const { points, bucketMs = asked } of series) {
    const [at = from] = points[0] ?? [];
    const first = at + Math.ceil((from - at) / bucketMs) * bucketMs;
    if (first + bucketMs > to && points.length > 0)
      throw refused(
        `cannot judge the answer of Datadog: no bucket of ${bucketMs / 1000} s is complete in the window of ${(to - from) / 1000} s. Set bucket to ${bucketMs / 1000}s, or shorten the rollup in the query.`,
      );
  }
  return answer;
}

/** Reads scalars of the API v2: columns of groups, and one of numbers. */
export function scalarsOfV2(body: unknown): Answer {
  const columns = listOf(attributesOf(body)['columns'], 'a list of columns').map(fieldsIn);
  if (columns.length === 0) return { is: 'Values', values: [] };
  const numbers = columns.filter(({ type }) => type === 'number');
  const groups = columns
    .filter(({ type }) => type === 'group')
    .map(({ name = 'group', values: names }) => ({ name, names: listOf(names, 'a list of groups') }));
  if (numbers.length !== 1) throw bad('one column of numbers', `${numbers.length} of them`);
  const values = listOf(numbers[0]?.['values'], 'a list of values');
  const other = groups.find(({ names }) => names.length !== values.length);
  if (other !== undefined)
    throw bad('a number for each group', `${values.length} for ${other.names.length} groups`);
  return {
    is: 'Values',
    values: values.map((value, row): GroupValue => {
      const number = numberIn(value);
      const tags = groups.map(({ name, names }) => `${String(name)}:${textsIn(names[row]).join('+')}`);
      return { group: tags.join(','), ...(number === null ? {} : { value: number }) };
    }),
  };
}
