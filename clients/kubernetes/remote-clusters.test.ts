import { describe, expect, it } from 'vitest';
import { NAMESPACE } from './kinds.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { accessOf } from '../../domain/access/access.ts';
import type { Send } from './kubernetes-transport.ts';
import { sendAsOkra } from './kubernetes.ts';
import { openRemoteClusters, type Reach, type RemoteOptions } from './remote-clusters.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');

const aSecret = (config: object, version = '1') => ({
  metadata: {
    name: 'cdk1',
    namespace: 'shop',
    uid: 'uid-1',
    resourceVersion: version,
    labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
  },
  data: {
    name: encodeBase64('cdk1'),
    // Nothing listens at this port.
    server: encodeBase64('https://127.0.0.1:2'),
    config: encodeBase64(JSON.stringify(config)),
  },
});

const token = { bearerToken: 'super-secret' };
const eks = { awsAuthConfig: { clusterName: 'cdk1' } };

const endpoint = {
  arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/cdk1',
  endpoint: 'https://127.0.0.1:2',
};

const theClusters = (more: Partial<RemoteOptions> = {}) =>
  openRemoteClusters({
    tokens: () => Promise.resolve('k8s-aws-v1.x'),
    own: sendAsOkra,
    endpoints: () => Promise.resolve(endpoint),
    access: () => Promise.resolve(undefined),
    execCommands: [],
    execServers: [],
    ...more,
  });

const read = async (reach: Reach) => {
  if (reach.is === 'Problem') return reach.problem;
  return await reach.client.list(NAMESPACE).catch((error: unknown) => error);
};

describe('the pool of remote clusters', () => {
  it('keeps a way as long as the secret stays', () => {
    const clusters = theClusters();
    const first = clusters.reach(aSecret(token));
    expect(clusters.reach(aSecret(token))).toBe(first);
    expect(clusters.reach(aSecret(token, '2'))).not.toBe(first);
  });

  it('forgets the clusters whose secrets are gone, and no other', () => {
    const clusters = theClusters();
    const first = clusters.reach(aSecret(token));
    clusters.keep('shop', new Set(['uid-1']));
    expect(clusters.reach(aSecret(token))).toBe(first);
    clusters.keep('shop', new Set());
    expect(clusters.reach(aSecret(token))).not.toBe(first);
  });

  it.each([
    ['a malformed secret', {}, 'Invalid Secret shop/cdk1: config names no way to log in'],
    ['an EKS cluster of no region', eks, 'Set awsAuthConfig.region, or AWS_REGION.'],
    [
      'a command that is not listed',
      { execProviderConfig: { command: 'aws' } },
      'execProviderConfig.command is not in OKRA_EXEC_COMMANDS, which is empty',
    ],
  ])('says what is wrong with %s', (_, config, want) => {
    expect(theClusters().reach(aSecret(config))).toEqual({
      is: 'Problem',
      problem: expect.stringContaining(want),
    });
  });

  describe('of the cluster that Okra is in', () => {
    const secret = { ...aSecret({ tlsClientConfig: { insecure: false } }) };
    const data = { ...secret.data, server: encodeBase64('https://kubernetes.default.svc') };
    const inCluster = { ...secret, data };

    it('goes the way that Okra itself goes', async () => {
      const paths: string[] = [];
      const own: Send = ({ path }) => {
        paths.push(path);
        return Promise.reject(new KubernetesError({ status: 401, reason: 'Unauthorized', message: 'no' }));
      };
      expect(await read(theClusters({ own: () => own }).reach(inCluster))).toMatchObject({
        status: 401,
        message: expect.stringMatching(/^Cluster cdk1 at .*: Okra's own account was not accepted/),
      });
      expect(paths).toEqual(['/api/v1/namespaces']);
    });

    it.each([
      [undefined, true],
      [['kubernetes.default.svc'], true],
      [[], false],
    ])('is for the namespaces that may: %j', async (servers, goes) => {
      const paths: string[] = [];
      const own: Send = ({ path }) => {
        paths.push(path);
        return Promise.reject(new KubernetesError({ status: 500, reason: 'InternalError', message: 'no' }));
      };
      const spec = { namespaces: ['*'], servers };
      const access = () => Promise.resolve(servers && accessOf('shop', [{ metadata: { name: 'p' }, spec }]));
      const error = await read(theClusters({ own: () => own, access }).reach(inCluster));
      expect(paths).toEqual(goes ? ['/api/v1/namespaces'] : []);
      expect(error).toMatchObject({ reason: goes ? 'InternalError' : 'NotAllowed' });
    });
  });

  it('says which cluster is not there, and why', async () => {
    const error = await read(theClusters().reach(aSecret(token)));
    expect(error).toMatchObject({
      status: 0,
      reason: 'Unreachable',
      message: expect.stringMatching(/^Cluster cdk1 at https:\/\/127\.0\.0\.1:2: .* ECONNREFUSED/),
    });
  });

  it('says why there is no token, and what to look at', async () => {
    const denied = Object.assign(new Error('not authorized to assume it'), { name: 'AccessDenied' });
    const clusters = theClusters({ tokens: () => Promise.reject(denied), region: 'eu-central-1' });
    expect(await read(clusters.reach(aSecret(eks)))).toMatchObject({
      reason: 'LoginFailed',
      message: expect.stringContaining(
        'cannot get a token: AccessDenied: not authorized to assume it. Check awsAuthConfig',
      ),
    });
  });

  it('says nothing of the credentials that AWS repeats when it refuses them', async () => {
    const message = 'It should have been\nx-amz-security-token:super-secret';
    const refused = Object.assign(new Error(message), { name: 'SignatureDoesNotMatch' });
    const clusters = theClusters({ tokens: () => Promise.reject(refused), region: 'eu-central-1' });
    expect(await read(clusters.reach(aSecret(eks)))).toMatchObject({
      message: expect.stringContaining('cannot get a token: SignatureDoesNotMatch. Check awsAuthConfig'),
    });
  });

  it('does not say as whom Okra runs when it may not assume a role', async () => {
    const message =
      'User: arn:aws:sts::111122223333:assumed-role/okra/x is not authorized to perform: sts:AssumeRole on resource: arn:aws:iam::444455556666:role/theirs';
    const refused = Object.assign(new Error(message), { name: 'AccessDenied' });
    const clusters = theClusters({ tokens: () => Promise.reject(refused), region: 'eu-central-1' });
    expect(await read(clusters.reach(aSecret(eks)))).toMatchObject({
      message: expect.stringContaining(
        "AccessDenied: Okra's identity is not authorized to perform: sts:AssumeRole",
      ),
    });
  });

  it('does not wait for a token for ever', async () => {
    const clusters = theClusters({
      tokens: () => new Promise(() => undefined),
      region: 'eu-central-1',
      timeoutMilliseconds: 50,
    });
    expect(await read(clusters.reach(aSecret(eks)))).toMatchObject({ status: 0, reason: 'Timeout' });
  });

  it('reaches a cluster of Argo CD on EKS by its ARN', async () => {
    const { metadata } = aSecret({});
    const secret = { metadata, data: { server: encodeBase64(endpoint.arn), name: encodeBase64('cdk1') } };
    const caData = encodeBase64('-----BEGIN CERTIFICATE-----\nQ0E=\n-----END CERTIFICATE-----\n');
    const clusters = theClusters({ endpoints: () => Promise.resolve({ ...endpoint, caData }) });
    expect(await read(clusters.reach(secret))).toMatchObject({
      reason: 'Unreachable',
      message: expect.stringMatching(/^Cluster cdk1 at arn:aws:eks:[^ ]+: .* ECONNREFUSED/),
    });
  });

  it('takes the region of the secret before that of Okra', async () => {
    const asked: string[] = [];
    const tokens: RemoteOptions['tokens'] = ({ region, clusterName }) => {
      asked.push(`${region} ${clusterName}`);
      return Promise.resolve('k8s-aws-v1.x');
    };
    const clusters = theClusters({ tokens, region: 'eu-central-1' });
    await read(clusters.reach(aSecret(eks)));
    await read(clusters.reach(aSecret({ awsAuthConfig: { clusterName: 'b', region: 'eu-west-1' } }, '2')));
    expect(asked).toEqual(['eu-central-1 cdk1', 'eu-west-1 b']);
  });
});
