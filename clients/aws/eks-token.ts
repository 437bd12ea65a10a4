import { Sha256 } from '@aws-crypto/sha256-js';
import { partition } from '@aws-sdk/core/client';
import { SignatureV4 } from '@smithy/signature-v4';
import { keepMade, newest, type Kept } from '../concurrency.ts';
import {
  credentialsFor,
  MOST_SCOPES,
  scopeName,
  type AwsCredentials,
  type AwsScope,
  type CredentialOptions,
} from './aws-credentials.ts';

/** For which cluster a token is, and as whom. */
export interface EKSTokenScope extends AwsScope {
  readonly clusterName: string;
}

/** Gives a token that EKS accepts now; the same one as long as it does, and nobody says that it was refused. */
export type EKSTokens = (scope: EKSTokenScope, refused?: string) => Promise<string>;

/** How tokens are made. */
export interface EKSTokenOptions extends CredentialOptions {
  readonly now?: () => number;
}

const CLUSTER_HEADER = 'x-k8s-aws-id';
const PREFIX = 'k8s-aws-v1.';

// What aws-iam-authenticator writes; STS takes the URL for 15 minutes after its date, whatever it says here.
const URL_SECONDS = 60;
const REFRESH_MILLISECONDS = 600_000;
// A token is worth nothing any more when the credentials that signed it have ended.
const MARGIN_MILLISECONDS = 60_000;

const MOST_TOKENS = 10_000;

/** Makes tokens as `aws eks get-token` does, by a signed URL of STS' GetCallerIdentity; kept for 10 of the 15 minutes that they are valid. */
export function eksTokens(options: EKSTokenOptions = {}): EKSTokens {
  const { now = Date.now } = options;
  const credentials = newest<AwsCredentials>(MOST_SCOPES);
  const sources = newest<(refused?: string) => Promise<string>>(MOST_TOKENS);
  const make = (scope: EKSTokenScope): Promise<Kept<string>> =>
    sign(
      scope,
      credentials(scopeName(scope), () => credentialsFor(scope, options)),
      now(),
    );
  return (scope, refused) =>
    sources(`${scopeName(scope)}${scope.clusterName}`, () => keepMade(() => make(scope), now))(refused);
}

async function sign(scope: EKSTokenScope, provider: AwsCredentials, now: number): Promise<Kept<string>> {
  const { region, clusterName } = scope;
  const credentials = await provider();
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256 });
  const host = stsHost(region);
  const request = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host, [CLUSTER_HEADER]: clusterName },
    },
    { expiresIn: URL_SECONDS, signingDate: new Date(now), unhoistableHeaders: new Set([CLUSTER_HEADER]) },
  );
  const query = Object.entries(request.query ?? {}).map(
    ([name, value]) => `${name}=${encode(String(value))}`,
  );
  const value = PREFIX + Buffer.from(`https://${host}/?${query.join('&')}`).toString('base64url');
  const ends = credentials.expiration?.getTime() ?? Number.POSITIVE_INFINITY;
  return { value, until: Math.min(now + REFRESH_MILLISECONDS, ends - MARGIN_MILLISECONDS) };
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The host of STS in a region; never an endpoint that was set, since EKS takes tokens for STS' own hosts alone. */
const stsHost = (region: string): string => `sts.${region}.${partition(region).dnsSuffix}`;
