import { asyncLocalStorage } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { withoutCredentials } from '../clients/aws/aws-redaction.ts';
import { KubernetesError } from '../clients/kubernetes/kubernetes.ts';
import { isPermanent, type FailureType } from '../domain/failures.ts';
import { cut, LONGEST_SAID } from '../domain/text.ts';
import { awsErrorMessage, awsErrorType } from './aws-errors.ts';

export { awsErrorType } from './aws-errors.ts';

/** Makes a failure of Okra's. */
export function failure(type: FailureType, message: string, cause?: Error): ApplicationFailure {
  const short = cut(message, LONGEST_SAID);
  return ApplicationFailure.create({
    type,
    message: short,
    nonRetryable: isPermanent(type),
    // The cause would say the whole of it after all, and its stack once more.
    ...(cause === undefined || short !== message ? {} : { cause }),
  });
}

/** Translates whatever an SDK throws into a failure whose type is listed in domain/failures.ts. */
export function toFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof KubernetesError) return failure(kubernetesType(error), error.message, error);
  const thrown = error instanceof Error ? error : new Error(String(error));
  if (thrown.name === 'AbortError' && isGivenUp()) return new CancelledFailure(thrown.message);
  const type = awsErrorType(thrown);
  const cause = withoutCredentials(thrown);
  if (type !== undefined) return failure(type, awsErrorMessage(thrown), cause);
  return failure('Unavailable', cause.message === '' ? cause.name : cause.message, cause);
}

/** Whether the activity that runs this was cancelled; the clients of AWS then throw an error of their own. */
const isGivenUp = (): boolean => asyncLocalStorage.getStore()?.cancellationSignal.aborted === true;

/** What a translated failure is, in a word for people. */
export const reasonOf = (cause: Error): string =>
  (cause instanceof ApplicationFailure ? cause.type : undefined) ?? 'Unavailable';

function kubernetesType(error: KubernetesError): FailureType {
  if (error.status === 403 || error.status === 401) return 'AccessDenied';
  if (error.status === 422 || error.status === 400) return 'InvalidObject';
  return error.status === 404 ? 'ObjectNotFound' : 'Unavailable';
}

/** Wraps activities so that all they throw is a failure of Okra's. */
export function translated<Activities extends object>(activities: Activities): Activities {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        try {
          return await (activity as (...all: unknown[]) => Promise<unknown>)(...args);
        } catch (error) {
          throw toFailure(error);
        }
      },
    ]),
  ) as Activities;
}
