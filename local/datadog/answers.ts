import { groupsOf, type Group, type Known } from './data.ts';
import { BadRequest, fieldsOf, readRequest, scalars, series } from './formulas.ts';
import { given } from '../../domain/model/fields.ts';

/** What Datadog knows, by query. */
export type Knowledge = ReadonlyMap<string, Known>;

const DIGITS = /^\d{10}$/;

/** The interval that Datadog chooses for a range of this length, in seconds. */
const intervalOf = (seconds: number): number => (seconds <= 3600 ? 20 : seconds <= 14_400 ? 60 : 300);

/** `GET /api/v1/query` (docs.datadoghq.com/api/latest/metrics, "Query timeseries points"). */
export function queryV1(parameters: URLSearchParams, known: Knowledge, nowMs: number): object {
  const [query, from, to] = ['query', 'from', 'to'].map((name) => parameters.get(name) ?? '');
  if (query === undefined || query === '') throw new BadRequest('query is required');
  if (from === undefined || !DIGITS.test(from)) throw new BadRequest('from must be seconds since the epoch');
  if (to === undefined || !DIGITS.test(to) || Number(to) <= Number(from))
    throw new BadRequest('to must be seconds since the epoch, after from');
  if (!/^[a-z0-9_.]+:|\(/i.test(query)) throw new BadRequest(`Error parsing query: unable to parse ${query}`);
  const interval = intervalOf(Number(to) - Number(from));
  const range = { fromMs: Number(from) * 1000, toMs: Number(to) * 1000, bucketMs: interval * 1000, nowMs };
  return {
    status: 'ok',
    resp_version: 1,
    res_type: 'time_series',
    query,
    message: '',
    from_date: range.fromMs,
    to_date: range.toMs,
    group_by: [],
    times: [],
    values: [],
    series: groupsOf(known.get(query), range).map((group) => seriesV1(query, group, interval)),
  };
}

const seriesV1 = (query: string, { tags, points }: Group, interval: number): object => ({
  unit: null,
  aggr: query.split(':')[0],
  metric: query.split(':')[1]?.split('{')[0],
  expression: query,
  display_name: query,
  attributes: {},
  query_index: 0,
  interval,
  length: points.length,
  start: points[0]?.[0],
  end: (points.at(-1)?.[0] ?? 0) + interval * 1000 - 1,
  scope: tags.length === 0 ? '*' : tags.join(','),
  tag_set: tags,
  pointlist: points,
});

/** `POST /api/v2/query/timeseries`. */
export function queryTimeseries(body: unknown, known: Knowledge, nowMs: number): object {
  const computed = series(readRequest(body, 'timeseries_request'), known, nowMs);
  return {
    data: {
      id: '0',
      type: 'timeseries_response',
      attributes: {
        series: computed.map(({ tags }) => ({ group_tags: tags, query_index: 0, unit: null })),
        times: computed[0]?.times ?? [],
        values: computed.map(({ values }) => values),
      },
    },
  };
}

/** `POST /api/v2/query/scalar`. */
export function queryScalar(body: unknown, known: Knowledge, nowMs: number): object {
  const rows = scalars(readRequest(body, 'scalar_request'), known, nowMs);
  const names = [...new Set(rows.flatMap(({ tags }) => tags.map((tag) => tag.split(':')[0] ?? '')))];
  const groups = names.map((name) => ({
    name,
    type: 'group',
    values: rows.map(({ tags }) =>
      tags.filter((tag) => tag.startsWith(`${name}:`)).map((tag) => tag.slice(name.length + 1)),
    ),
  }));
  const numbers = { name: 'formula', type: 'number', meta: {}, values: rows.map(({ value }) => value) };
  return {
    data: {
      id: '0',
      type: 'scalar_response',
      attributes: { columns: rows.length === 0 ? [] : [...groups, numbers] },
    },
  };
}

/** An event as it was posted. */
export interface PostedEvent {
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly alert_type?: string;
  readonly aggregation_key?: string;
}

const alertTypes = new Set([
  'error',
  'warning',
  'info',
  'success',
  'user_update',
  'recommendation',
  'snapshot',
]);

const isAlertType = (value: unknown): value is string => typeof value === 'string' && alertTypes.has(value);

/** `POST /api/v1/events`. */
export function readEvent(body: unknown): PostedEvent {
  const { title, text, tags = [], alert_type: alert, aggregation_key: key } = fieldsOf(body);
  if (typeof title !== 'string' || title === '' || title.length > 100)
    throw new BadRequest('title is required, and has at most 100 characters');
  if (typeof text !== 'string' || text === '' || text.length > 4000)
    throw new BadRequest('text is required, and has at most 4000 characters');
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string'))
    throw new BadRequest('tags must be a list of texts');
  if (alert !== undefined && !isAlertType(alert)) throw new BadRequest('unknown alert_type');
  if (key !== undefined && (typeof key !== 'string' || key.length > 100))
    throw new BadRequest('aggregation_key has at most 100 characters');
  return {
    title,
    text,
    tags: tags.map(String),
    ...given({ alert_type: alert, aggregation_key: key }),
  };
}
