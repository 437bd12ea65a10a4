import { fieldsIn, parseJSON } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';

/** What the Kubernetes API answered instead of doing what it was asked; status 0 when it did not answer at all. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  /** The HTTP status, or 0 when the API server could not be reached or did not answer in time. */
  readonly status: number;
  /** The machine-readable reason: `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden`, `Expired`, `Unreachable`, `LoginFailed`, `AnswerTooLarge`, `TooMuchHeld`, … */
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

const hasStatus =
  (status: number) =>
  (error: unknown): boolean =>
    error instanceof KubernetesError && error.status === status;

/** Whether an error says that there is no such object, or no such kind. */
export const isNotFound = hasStatus(404);

/** Whether an error says that whoever asks may not do that. */
export const isForbidden = hasStatus(403);

/** Whether an error says that someone else was faster: the object exists already, or has another version. */
export const isConflict = hasStatus(409);

/** Whether an error says that a list or a resource version is too old to continue from. */
export const isExpired = hasStatus(410);

/** Whether an error says that an answer was longer than one may be, so that less of it should be asked for. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof KubernetesError && error.reason === 'AnswerTooLarge';

// What a person reads of it; an admission webhook may continue for pages.
const LONGEST_MESSAGE = 2_000;

/** Reads the error out of an answer that is not a success. */
export function errorOf(status: number, body: string, request: string, retryAfter = ''): KubernetesError {
  const parsed = parseStatus(body);
  return new KubernetesError({
    status: parsed.code ?? status,
    reason: parsed.reason ?? reasons[status] ?? 'Unknown',
    message: parsed.message ?? answered(status, request),
    // What limits requests says it in the header alone; in the header may also stand a date, which nobody sends.
    retryAfterSeconds: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : parsed.retryAfterSeconds,
  });
}

function answered(status: number, request: string): string {
  const said = `The Kubernetes API answered ${status} to ${request}.`;
  if (status < 300 || status >= 400) return said;
  return `${said} No redirect is followed: set the server to the address of the API server itself.`;
}

/** Says that a request got no answer, and why. */
export function serverUnreachable(request: string, cause: unknown): KubernetesError {
  const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
  return new KubernetesError({
    status: 0,
    reason: timedOut ? 'Timeout' : 'Unreachable',
    message: `The Kubernetes API did not answer ${request}: ${describe(cause)}.`,
  });
}

/** Says that an answer is none that an API server gives; never with what it says, which may be anybody's. */
export const malformed = (request: string, expected: string, got: string): KubernetesError =>
  new KubernetesError({
    status: 0,
    reason: 'Malformed',
    message: `The answer to ${request} must be ${expected}; it is ${got}. Check that it is the API server that answers there.`,
  });

/** Says that an answer was given up because it has no end, or too late a one. */
export const tooLarge = (request: string, expected: string, reason = 'AnswerTooLarge'): KubernetesError =>
  new KubernetesError({
    status: 0,
    reason,
    message: `The answer to ${request} must be ${expected}; it is larger. Check that it is the API server that answers there, and for objects that do not belong there.`,
  });

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
  // The path of an API group that is not installed answers in plain text.
  const { kind, code, reason, message, details } = fieldsIn(parseJSON(body));
  // What another server says is for who asks it, and not for who reads a status here.
  if (kind !== 'Status') return {};
  const { retryAfterSeconds } = fieldsIn(details);
  return {
    ...(typeof code === 'number' && code >= 400 && code < 600 ? { code } : {}),
    ...(typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? { reason } : {}),
    ...(typeof message === 'string' && message !== '' ? { message: cut(message, LONGEST_MESSAGE) } : {}),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  };
}

// Errors with a code are those of Node.js, OpenSSL and undici, whose words are their own; others may repeat what they could not read.
function describe(error: unknown): string {
  if (error instanceof DOMException) return error.message;
  if (!(error instanceof Error)) return 'an unknown error';
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  const inner = first instanceof Error && !(first instanceof KubernetesError) ? describe(first) : undefined;
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code !== 'string') return inner ?? error.name;
  // It would continue with the names in the certificate.
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return "Hostname/IP does not match certificate's altnames";
  if (error.message === '') return inner ?? code;
  return inner === undefined || error.message.includes(inner) ? error.message : `${error.message} (${inner})`;
}
