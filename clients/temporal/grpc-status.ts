import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { undefinedOn } from '../concurrency.ts';

/** google.rpc.Code, as far as Okra asks for it. */
export const statusCodes = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  UNAUTHENTICATED: 16,
} as const;

/** Whether a call to Temporal was answered with a code, or failed because of such an answer. */
export function hasCode(error: unknown, code: number): boolean {
  if (isGrpcServiceError(error)) return error.code === code;
  return error instanceof Error && error.cause !== undefined && hasCode(error.cause, code);
}

/** Whether an error says that the server knows this process, or its credentials, and does not let it in. */
export const isRefusal = (error: unknown): boolean =>
  hasCode(error, statusCodes.UNAUTHENTICATED) || hasCode(error, statusCodes.PERMISSION_DENIED);

/** What a server has said against a call, in its own words, without a full stop. */
export function detailsOf(error: unknown): string {
  // What gRPC says of it is about its own insides.
  if (hasCode(error, statusCodes.DEADLINE_EXCEEDED)) return 'no answer in time';
  if (isGrpcServiceError(error) && error.details !== '') return withoutStop(error.details);
  if (!(error instanceof Error)) return withoutStop(String(error));
  return error.cause === undefined ? withoutStop(error.message) : detailsOf(error.cause);
}

const withoutStop = (text: string): string => text.replace(/\.$/, '');

/** Waits for a call about a run; undefined when there is no such run, or it has ended. */
export const unlessGone = <T>(call: Promise<T>): Promise<T | undefined> =>
  undefinedOn((error) => error instanceof WorkflowNotFoundError, call);
