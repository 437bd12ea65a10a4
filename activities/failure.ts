import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { KubernetesError } from '../clients/kubernetes.ts';
import { isPermanent, type FailureType } from '../domain/failures.ts';
import { cut, LONGEST_SAID } from '../domain/text.ts';

/** What AWS calls an error, and what Okra calls it (the "Errors" sections of the ELBv2 API reference, and Common Errors). */
const awsErrors: Readonly<Record<string, FailureType>> = {
  ListenerNotFoundException: 'ListenerNotFound',
  RuleNotFoundException: 'RuleNotFound',
  TargetGroupNotFoundException: 'TargetGroupNotFound',
  PriorityInUseException: 'Conflict',
  TooManyTargetGroupsException: 'TooManyTargetGroups',
  TooManyUniqueTargetGroupsPerLoadBalancerException: 'TooManyTargetGroups',
  TargetGroupAssociationLimitException: 'TooManyTargetGroups',
  TooManyRulesException: 'TooManyRules',
  TooManyTargetsException: 'TooManyTargets',
  TooManyRegistrationsForTargetIdException: 'TooManyTargets',
  InvalidTargetException: 'InvalidTarget',
  DuplicateTargetGroupNameException: 'TargetGroupNameTaken',
  ResourceInUseException: 'TargetGroupInUse',
  TooManyTagsException: 'Refused',
  IncompatibleProtocolsException: 'Refused',
  InvalidConfigurationRequestException: 'Refused',
  OperationNotPermittedException: 'Refused',
  UnsupportedProtocolException: 'Refused',
  InvalidLoadBalancerActionException: 'Refused',
  ValidationError: 'Refused',
  ValidationErrorException: 'Refused',
  AccessDenied: 'AccessDenied',
  AccessDeniedException: 'AccessDenied',
  UnauthorizedOperation: 'AccessDenied',
  Throttling: 'Throttled',
  ThrottlingException: 'Throttled',
  RequestLimitExceeded: 'Throttled',
};

/** The type of an AWS SDK error; undefined when it is none, or one that may pass (a 500, a broken connection). */
export function awsErrorType(error: unknown): FailureType | undefined {
  if (!(error instanceof Error)) return undefined;
  return awsErrors[error.name] ?? awsErrors[`${error.name}Exception`];
}

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
  const cause = error instanceof Error ? error : new Error(String(error));
  const type = awsErrorType(error);
  if (type !== undefined) return failure(type, `AWS refused: ${cause.message} (${cause.name})`, cause);
  return failure('Unavailable', cause.message === '' ? cause.name : cause.message, cause);
}

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
