import { asyncLocalStorage } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { withoutCredentials, wordsOf } from '../clients/aws/aws-redaction.ts';
import { undefinedOn } from '../clients/concurrency.ts';
import { KubernetesError } from '../clients/kubernetes/kubernetes.ts';
import { isPermanent, type FailureType } from '../domain/failures.ts';
import { cut, LONGEST_SAID } from '../domain/text.ts';
import { wrapEach } from './wrap.ts';

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

/** What a call came to: its answer, or what it was refused for. */
export type Attempted<Value> =
  | { readonly is: 'Answered'; readonly value: Value }
  | { readonly is: 'Unasked'; readonly reason: string; readonly message: string };

/** Makes a call; throws only once the attempt that makes it is given up. */
export async function attempted<Value>(
  signal: AbortSignal,
  call: () => Promise<Value>,
): Promise<Attempted<Value>> {
  try {
    return { is: 'Answered', value: await call() };
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    return { is: 'Unasked', reason: reasonOf(cause), message: cause.message };
  }
}

function kubernetesType(error: KubernetesError): FailureType {
  if (error.status === 403 || error.status === 401) return 'AccessDenied';
  if (error.status === 422 || error.status === 400) return 'InvalidObject';
  return error.status === 404 ? 'ObjectNotFound' : 'Unavailable';
}

/** What AWS answers; undefined where it fails with an error of a type. */
export const unlessError = <T>(type: FailureType, answer: Promise<T>): Promise<T | undefined> =>
  undefinedOn((error) => awsErrorType(error) === type, answer);

/** Wraps activities so that all they throw is a failure of Okra's. */
export const translated = <Activities extends object>(activities: Activities): Activities =>
  wrapEach(activities, (run) =>
    run().catch((error: unknown) => {
      throw toFailure(error);
    }),
  );

/** What AWS calls an error (API references of ELBv2, EKS, STS; "Common Errors"; the SDK), without `Exception`, and what Okra calls it; what is not listed may pass. */
const types: ReadonlyMap<string, FailureType> = new Map([
  ['ListenerNotFound', 'ListenerNotFound'],
  ['RuleNotFound', 'RuleNotFound'],
  ['TargetGroupNotFound', 'TargetGroupNotFound'],
  ['PriorityInUse', 'Conflict'],
  ['TooManyTargetGroups', 'TooManyTargetGroups'],
  ['TooManyUniqueTargetGroupsPerLoadBalancer', 'TooManyTargetGroups'],
  ['TargetGroupAssociationLimit', 'TooManyTargetGroups'],
  ['TooManyRules', 'TooManyRules'],
  ['TooManyTargets', 'TooManyTargets'],
  ['InvalidTarget', 'InvalidTarget'],
  // It is about one target, and not about how many there are in all.
  ['TooManyRegistrationsForTargetId', 'InvalidTarget'],
  ['DuplicateTargetGroupName', 'TargetGroupNameTaken'],
  ['ResourceInUse', 'TargetGroupInUse'],
  ...all('Refused', [
    'ALPNPolicyNotSupported',
    'DuplicateTagKeys',
    'IncompatibleProtocols',
    'InvalidAction',
    'InvalidConfigurationRequest',
    'InvalidLoadBalancerAction',
    'InvalidParameter',
    'InvalidParameterCombination',
    'InvalidParameterValue',
    'InvalidQueryParameter',
    'InvalidRequest',
    'MalformedHttpRequest',
    'MalformedQueryString',
    'MissingAction',
    'MissingParameter',
    'OperationNotPermitted',
    'RequestEntityTooLarge',
    'TooManyActions',
    'TooManyTags',
    'UnknownOperation',
    'UnknownParameter',
    'UnsupportedOperation',
    'UnsupportedProtocol',
    'ValidationError',
    'Validation',
  ]),
  ...all('Throttled', [
    'BandwidthLimitExceeded',
    'EC2Throttled',
    'PriorRequestNotComplete',
    'RequestLimitExceeded',
    'RequestThrottled',
    'SlowDown',
    'Throttled',
    'Throttling',
    'TooManyRequests',
  ]),
]);

function all(type: FailureType, names: readonly string[]): (readonly [string, FailureType])[] {
  return names.map((name) => [name, type]);
}

/** A kind of refusal that someone can end who may say who Okra is, or what it may do. */
interface Denial {
  readonly names: readonly string[];
  readonly refused: string;
  readonly advice: string;
}

const denials: readonly Denial[] = [
  {
    names: ['AccessDenied', 'UnauthorizedOperation', 'NotAuthorized', 'Unauthorized'],
    refused: 'AWS refused',
    advice:
      "Allow the action in the IAM policy of Okra's role; for an assumed role, also in its trust policy.",
  },
  {
    names: ['ExpiredToken', 'TokenRefreshRequired'],
    refused: "AWS refused Okra's credentials as expired",
    advice:
      'Renew them: a role renews them by itself as long as the token in AWS_WEB_IDENTITY_TOKEN_FILE is renewed; keys in AWS_ACCESS_KEY_ID with a session token have to be replaced.',
  },
  {
    names: ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'],
    refused: 'AWS refused the time of a request',
    advice: 'Set the clock of the machine that okrad runs on.',
  },
  {
    names: [
      'AuthFailure',
      'InvalidAccessKeyId',
      'InvalidClientTokenId',
      'InvalidToken',
      'MissingAuthenticationToken',
      'UnrecognizedClient',
    ],
    refused: "AWS does not know Okra's credentials",
    advice:
      'Give okrad credentials that are valid: a role, by AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE or by EKS Pod Identity, or keys that have not been deleted, for the partition of the region.',
  },
  {
    names: ['IncompleteSignature', 'InvalidSignature', 'SignatureDoesNotMatch'],
    refused: "AWS refused the signature of Okra's credentials",
    advice:
      'Check that AWS_SECRET_ACCESS_KEY belongs to AWS_ACCESS_KEY_ID, and the clock of the machine that okrad runs on.',
  },
  {
    names: ['CredentialsProviderError', 'TokenProviderError', 'ProviderError'],
    refused: 'The AWS SDK found no credentials for Okra',
    advice:
      'Give okrad a role, by AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE or by EKS Pod Identity, or keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  },
  {
    names: ['InvalidIdentityToken', 'IDPRejectedClaim'],
    refused: "AWS refused the web identity token of Okra's service account",
    advice:
      "Check that IAM has the OIDC provider of this cluster, that the trust policy of the role in AWS_ROLE_ARN names Okra's service account, and the token in AWS_WEB_IDENTITY_TOKEN_FILE.",
  },
  {
    names: ['Blocked', 'OptInRequired', 'PendingVerification', 'RegionDisabled'],
    refused: 'AWS refused the account',
    advice: 'Enable the region, and for STS its endpoint there, and the service in the account.',
  },
];

const denialsByName: ReadonlyMap<string, Denial> = new Map(
  denials.flatMap((denial) => denial.names.map((name) => [name, denial])),
);

const nameOf = ({ name }: Error): string => name.replace(/Exception$/, '');

/** The type of an AWS SDK error; undefined when it is none, or one that may pass (a 500, a broken connection). */
export function awsErrorType(error: unknown): FailureType | undefined {
  if (!(error instanceof Error)) return undefined;
  return denialOf(error) === undefined ? typeOf(error) : 'AccessDenied';
}

const typeOf = (error: Error): FailureType | undefined =>
  types.get(nameOf(error)) ?? (statusOf(error) === 429 ? 'Throttled' : undefined);

function denialOf(error: Error): Denial | undefined {
  const denial = denialsByName.get(nameOf(error));
  if (denial !== undefined || types.has(nameOf(error))) return denial;
  // What stands before AWS, the policy of a VPC endpoint say, may know none of its names.
  return [401, 403].includes(statusOf(error) ?? 0) ? denials[0] : undefined;
}

function statusOf(error: Error): number | undefined {
  const metadata: unknown = Reflect.get(error, '$metadata');
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const status: unknown = Reflect.get(metadata, 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
}

/** Says what AWS refused and what to do about it, without any credentials that AWS may have repeated. */
function awsErrorMessage(error: Error): string {
  const denial = denialOf(error);
  const words = wordsOf(error);
  if (denial === undefined) return `AWS refused: ${words} (${error.name})`;
  const said = words === '' ? '' : `: ${words.replace(/\.$/, '')}`;
  return `${denial.refused}${said} (${error.name}). ${denial.advice}`;
}
