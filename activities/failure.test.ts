import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../clients/kubernetes/kubernetes.ts';
import { awsErrorType, reasonOf, toFailure } from './failure.ts';

function named(name: string, message = 'in the words of AWS'): Error {
  return Object.assign(new Error(message), { name });
}

const withStatus = (name: string, httpStatusCode: number): Error =>
  Object.assign(named(name), { $metadata: { httpStatusCode } });

const each = (type: string, ...names: readonly string[]): (readonly [string, string])[] =>
  names.map((name) => [name, type]);

/** The errors of the actions that Okra uses, in the ELBv2, EKS and STS API references. */
const ofActions = [
  ...each('ListenerNotFound', 'ListenerNotFound', 'ListenerNotFoundException'),
  ...each('RuleNotFound', 'RuleNotFound', 'RuleNotFoundException'),
  ...each('TargetGroupNotFound', 'TargetGroupNotFound', 'TargetGroupNotFoundException'),
  ...each('Conflict', 'PriorityInUse', 'PriorityInUseException'),
  ...each(
    'TooManyTargetGroups',
    'TooManyTargetGroups',
    'TooManyUniqueTargetGroupsPerLoadBalancer',
    'TargetGroupAssociationLimitException',
  ),
  ...each('TooManyRules', 'TooManyRules'),
  ...each('TooManyTargets', 'TooManyTargets'),
  ...each('InvalidTarget', 'InvalidTarget', 'TooManyRegistrationsForTargetIdException'),
  ...each('TargetGroupNameTaken', 'DuplicateTargetGroupNameException'),
  ...each('TargetGroupInUse', 'ResourceInUse'),
  ...each(
    'Refused',
    'TooManyTags',
    'TooManyActions',
    'DuplicateTagKeysException',
    'IncompatibleProtocols',
    'InvalidConfigurationRequest',
    'InvalidLoadBalancerAction',
    'OperationNotPermitted',
    'UnsupportedProtocol',
    'ALPNPolicyNotSupported',
    'InvalidParameterException',
    'InvalidRequestException',
  ),
  ...each(
    'AccessDenied',
    'ExpiredTokenException',
    'InvalidIdentityToken',
    'InvalidIdentityTokenException',
    'IDPRejectedClaim',
    'RegionDisabledException',
  ),
  ...each('Unavailable', 'IDPCommunicationError', 'HealthUnavailableException', 'ServerException'),
];

/** "Common Errors" of all services, of EC2, and what services say besides. */
const common = [
  ...each(
    'AccessDenied',
    'AccessDenied',
    'AccessDeniedException',
    'AuthFailure',
    'Blocked',
    'ExpiredToken',
    'ExpiredTokenException',
    'IncompleteSignature',
    'IncompleteSignatureException',
    'InvalidAccessKeyId',
    'InvalidClientTokenId',
    'InvalidSignatureException',
    'MissingAuthenticationToken',
    'MissingAuthenticationTokenException',
    'NotAuthorized',
    'OptInRequired',
    'PendingVerification',
    'RequestExpired',
    'RequestInTheFuture',
    'RequestTimeTooSkewed',
    'SignatureDoesNotMatch',
    'UnauthorizedOperation',
    'UnrecognizedClientException',
  ),
  ...each(
    'Refused',
    'InvalidAction',
    'InvalidParameterCombination',
    'InvalidParameterValue',
    'InvalidQueryParameter',
    'MalformedHttpRequestException',
    'MalformedQueryString',
    'MissingAction',
    'MissingParameter',
    'RequestEntityTooLargeException',
    'UnknownOperationException',
    'UnknownParameter',
    'UnsupportedOperation',
    'ValidationError',
    'ValidationErrorException',
    'ValidationException',
  ),
  ...each(
    'Throttled',
    'BandwidthLimitExceeded',
    'EC2ThrottledException',
    'PriorRequestNotComplete',
    'RequestLimitExceeded',
    'RequestThrottled',
    'RequestThrottledException',
    'SlowDown',
    'ThrottledException',
    'Throttling',
    'ThrottlingException',
    'TooManyRequestsException',
  ),
  ...each(
    'Unavailable',
    'InternalError',
    'InternalFailure',
    'RequestAbortedException',
    'RequestTimeoutException',
    'ServiceUnavailable',
    'ServiceUnavailableException',
    'Unavailable',
  ),
];

/** What the AWS SDK throws by itself. */
const ofSDK = [
  ...each('AccessDenied', 'CredentialsProviderError', 'TokenProviderError', 'ProviderError'),
  ...each('Unavailable', 'TimeoutError', 'AbortError', 'Error'),
];

describe('toFailure', () => {
  it.each([...ofActions, ...common, ...ofSDK])('takes %s of AWS for %s', (name, type) => {
    expect(toFailure(named(name))).toMatchObject({ type });
  });

  it.each([
    ['Forbidden', 403, 'AccessDenied'],
    ['UnknownError', 401, 'AccessDenied'],
    ['UnknownError', 429, 'Throttled'],
    ['UnknownError', 500, 'Unavailable'],
    ['constructor', 400, 'Unavailable'],
    ['RequestLimitExceeded', 403, 'Throttled'],
  ])('takes %s with status %i for %s', (name, status, type) => {
    expect(toFailure(withStatus(name, status))).toMatchObject({ type });
  });

  it.each([
    [401, 'AccessDenied'],
    [403, 'AccessDenied'],
    [404, 'ObjectNotFound'],
    [400, 'InvalidObject'],
    [422, 'InvalidObject'],
    [0, 'Unavailable'],
    [500, 'Unavailable'],
  ])('takes %i of the Kubernetes API for %s', (status, type) => {
    expect(toFailure(new KubernetesError({ status, reason: '', message: 'm' }))).toMatchObject({ type });
  });

  it('tries again what may pass, and nothing else', () => {
    expect(toFailure(named('InternalFailure'))).toMatchObject({ nonRetryable: false });
    expect(toFailure(named('ThrottlingException'))).toMatchObject({ nonRetryable: false });
    expect(toFailure(named('ExpiredToken'))).toMatchObject({ nonRetryable: true });
  });

  it('leaves its own failures, and cancellations, as they are', () => {
    const own = ApplicationFailure.create({ type: 'Conflict' });
    const cancelled = new CancelledFailure('cancelled');
    expect([toFailure(own), toFailure(cancelled)]).toEqual([own, cancelled]);
    expect(reasonOf(own)).toBe('Conflict');
  });
});

describe('what a failure says', () => {
  const says = (name: string, message?: string): string => toFailure(named(name, message)).message;

  it.each([
    ['AccessDenied', 'User: arn:aws:iam::1:role/okra is not authorized.', 'arn:aws:iam::1:role/okra'],
    ['AccessDenied', undefined, "Allow the action in the IAM policy of Okra's role"],
    ['ExpiredToken', undefined, 'AWS_WEB_IDENTITY_TOKEN_FILE'],
    ['RequestExpired', undefined, 'Set the clock'],
    ['InvalidClientTokenId', undefined, 'Give okrad credentials that are valid'],
    ['SignatureDoesNotMatch', undefined, 'AWS_SECRET_ACCESS_KEY'],
    ['CredentialsProviderError', undefined, 'Give okrad a role'],
    ['InvalidIdentityToken', 'No OpenIDConnect provider found in your account', 'No OpenIDConnect provider'],
    ['InvalidIdentityToken', undefined, 'trust policy of the role in AWS_ROLE_ARN'],
    ['RegionDisabledException', undefined, 'Enable the region'],
  ])('for %s (%s) is, among other things, %s', (name, message, expected) => {
    expect(says(name, message)).toContain(expected);
  });

  it('is one sentence for what AWS said, and one for what to do', () => {
    expect(says('ExpiredToken', 'The security token included in the request is expired.')).toMatch(
      /^AWS refused Okra's credentials as expired: The security token included in the request is expired \(ExpiredToken\)\. Renew them: .*\.$/,
    );
    expect(says('TooManyRules', 'Too many rules')).toBe('AWS refused: Too many rules (TooManyRules)');
  });
});

describe('what a failure does not say', () => {
  const token = 'FwoGZXIvYXdzEJr//secret+token==';
  const key = 'ASIAIOSFODNN7EXAMPLE';
  const canonical = [
    'The request signature we calculated does not match the signature you provided.',
    '',
    'The Canonical String for this request should have been',
    `'POST`,
    '/',
    'host:elasticloadbalancing.eu-central-1.amazonaws.com',
    `x-amz-security-token:${token}`,
    "'",
  ].join('\n');

  /** All that Temporal would write down of a failure. */
  const written = (error: unknown): string => {
    const parts: unknown[] = [];
    for (let one = error; one instanceof Error; one = one.cause) parts.push(one.name, one.message, one.stack);
    return parts.join('\n');
  };

  it.each([
    ['SignatureDoesNotMatch', canonical],
    ['InvalidSignatureException', canonical],
    ['AccessDenied', `x-amz-security-token: ${token}`],
    ['InvalidAccessKeyId', `The key ${key} does not exist in our records.`],
    [
      'IncompleteSignature',
      `Authorization header requires existence of a 'Date' header. Authorization=AWS4-HMAC-SHA256 Credential=${key}/20260801/eu-central-1/elasticloadbalancing/aws4_request, Signature=0123456789abcdef`,
    ],
    [
      'SyntaxError',
      `Unexpected token, "${token}" is not valid JSON\n  Deserialization error: to see the raw response`,
    ],
    ['InternalFailure', `Credential=${key}/20260801, Signature=0123456789abcdef`],
  ])('in a %s are the credentials that AWS repeats', (name, message) => {
    const error = new Error('outer', { cause: named(name, message) });
    for (const thrown of [named(name, message), error]) {
      const text = written(toFailure(thrown));
      expect(text).not.toContain(token);
      expect(text).not.toContain(key);
      expect(text).not.toContain('0123456789abcdef');
      expect(text).toContain(name);
    }
  });

  it('is where it comes from only when nothing has to be hidden', () => {
    const harmless = named('TooManyRules');
    expect(toFailure(harmless).cause).toBe(harmless);
    expect(awsErrorType('no error')).toBeUndefined();
  });
});

const refused = (message: string): Error =>
  toFailure(new KubernetesError({ status: 422, reason: 'Invalid', message }));

describe('a failure', () => {
  it('says what was answered, and keeps the answer', () => {
    expect(refused('status.phase: Unsupported value')).toMatchObject({
      type: 'InvalidObject',
      message: 'status.phase: Unsupported value',
      cause: { name: 'KubernetesError' },
    });
  });

  it('keeps of a whole page as much as a person would read, and nowhere the rest', () => {
    const failed = refused('<p>'.repeat(50_000));
    expect(failed.message).toHaveLength(4096);
    expect(failed.message.endsWith('…')).toBe(true);
    expect(failed.cause).toBeUndefined();
  });
});
