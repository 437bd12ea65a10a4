import { serve, type Answered, type Asked, type StandIn } from './server.ts';

/** A Prometheus that knows the value of a few queries, and answers the others with no series, as Prometheus does. */
export interface Prometheus extends StandIn {
  readonly values: Map<string, number>;
  /** The queries that were answered. */
  readonly asked: string[];
}

const badData = (error: string): Answered => ({
  status: 400,
  body: { status: 'error', errorType: 'bad_data', error },
});

const parameters = new Set(['query', 'time', 'timeout', 'limit', 'stats']);
const TIME = /^\d+(\.\d+)?$/;

/** Serves the instant queries of Prometheus' HTTP API to who shows a bearer token. */
export async function servePrometheus(token: string): Promise<Prometheus> {
  const values = new Map<string, number>();
  const asked: string[] = [];
  const standIn = await serve((request) => {
    const refused = refusalOf(request, token);
    if (refused !== undefined) return refused;
    const form = new URLSearchParams(request.body);
    const wrong = [...form.keys()].find((name) => !parameters.has(name));
    if (wrong !== undefined) return badData(`unknown parameter ${wrong}`);
    const query = form.get('query') ?? '';
    if (query === '')
      return badData('invalid parameter "query": unknown position: parse error: no expression');
    const time = form.get('time') ?? '';
    if (!TIME.test(time)) return badData(`invalid parameter "time": cannot parse "${time}"`);
    asked.push(query);
    return vector(values.get(query), Number(time));
  });
  return { ...standIn, values, asked };
}

function refusalOf({ method, url, headers }: Asked, token: string): Answered | undefined {
  const error = (status: number, message: string): Answered => ({ status, body: { error: message } });
  if (url.pathname !== '/api/v1/query' || url.search !== '')
    return error(404, `no ${url.pathname}${url.search}`);
  if (headers.authorization !== `Bearer ${token}`) return error(401, 'Unauthorized');
  if (method !== 'POST') return error(405, `${method} is not expected`);
  const type = headers['content-type'];
  return type === 'application/x-www-form-urlencoded'
    ? undefined
    : badData(`unexpected content type ${type}`);
}

function vector(value: number | undefined, time: number): Answered {
  const result = value === undefined ? [] : [{ metric: {}, value: [time, String(value)] }];
  return { status: 200, body: { status: 'success', data: { resultType: 'vector', result } } };
}
