import { describe, expect, it } from 'vitest';
import { eksTokens, type EKSTokenOptions } from './eks-token.ts';

const scope = { region: 'eu-central-1', clusterName: 'cdk1' };
const minute = 60_000;

/** A clock that stands, and an identity that counts how often it is asked for. */
function aClock(expiration?: (now: number) => Date) {
  const at = { now: Date.UTC(2024, 0, 2, 3, 4, 5), asked: 0, refused: false };
  const options: EKSTokenOptions = {
    now: () => at.now,
    credentials: () => {
      at.asked += 1;
      if (at.refused) return Promise.reject(new Error('no credentials'));
      return Promise.resolve({
        accessKeyId: 'AKIA',
        secretAccessKey: 'super-secret',
        sessionToken: 'a+/=!',
        ...(expiration === undefined ? {} : { expiration: expiration(at.now) }),
      });
    },
  };
  return { at, tokens: eksTokens(options) };
}

const urlOf = (token: string) =>
  new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString());

describe('eksTokens', () => {
  it('signs who asks, and for which cluster, in the form of aws-iam-authenticator', async () => {
    const token = await aClock().tokens(scope);
    expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
    const url = urlOf(token);
    expect(url.origin + url.pathname).toBe('https://sts.eu-central-1.amazonaws.com/');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIA/20240102/eu-central-1/sts/aws4_request',
      'X-Amz-Date': '20240102T030405Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': 'a+/=!',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('signs another cluster differently', async () => {
    const { tokens } = aClock();
    expect(await tokens({ ...scope, clusterName: 'cdk2' })).not.toBe(await tokens(scope));
  });

  it.each([
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
    ['us-iso-east-1', 'sts.us-iso-east-1.c2s.ic.gov'],
    ['us-isob-east-1', 'sts.us-isob-east-1.sc2s.sgov.gov'],
    ['us-isof-south-1', 'sts.us-isof-south-1.csp.hci.ic.gov'],
    ['eu-isoe-west-1', 'sts.eu-isoe-west-1.cloud.adc-e.uk'],
    ['eusc-de-east-1', 'sts.eusc-de-east-1.amazonaws.eu'],
  ])('names the STS of %s', async (region, host) => {
    expect(urlOf(await aClock().tokens({ ...scope, region })).host).toBe(host);
  });

  it('keeps a token for ten minutes, and then makes another', async () => {
    const { at, tokens } = aClock();
    const first = await tokens(scope);
    at.now += 10 * minute - 1;
    expect(await tokens(scope)).toBe(first);
    at.now += 1;
    expect(await tokens(scope)).not.toBe(first);
    expect(at.asked).toBe(2);
  });

  it('makes another when the one that it keeps was refused', async () => {
    const { at, tokens } = aClock();
    const first = await tokens(scope);
    at.now += 1_000;
    expect(await tokens(scope, 'an older one')).toBe(first);
    const second = await tokens(scope, first);
    expect(second).not.toBe(first);
    expect(await tokens(scope, first)).toBe(second);
  });

  it('makes one token for all who ask at once, the first time and later', async () => {
    const { at, tokens } = aClock();
    await Promise.all([tokens(scope), tokens(scope)]);
    expect(at.asked).toBe(1);
    at.now += 11 * minute;
    await Promise.all([tokens(scope), tokens(scope), tokens(scope)]);
    expect(at.asked).toBe(2);
  });

  it('keeps no token for longer than what signed it', async () => {
    const { at, tokens } = aClock((now) => new Date(now + 5 * minute));
    const first = await tokens(scope);
    at.now += 4 * minute - 1;
    expect(await tokens(scope)).toBe(first);
    at.now += 1;
    expect(await tokens(scope)).not.toBe(first);
  });

  it('gives a token of credentials that are about to end, rather than none', async () => {
    const { at, tokens } = aClock((now) => new Date(now + 1_000));
    expect(await tokens(scope)).toMatch(/^k8s-aws-v1\./);
    expect(at.asked).toBe(1);
  });

  it('tries again after a failure, and says nothing of what it signs with', async () => {
    const { at, tokens } = aClock();
    at.refused = true;
    await expect(tokens(scope)).rejects.toThrow('no credentials');
    at.refused = false;
    expect(await tokens(scope)).toMatch(/^k8s-aws-v1\./);
  });
});
