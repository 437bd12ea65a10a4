import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { partition } from '@aws-sdk/core/client';

/** What AWS knows of an access key. */
export interface KnownKey {
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly arn: string;
}

/** What a token is held against. */
export interface TokenCheck {
  /** The cluster that asks, which is what the signed header has to say. */
  readonly clusterName: string;
  readonly now: number;
  readonly keyOf: (accessKeyId: string) => Promise<KnownKey | undefined>;
}

/** Who a token speaks for, or why it is refused. */
export type Verdict =
  { readonly is: 'Accepted'; readonly arn: string } | { readonly is: 'Refused'; readonly reason: string };

const PREFIX = 'k8s-aws-v1.';
const SIGNED_HEADERS = 'host;x-k8s-aws-id';
const VALID_MILLISECONDS = 15 * 60_000;
const SKEW_MILLISECONDS = 5 * 60_000;

/**
 * Checks a token as EKS does: aws-iam-authenticator checks the URL in it and calls it with the cluster's own name in the
 * header, and STS checks the signature. Here both are done in one place.
 */
export async function checkToken(token: string, check: TokenCheck): Promise<Verdict> {
  const url = urlIn(token);
  if (url === undefined) return refuse(`the token is no ${PREFIX} with a URL`);
  const wrong = wrongForm(url, check.now);
  if (wrong !== undefined) return refuse(wrong);
  const [accessKeyId = '', ...scope] = (url.searchParams.get('X-Amz-Credential') ?? '').split('/');
  const key = await check.keyOf(accessKeyId);
  if (key === undefined) return refuse('the access key is unknown');
  if ((url.searchParams.get('X-Amz-Security-Token') ?? undefined) !== key.sessionToken)
    return refuse('the session is another');
  const signature = Buffer.from(url.searchParams.get('X-Amz-Signature') ?? '');
  const expected = Buffer.from(signatureOf(url, { key, scope, clusterName: check.clusterName }));
  const same = signature.length === expected.length && timingSafeEqual(signature, expected);
  return same ? { is: 'Accepted', arn: key.arn } : refuse('the signature is wrong, or for another cluster');
}

const refuse = (reason: string): Verdict => ({ is: 'Refused', reason });

function urlIn(token: string): URL | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const text = Buffer.from(token.slice(PREFIX.length), 'base64url').toString();
  return URL.canParse(text) ? new URL(text) : undefined;
}

const parameters: Readonly<Record<string, RegExp>> = {
  Action: /^GetCallerIdentity$/,
  Version: /^2011-06-15$/,
  'X-Amz-Algorithm': /^AWS4-HMAC-SHA256$/,
  'X-Amz-Credential': /^\w+\/\d{8}\/[a-z0-9-]+\/sts\/aws4_request$/,
  'X-Amz-Date': /^\d{8}T\d{6}Z$/,
  'X-Amz-Expires': /^(0|[1-9]\d?|[1-8]\d\d|900)$/,
  'X-Amz-SignedHeaders': /^host;x-k8s-aws-id$/,
  'X-Amz-Signature': /^[0-9a-f]{64}$/,
};

// The host of a region, or the one that is that of all of them in the usual partition.
const isSTS = (host: string): boolean => {
  const [, region = ''] = host.split('.');
  return host === 'sts.amazonaws.com' || host === `sts.${region}.${partition(region).dnsSuffix}`;
};

function wrongForm(url: URL, now: number): string | undefined {
  const { protocol, host, pathname, searchParams } = url;
  if (protocol !== 'https:' || pathname !== '/') return 'the URL is not that of an AWS API';
  if (!isSTS(host)) return `the host is ${host}`;
  for (const [name, form] of Object.entries(parameters)) {
    if (searchParams.getAll(name).length !== 1 || !form.test(searchParams.get(name) ?? ''))
      return `${name} is missing or wrong`;
  }
  const extra = [...searchParams.keys()].find(
    (name) => !(name in parameters) && name !== 'X-Amz-Security-Token',
  );
  if (extra !== undefined) return `${extra} is not expected`;
  const age = now - dateOf(searchParams.get('X-Amz-Date') ?? '');
  return age < VALID_MILLISECONDS && age > -SKEW_MILLISECONDS ? undefined : 'the token has expired';
}

const dateOf = (text: string): number =>
  Date.parse(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

interface Signer {
  readonly key: KnownKey;
  readonly scope: readonly string[];
  readonly clusterName: string;
}

// By hand, so that it is not the signer's own code that says whether the signature is right.
function signatureOf(url: URL, { key, scope, clusterName }: Signer): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const headers = `host:${url.host}\nx-k8s-aws-id:${clusterName}\n`;
  const request = ['GET', '/', query, headers, SIGNED_HEADERS, sha256('')].join('\n');
  const date = url.searchParams.get('X-Amz-Date') ?? '';
  const toSign = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(request)].join('\n');
  const signingKey = scope.reduce<Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    Buffer.from(`AWS4${key.secretAccessKey}`),
  );
  return createHmac('sha256', signingKey).update(toSign).digest('hex');
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
