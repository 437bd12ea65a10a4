import { aggregate, groupsOf, type Group, type Known, type Range } from './data.ts';
import { compute, FormulaError } from './formula.ts';

/** A request that Datadog refuses. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
}

interface Query {
  readonly name: string;
  readonly data_source: string;
  readonly [field: string]: unknown;
}

interface Asked {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  readonly queries: readonly Query[];
  readonly formulas: readonly string[];
}

const aggregators = new Set(['avg', 'min', 'max', 'sum', 'last', 'percentile', 'mean', 'l2norm', 'area']);

/** What a query of each data source has to have. */
const needed: Readonly<Record<string, readonly string[]>> = {
  metrics: ['query'],
  logs: ['compute'],
  apm_metrics: ['name', 'stat'],
  slo: ['slo_id', 'measure'],
};

/** How a query is called among what is known: its query, or what stands for it. */
export const nameOf = ({ data_source: source, ...fields }: Query): string => {
  const search: unknown = Reflect.get(Object(fields['search']), 'query');
  const words = [
    fields['query'],
    search,
    fields['service'],
    fields['stat'],
    fields['slo_id'],
    fields['measure'],
  ];
  const said = words.filter((word) => typeof word === 'string' && word !== '').join(' ');
  return source === 'metrics' ? said : `${source}: ${said}`;
};

/** Reads the body of a request of the API v2, or refuses it. */
export function readRequest(body: unknown, type: 'scalar_request' | 'timeseries_request'): Asked {
  const data = fieldsOf(fieldsOf(body)['data']);
  if (data['type'] !== type) throw new BadRequest(`data.type must be ${type}`);
  const { from, to, interval, queries, formulas } = fieldsOf(data['attributes']);
  if (!isMillis(from) || !isMillis(to) || from >= to)
    throw new BadRequest('from and to must be milliseconds since the epoch, from before to');
  if (!Array.isArray(queries) || queries.length === 0) throw new BadRequest('queries must not be empty');
  const read = queries.map((query) => readQuery(fieldsOf(query), type));
  const written = (Array.isArray(formulas) ? formulas : []).map((one) => {
    const { formula } = fieldsOf(one);
    if (typeof formula !== 'string' || formula === '') throw new BadRequest('formulas[].formula is required');
    return formula;
  });
  const bucketMs = isMillis(interval) ? interval : 60_000;
  return {
    from,
    to,
    bucketMs,
    queries: read,
    formulas: written.length === 0 ? read.map(({ name }) => name) : written,
  };
}

function readQuery(query: Readonly<Record<string, unknown>>, type: string): Query {
  const { data_source: source, name = 'query', aggregator } = query;
  if (typeof source !== 'string' || needed[source] === undefined)
    throw new BadRequest(`unknown data_source ${JSON.stringify(source)}`);
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]*$/.test(name))
    throw new BadRequest('invalid name of a query');
  const missing = needed[source].find((field) => query[field] === undefined);
  if (missing !== undefined) throw new BadRequest(`${missing} is required with ${source}`);
  if (source === 'metrics' && type === 'scalar_request' && !aggregators.has(String(aggregator)))
    throw new BadRequest('aggregator is required in a scalar query of metrics');
  return { ...query, name, data_source: source };
}

/** A column of groups with the value of a formula for each, in each bucket. */
export interface Computed {
  readonly tags: readonly string[];
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
}

/** Computes the first formula in each bucket, for each group. */
export function series(asked: Asked, known: ReadonlyMap<string, Known>, nowMs: number): readonly Computed[] {
  const range: Range = { fromMs: asked.from, toMs: asked.to, bucketMs: asked.bucketMs, nowMs };
  const groups = byGroup(asked, known, range);
  return [...groups.values()].map((ofQueries) => {
    const times = ofQueries[0]?.group.points.map(([at]) => at) ?? [];
    const values = times.map((_, index) =>
      formulaOf(asked, new Map(asked.queries.map(({ name }) => [name, pointOf(ofQueries, name, index)]))),
    );
    return { tags: ofQueries[0]?.group.tags ?? [], times, values };
  });
}

/** Computes the first formula over the whole time, for each group. */
export function scalars(
  asked: Asked,
  known: ReadonlyMap<string, Known>,
  nowMs: number,
): readonly { readonly tags: readonly string[]; readonly value: number | null }[] {
  const range: Range = { fromMs: asked.from, toMs: asked.to, bucketMs: asked.bucketMs, nowMs };
  return [...byGroup(asked, known, range).values()].map((ofQueries) => {
    const values = asked.queries.map((query) => {
      const points = ofQueries.find(({ name }) => name === query.name)?.group.points ?? [];
      const by = typeof query['aggregator'] === 'string' ? query['aggregator'] : 'sum';
      return [
        query.name,
        aggregate(
          points.map(([, value]) => value),
          by,
        ),
      ] as const;
    });
    return { tags: ofQueries[0]?.group.tags ?? [], value: formulaOf(asked, new Map(values)) };
  });
}

interface OfQuery {
  readonly name: string;
  readonly group: Group;
}

const byGroup = (
  { queries }: Asked,
  known: ReadonlyMap<string, Known>,
  range: Range,
): ReadonlyMap<string, readonly OfQuery[]> =>
  Map.groupBy(
    queries.flatMap((query) =>
      groupsOf(known.get(nameOf(query)), range).map((group) => ({ name: query.name, group })),
    ),
    ({ group }) => group.tags.join(','),
  );

const pointOf = (ofQueries: readonly OfQuery[], name: string, index: number): number | null =>
  ofQueries.find((one) => one.name === name)?.group.points[index]?.[1] ?? null;

function formulaOf({ formulas }: Asked, values: ReadonlyMap<string, number | null>): number | null {
  try {
    return compute(formulas[0] ?? '', values);
  } catch (error) {
    throw error instanceof FormulaError ? new BadRequest(`formula: ${error.message}`) : error;
  }
}

/** Whether a number is a time in milliseconds and not one in seconds, or a length of time. */
const isMillis = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
