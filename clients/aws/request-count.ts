import { fieldsIn } from '../../domain/model/fields.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noTraces, type Traces } from '../traces/traces.ts';

type RequestOutcome = 'OK' | 'Throttled' | 'Failed' | 'Unanswered';

/** Who is told of requests. */
export type TellRequests = Pick<Metrics, 'count' | 'observe'> & Partial<Pick<Traces, 'part'>>;

interface SeenClient {
  readonly middlewareStack: {
    addRelativeTo(
      middleware: Middleware,
      options: { readonly relation: 'after'; readonly toMiddleware: string; readonly name: string },
    ): void;
  };
}

type Middleware = <Asked, Answer>(
  next: (asked: Asked) => Promise<Answer>,
  context: Context,
) => (asked: Asked) => Promise<Answer>;

interface Context {
  readonly clientName?: string;
  readonly commandName?: string;
}

/** How many regions are told apart: AWS has some forty, and whoever writes an ARN may think of others. */
export const MOST_REGIONS = 100;

const regionsOf = new WeakMap<TellRequests, Set<string>>();

/** What the requests to a region are counted as: by its name, as long as there are not too many, since each is a series of its own in the metrics. */
function countedAs(region: string, tell: TellRequests): string {
  const known = regionsOf.get(tell) ?? new Set();
  regionsOf.set(tell, known);
  if (known.size < MOST_REGIONS) known.add(region);
  return known.has(region) ? region : 'other';
}

/** Counts each request of a client, the repeated ones as well. */
export function counting<Client extends SeenClient>(
  client: Client,
  of: string,
  tell: TellRequests | undefined,
): Client {
  if (tell === undefined) return client;
  const region = countedAs(of, tell);
  const { part = noTraces.part } = tell;
  client.middlewareStack.addRelativeTo(
    (next, { clientName = '', commandName = '' }) =>
      async (asked) => {
        const service = clientName.replace(/Client$/, '');
        const operation = commandName.replace(/Command$/, '');
        const startedAt = performance.now();
        const ended = (outcome: RequestOutcome): void => {
          tell.count('okra_aws_requests_total', { service, operation, region, outcome });
          const seconds = (performance.now() - startedAt) / 1000;
          tell.observe('okra_aws_request_duration_seconds', { service, operation }, seconds);
        };
        try {
          const attributes = {
            'rpc.system': 'aws-api',
            'rpc.service': service,
            'rpc.method': operation,
            region,
          };
          const answer = await part({ name: `${service} ${operation}`, attributes }, () => next(asked));
          ended('OK');
          return answer;
        } catch (error) {
          ended(outcomeOf(error));
          throw error;
        }
      },
    { relation: 'after', toMiddleware: 'retryMiddleware', name: 'okraCounts' },
  );
  return client;
}

/** What an error of the AWS SDK says of the request. */
export function outcomeOf(error: unknown): RequestOutcome {
  if (!(error instanceof Error)) return 'Failed';
  const status = fieldsIn(Reflect.get(error, '$metadata'))['httpStatusCode'];
  const throttles = /Throttl|TooManyRequests|RequestLimitExceeded|SlowDown|BandwidthLimitExceeded/;
  if (status === 429 || throttles.test(error.name)) return 'Throttled';
  return typeof status === 'number' ? 'Failed' : 'Unanswered';
}
