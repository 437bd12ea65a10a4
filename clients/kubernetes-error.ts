/** What the Kubernetes API answered instead of doing what it was asked; status 0 when it did not answer at all. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  /** The HTTP status, or 0 when the API server could not be reached or did not answer in time. */
  readonly status: number;
  /** The machine-readable reason: `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`, `Expired`, `Unreachable`, `LoginFailed`, … */
  readonly reason: string;
  /** In how many seconds the API server wants to be asked again; undefined when it does not say so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    of: { status: number; reason: string; message: string; retryAfterSeconds?: number | undefined },
    options?: ErrorOptions,
  ) {
    super(of.message, options);
    this.status = of.status;
    this.reason = of.reason;
    this.retryAfterSeconds = of.retryAfterSeconds;
  }
}

/** Whether an error says that there is no such object, or no such kind. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof KubernetesError && error.status === 404;

/** Whether an error says that somebody else was faster: the object exists already, or has another version. */
export const isConflict = (error: unknown): boolean =>
  error instanceof KubernetesError && error.status === 409;

/** Whether an error says that a list or a resource version is too old to go on from. */
export const isExpired = (error: unknown): boolean =>
  error instanceof KubernetesError && error.status === 410;

/** Reads the error out of an answer that is not a success. */
export function errorOf(status: number, body: string, request: string, retryAfter = ''): KubernetesError {
  const parsed = parseStatus(body);
  return new KubernetesError({
    status: parsed.code ?? status,
    reason: parsed.reason ?? reasons[status] ?? 'Unknown',
    message: parsed.message ?? `The Kubernetes API answered ${status} to ${request}.`,
    // What limits requests says it in the header alone; in the header may also stand a date, which nobody sends.
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : parsed.retryAfterSeconds,
  });
}

/** Says that a request got no answer, and why. */
export function unreachable(request: string, cause: unknown): KubernetesError {
  const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
  return new KubernetesError(
    {
      status: 0,
      reason: timedOut ? 'Timeout' : 'Unreachable',
      message: `Expected the Kubernetes API to answer ${request}, got ${describe(cause)}.`,
    },
    { cause },
  );
}

/** Says that a request was not sent, because there is nothing to show who sends it. */
export const loginFailed = (message: string, cause: unknown): KubernetesError =>
  new KubernetesError({ status: 0, reason: 'LoginFailed', message }, { cause });

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

interface Status {
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

function parseStatus(body: string): Status {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // The path of an API group that is not installed answers in plain text.
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null) return {};
  const { code, reason, message, details } = parsed as Record<string, unknown>;
  const { retryAfterSeconds } = (details ?? {}) as Record<string, unknown>;
  return {
    ...(typeof code === 'number' ? { code } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}

// fetch hides what happened, `ECONNREFUSED` say, in the cause of its error.
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}
