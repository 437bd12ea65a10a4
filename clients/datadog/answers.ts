import type { Answer, GroupValue, Series } from '../../domain/checks/answer.ts';
import { unavailable, refused } from '../provider-error.ts';

const bad = (expected: string, got: unknown): Error => {
  const said = (JSON.stringify(got) ?? 'nothing').slice(0, 80);
  return unavailable(
    `Expected Datadog to answer with ${expected}, got ${said}. Look at what answers in its place, or correct the query.`,
  );
};

const listOf = (value: unknown, what: string): readonly unknown[] => {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw bad(what, value);
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

/** A number, or null where there is none; a text is never taken for a number. */
function numberIn(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  throw bad('numbers', value);
}

const textsIn = (value: unknown): readonly string[] =>
  listOf(value, 'a list of tags').filter((one) => typeof one === 'string');

/** Reads an answer of the API v1. */
export function seriesOfV1(body: unknown): Answer {
  const { status, error, series } = fieldsOf(body);
  // Datadog answers a query that it cannot compute with 200.
  if (status === 'error' || (typeof error === 'string' && error !== ''))
    throw refused(`Expected Datadog to compute the query, got: ${String(error)}. Correct the query.`);
  return {
    is: 'Series',
    series: listOf(series, 'a list of series').map((one): Series => {
      const { scope, tagSet, pointlist, interval } = fieldsOf(one);
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

function attributesOf(body: unknown): Readonly<Record<string, unknown>> {
  const { data, errors } = fieldsOf(body);
  if (typeof errors === 'string' && errors !== '')
    throw refused(`Expected Datadog to compute the formula, got: ${errors}. Correct the queries.`);
  return fieldsOf(fieldsOf(data)['attributes']);
}

/** Reads series of the API v2. */
export function seriesOfV2(body: unknown): Answer {
  const { series, times, values } = attributesOf(body);
  const at = listOf(times, 'a list of times').map((time) => {
    if (typeof time === 'number') return time;
    throw bad('times', time);
  });
  const rows = listOf(values, 'a list of values');
  return {
    is: 'Series',
    series: listOf(series, 'a list of series').map((one, index): Series => {
      const row = listOf(rows[index] ?? [], 'values of each series');
      if (row.length !== at.length)
        throw bad('a value for each time', `${row.length} for ${at.length} times`);
      return {
        group: textsIn(fieldsOf(one)['groupTags']).join(','),
        points: at.map((time, column) => [time, numberIn(row[column])]),
      };
    }),
  };
}

/** Reads scalars of the API v2: columns of groups, and one of numbers. */
export function scalarsOfV2(body: unknown): Answer {
  const columns = listOf(attributesOf(body)['columns'], 'a list of columns').map(fieldsOf);
  const numbers = columns.filter(({ type }) => type === 'number');
  const groups = columns.filter(({ type }) => type === 'group');
  if (numbers.length > 1) throw bad('one column of numbers', `${numbers.length} of them`);
  const values = listOf(numbers[0]?.['values'], 'a list of values');
  return {
    is: 'Values',
    values: values.map((value, row): GroupValue => {
      const number = numberIn(value);
      const tags = groups.map(({ name, values: names }) => {
        const name0 = typeof name === 'string' ? name : 'group';
        return `${name0}:${textsIn(listOf(names, 'a list of groups')[row]).join('+')}`;
      });
      return { group: tags.join(','), ...(number === null ? {} : { value: number }) };
    }),
  };
}
