import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { eksTokens } from '../../clients/aws/eks-token.ts';
import { checkToken } from './token.ts';

const now = Date.UTC(2024, 0, 2, 3, 4, 5);
const minute = 60_000;
const arn = 'arn:aws:iam::123456789012:user/test';
const key = { secretAccessKey: 'se/cr+et', arn };

const signed = (more: { sessionToken?: string; accessKeyId?: string; at?: number; region?: string } = {}) => {
  const { at = now, accessKeyId = 'AKIATEST', region = 'us-east-1', ...session } = more;
  const credentials = () =>
    Promise.resolve({ accessKeyId, secretAccessKey: key.secretAccessKey, ...session });
  return eksTokens({ now: () => at, credentials })({ region, clusterName: 'cdk1' });
};

const check = (token: string, more: { clusterName?: string; sessionToken?: string } = {}) => {
  const { clusterName = 'cdk1', ...session } = more;
  const keyOf = (id: string) => Promise.resolve(id === 'AKIATEST' ? { ...key, ...session } : undefined);
  return checkToken(token, { clusterName, now, keyOf });
};

const urlIn = (token: string) => Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString();
const tokenOf = (url: string) => `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
const changed = async (from: string | RegExp, to: string) => tokenOf(urlIn(await signed()).replace(from, to));

/** A token as other programs make it, with a URL that says to last for so many seconds. */
async function lasting(expiresIn: number): Promise<string> {
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: key.secretAccessKey };
  const signer = new SignatureV4({ service: 'sts', region: 'us-east-1', credentials, sha256: Sha256 });
  const hostname = 'sts.us-east-1.amazonaws.com';
  const query = { Action: 'GetCallerIdentity', Version: '2011-06-15' };
  const headers = { host: hostname, 'x-k8s-aws-id': 'cdk1' };
  const request = await signer.presign(
    { method: 'GET', protocol: 'https:', hostname, path: '/', query, headers },
    { expiresIn, signingDate: new Date(now), unhoistableHeaders: new Set(['x-k8s-aws-id']) },
  );
  const parameters = new URLSearchParams(request.query as Record<string, string>);
  return tokenOf(`https://${hostname}/?${parameters.toString()}`);
}

describe('checkToken', () => {
  it('accepts what is signed for this cluster, and says who signed', async () => {
    expect(await check(await signed())).toEqual({ is: 'Accepted', arn });
  });

  it('accepts what the session of a role signed', async () => {
    const sessionToken = "FwoG+Zx/==!*'() ";
    expect(await check(await signed({ sessionToken }), { sessionToken })).toEqual({ is: 'Accepted', arn });
  });

  // argocd-k8s-auth signs a URL that says 0.
  it.each([0, 1, 900])('accepts a URL that says to last for %d s', async (seconds) => {
    expect(await check(await lasting(seconds))).toEqual({ is: 'Accepted', arn });
  });

  it('accepts what is signed in another partition', async () => {
    expect(await check(await signed({ region: 'eusc-de-east-1' }))).toEqual({ is: 'Accepted', arn });
  });

  it.each([
    ['a token for another cluster', () => signed(), { clusterName: 'cdk2' }, 'for another cluster'],
    ['a token of 15 minutes ago', () => signed({ at: now - 15 * minute }), {}, 'has expired'],
    ['a token out of the future', () => signed({ at: now + 6 * minute }), {}, 'has expired'],
    ['an unknown key', () => signed({ accessKeyId: 'AKIAOTHER' }), {}, 'key is unknown'],
    ['another session', () => signed({ sessionToken: 'a' }), { sessionToken: 'b' }, 'session is another'],
    ['a later date', () => changed('X-Amz-Expires=60', 'X-Amz-Expires=61'), {}, 'signature is wrong'],
    ['another host', () => changed('sts.us-east-1.amazonaws.com', 'sts.example'), {}, 'the host is'],
    ['the host of another partition', () => changed('amazonaws.com', 'amazonaws.eu'), {}, 'the host is'],
    ['another action', () => changed('GetCallerIdentity', 'GetSessionToken'), {}, 'Action is missing'],
    ['a header that is not signed', () => changed('host%3Bx-k8s-aws-id', 'host'), {}, 'X-Amz-SignedHeaders'],
    ['a URL for too long', () => changed('X-Amz-Expires=60', 'X-Amz-Expires=901'), {}, 'X-Amz-Expires'],
    ['more than is signed', () => changed(/$/, '&x=1'), {}, 'x is not expected'],
    ['the same twice', () => changed(/$/, '&Action=GetCallerIdentity'), {}, 'Action is missing or wrong'],
    ['no https', () => changed('https:', 'http:'), {}, 'not that of an AWS API'],
    ['a URL that is none', () => Promise.resolve(tokenOf('me')), {}, 'no k8s-aws-v1.'],
    ['another kind of token', () => Promise.resolve('abc'), {}, 'no k8s-aws-v1.'],
  ])('refuses %s', async (_, token, against, reason) => {
    expect(await check(await token(), against)).toEqual({
      is: 'Refused',
      reason: expect.stringContaining(reason),
    });
  });
});
