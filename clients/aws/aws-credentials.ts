import { partition } from '@aws-sdk/core/client';
import { fromNodeProviderChain, fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { given } from '../../domain/model/fields.ts';
import type { TellRequests } from './request-count.ts';

/** Makes or renews credentials of AWS. */
export type AwsCredentials = ReturnType<typeof fromNodeProviderChain>;

/** In which region, and as whom, AWS is called. */
export interface AwsScope {
  readonly region: string;
  /** The role to assume; undefined: Okra's own identity. */
  readonly roleARN?: string | undefined;
  /** What the role's owner asks for beside the ARN. */
  readonly externalID?: string | undefined;
}

/** How credentials are had. */
export interface CredentialOptions {
  /** The address of an emulator or a VPC endpoint of STS; undefined for AWS' own. */
  readonly stsEndpoint?: string | undefined;
  /** Okra's own identity; undefined: what the AWS SDK finds. */
  readonly credentials?: AwsCredentials | undefined;
  readonly requestTimeoutMs?: number;
}

/** How a service of AWS is reached. */
export interface ClientOptions extends CredentialOptions {
  /** The address of an emulator or a VPC endpoint; undefined for AWS' own. */
  readonly endpoint?: string | undefined;
  readonly tell?: TellRequests | undefined;
}

/** The settings of a client of the AWS SDK, within time limits. */
export const clientSettings = (scope: AwsScope, options: ClientOptions) => ({
  region: scope.region,
  credentials: credentialsFor(scope, options),
  requestHandler: requestHandlerOf(options.requestTimeoutMs),
  ...given({ endpoint: options.endpoint }),
});

const REQUEST_TIMEOUT_MS = 5_000;

/** How long any call to AWS may take. */
export const requestHandlerOf = (requestTimeoutMs = REQUEST_TIMEOUT_MS) =>
  ({
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    throwOnRequestTimeout: true,
  }) as const;

/** Makes what gives the credentials for a scope: Okra's own, or those of a role that they assume (API_AssumeRole). */
export function credentialsFor(scope: AwsScope, options: CredentialOptions = {}): AwsCredentials {
  const { region, roleARN, externalID } = scope;
  const own = options.credentials ?? ownCredentials(region, options.requestTimeoutMs);
  if (roleARN === undefined) return own;
  return fromTemporaryCredentials({
    masterCredentials: own,
    params: { RoleArn: roleARN, RoleSessionName: 'okra', ...given({ ExternalId: externalID }) },
    clientConfig: {
      region,
      requestHandler: requestHandlerOf(options.requestTimeoutMs),
      ...given({ endpoint: options.stsEndpoint }),
    },
  });
}

/** Okra's own identity, as the AWS SDK finds it; with a region and time limit, without which STS is asked in `us-east-1`, endlessly. */
function ownCredentials(region: string, requestTimeoutMs?: number): AwsCredentials {
  const chain = fromNodeProviderChain({
    clientConfig: { requestHandler: requestHandlerOf(requestTimeoutMs) },
  });
  const nobody = { callerClientConfig: { region: () => Promise.resolve(region) } };
  return async (caller) => {
    try {
      return await chain({ ...nobody, ...caller });
    } catch (error) {
      throw unreadable(error) ?? error;
    }
  };
}

/** Names the failure of who reads a file, of the token of a web identity say, as the SDK names all others. */
function unreadable(error: unknown): Error | undefined {
  if (!(error instanceof Error) || !('path' in error)) return undefined;
  return Object.assign(new Error(error.message, { cause: error }), { name: 'CredentialsProviderError' });
}

/** Of how many scopes what was made for them is kept: whoever writes an object may think of any number, and each client takes up memory. */
export const MOST_SCOPES = 1_000;

/** Names a scope, so that what was made for it is found again. */
export const scopeName = ({ region, roleARN = '', externalID = '' }: AwsScope): string =>
  JSON.stringify([region, roleARN, externalID]);

/** How the ARNs of all EKS clusters of an account and region begin. */
export const eksPlace = (region: string, account: string): string =>
  `arn:${partition(region).name}:eks:${region}:${account}:`;
