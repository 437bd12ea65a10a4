import { serve, type Answered, type Asked, type StandIn } from './server.ts';

/** Who may ask. */
export interface DatadogKeys {
  readonly apiKey: string;
  readonly appKey: string;
}

/** A question that Datadog was asked: the version of its API, and the query. */
export interface DatadogQuestion {
  readonly version: 'v1' | 'v2';
  readonly query: string;
  readonly seconds: number;
}

/** A Datadog that knows the value of a few queries, and answers the others without a value, as Datadog does. */
export interface Datadog extends StandIn {
  readonly values: Map<string, number>;
  /** What was answered. */
  readonly asked: DatadogQuestion[];
}

/** Serves both versions of Datadog's query API to who shows the keys. */
export async function serveDatadog({ apiKey, appKey }: DatadogKeys): Promise<Datadog> {
  const values = new Map<string, number>();
  const asked: DatadogQuestion[] = [];
  const standIn = await serve((request) => {
    const { headers } = request;
    if (headers['dd-api-key'] !== apiKey || headers['dd-application-key'] !== appKey) {
      return problem(403, 'Forbidden');
    }
    const question = questionIn(request);
    if ('status' in question) return question;
    asked.push(question);
    const value = values.get(question.query);
    return { status: 200, body: question.version === 'v1' ? timeseries(value) : scalar(value) };
  });
  return { ...standIn, values, asked };
}

const problem = (status: number, error: string): Answered => ({ status, body: { errors: [error] } });

function questionIn({ method, url, body }: Asked): DatadogQuestion | Answered {
  if (`${method} ${url.pathname}` === 'GET /api/v1/query') return inAddress(url.searchParams);
  if (`${method} ${url.pathname}${url.search}` === 'POST /api/v2/query/scalar')
    return inBody(JSON.parse(body));
  return problem(404, `no ${method} ${url.pathname}${url.search}`);
}

function inAddress(parameters: URLSearchParams): DatadogQuestion | Answered {
  if ([...parameters.keys()].toSorted().join(' ') !== 'from query to') {
    return problem(400, `got the parameters ${[...parameters.keys()].join(' ')}`);
  }
  const [query = '', from, to] = ['query', 'from', 'to'].map((name) => parameters.get(name) ?? '');
  if (query === '' || !/^\d{10}$/.test(from ?? '') || !/^\d{10}$/.test(to ?? '')) {
    return problem(400, `got ${parameters.toString()}`);
  }
  return { version: 'v1', query, seconds: Number(to) - Number(from) };
}

interface ScalarRequest {
  readonly data?: {
    readonly type?: string;
    readonly attributes?: {
      readonly from?: number;
      readonly to?: number;
      readonly formulas?: readonly { readonly formula?: string }[];
      readonly queries?: readonly Readonly<Record<string, string>>[];
    };
  };
}

const aggregators = new Set('avg min max sum last percentile mean l2norm area'.split(' '));

/** The queries of a request for one number; with a formula, that with the names of its queries replaced by the queries. */
function inBody({ data }: ScalarRequest): DatadogQuestion | Answered {
  const { from = 0, to = 0, formulas = [], queries = [] } = data?.attributes ?? {};
  if (data?.type !== 'scalar_request' || queries.length === 0) return problem(400, 'got no scalar_request');
  if (![from, to].every((time) => /^\d{13}$/.test(String(time)))) return problem(400, 'got no milliseconds');
  const wrong = queries.find(
    ({ data_source, aggregator = '', name, query }) =>
      data_source !== 'metrics' || !aggregators.has(aggregator) || !name || !query,
  );
  if (wrong !== undefined) return problem(400, `got the query ${JSON.stringify(wrong)}`);
  if (queries.length > 1 && formulas.length !== 1) return problem(400, 'got several queries and no formula');
  const formula = formulas[0]?.formula ?? queries[0]?.['name'] ?? '';
  const query = queries.reduce(
    (text, one) => text.replaceAll(one['name'] ?? '', one['query'] ?? ''),
    formula,
  );
  return { version: 'v2', query, seconds: (to - from) / 1000 };
}

const timeseries = (value: number | undefined): object => ({
  status: 'ok',
  series:
    value === undefined
      ? []
      : [
          {
            metric: 'rate',
            pointlist: [
              [Date.now(), 0],
              [Date.now(), value],
            ],
          },
        ],
});

const scalar = (value: number | undefined): object => ({
  data: {
    type: 'scalar_response',
    attributes: { columns: [{ name: 'rate', type: 'number', values: [value ?? null] }] },
  },
});
