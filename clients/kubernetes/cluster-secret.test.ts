import { describe, expect, it } from 'vitest';
import { clusterSecretValues, configByARN } from '../../domain/discovery/clusters/cluster-secret.ts';
import { decodeBase64 } from './base64.ts';
import { parseClusterSecret } from './cluster-secret.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');
const certificate = encodeBase64(
  '-----BEGIN CERTIFICATE-----\nc3VwZXItc2VjcmV0\n-----END CERTIFICATE-----\n',
);
const key = encodeBase64(
  '-----BEGIN RSA PRIVATE KEY-----\nc3VwZXItc2VjcmV0\n-----END RSA PRIVATE KEY-----\n',
);
const server = 'https://cdk1.example';

const encode = (data: object): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, encodeBase64(String(value))]));

const aSecret = (config: unknown, data: Readonly<Record<string, string>> = {}) => ({
  metadata: { name: 'cdk1', namespace: 'shop', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
  data: encode({
    name: 'cdk1',
    server,
    config: typeof config === 'string' ? config : JSON.stringify(config),
    ...data,
  }),
});

const token = { bearerToken: 'super-secret' };

describe('parseClusterSecret', () => {
  it.each([
    ['a bearer token', token, { by: 'Token', token: 'super-secret' }],
    [
      'a name and a password',
      { username: 'me', password: 'super-secret' },
      { by: 'Password', username: 'me', password: 'super-secret' },
    ],
    [
      'a client certificate',
      { tlsClientConfig: { certData: certificate, keyData: key } },
      { by: 'Certificate', certificate, key },
    ],
    [
      'the name of an EKS cluster',
      { awsAuthConfig: { clusterName: 'cdk1' } },
      { by: 'EKS', clusterName: 'cdk1' },
    ],
    [
      'the name of an EKS cluster, with region, role and external id',
      {
        awsAuthConfig: {
          clusterName: 'cdk1',
          region: 'eu-central-1',
          roleARN: 'arn:aws:iam::123456789012:role/team/okra',
          externalID: 'shop',
        },
      },
      {
        by: 'EKS',
        clusterName: 'cdk1',
        region: 'eu-central-1',
        roleARN: 'arn:aws:iam::123456789012:role/team/okra',
        externalID: 'shop',
      },
    ],
    [
      'a command',
      { execProviderConfig: { command: 'aws', args: ['eks'], env: { AWS_REGION: 'eu-central-1' } } },
      {
        by: 'Command',
        command: 'aws',
        args: ['eks'],
        environment: { AWS_REGION: 'eu-central-1' },
        apiVersion: 'client.authentication.k8s.io/v1beta1',
      },
    ],
    [
      'a token beside fields that are there but empty',
      { ...token, username: '', password: '', awsAuthConfig: null, tlsClientConfig: { certData: '' } },
      { by: 'Token', token: 'super-secret' },
    ],
  ])('logs in by %s', (_, config, login) => {
    expect(parseClusterSecret(aSecret(config))).toEqual({
      is: 'Connection',
      connection: { name: 'cdk1', server, namespaces: [], tls: { insecure: false }, login },
    });
  });

  it.each([
    ['an EKS token', { awsAuthConfig: { clusterName: 'cdk1' } }, 'EKS'],
    ['a bearer token', token, 'Token'],
    ['a password', { username: 'me', password: 'super-secret' }, 'Password'],
    ['a command', { execProviderConfig: { command: 'aws' } }, 'Command'],
  ])('shows a client certificate beside %s', (_, config, by) => {
    const tlsClientConfig = { certData: certificate, keyData: key };
    expect(parseClusterSecret(aSecret({ ...config, tlsClientConfig }))).toMatchObject({
      connection: { login: { by }, certificate: { certificate, key } },
    });
  });

  it.each([
    ['TLS alone', { tlsClientConfig: { insecure: false } }],
    ['nothing', {}],
    ['no config', ''],
  ])("logs in to Argo CD's own cluster as Okra itself by %s", (_, config) => {
    const inCluster = { server: 'https://kubernetes.default.svc' };
    expect(parseClusterSecret(aSecret(config, inCluster))).toMatchObject({
      connection: { ...inCluster, login: { by: 'InCluster' } },
    });
    expect(parseClusterSecret(aSecret(token, inCluster))).toMatchObject({
      connection: { login: { by: 'Token' } },
    });
  });

  it.each([
    ['https://0A1B.gr7.eu-west-1.eks.amazonaws.com', 'eu-west-1'],
    ['https://0A1B.yl4.cn-north-1.eks.amazonaws.com.cn', 'cn-north-1'],
    ['https://0A1B.eks-cluster.us-gov-west-1.api.aws', 'us-gov-west-1'],
    ['https://eks.amazonaws.com.example', undefined],
  ])('reads of %s the region %s', (endpoint, region) => {
    const parsed = parseClusterSecret(
      aSecret({ awsAuthConfig: { clusterName: 'cdk1' } }, { server: endpoint }),
    );
    expect(parsed).toMatchObject({ is: 'Connection' });
    expect(parsed.is === 'Connection' && parsed.connection.login).toEqual({
      by: 'EKS',
      clusterName: 'cdk1',
      ...(region === undefined ? {} : { region }),
    });
  });

  it.each([
    ['https://127.0.0.1:6443/', 'https://127.0.0.1:6443'],
    ['https://[::1]:6443', 'https://[::1]:6443'],
    ['https://rancher.example/k8s/clusters/c-1', 'https://rancher.example/k8s/clusters/c-1'],
  ])('finds a cluster at %s', (given, address) => {
    expect(parseClusterSecret(aSecret(token, { server: given }))).toMatchObject({
      connection: { server: address },
    });
  });

  it.each([
    ['its CA', { caData: certificate }, { caData: certificate, insecure: false }],
    ['another name', { serverName: 'api' }, { serverName: 'api', insecure: false }],
    ['no certificate at all', { insecure: true }, { insecure: true }],
  ])('trusts a cluster by %s', (_, tlsClientConfig, tls) => {
    expect(parseClusterSecret(aSecret({ ...token, tlsClientConfig }))).toMatchObject({ connection: { tls } });
  });

  it('does with what else Argo CD writes, and takes the address for a name that is missing', () => {
    const secret = aSecret(
      { ...token, disableCompression: true },
      { namespaces: 'a, b', clusterResources: 'true', project: 'shop', shard: '1', name: '' },
    );
    expect(parseClusterSecret(secret)).toMatchObject({
      connection: { name: server, namespaces: ['a', 'b'] },
    });
  });

  const eks = (fields: object) => ({ awsAuthConfig: { clusterName: 'cdk1', ...fields } });
  it.each([
    ['no config', aSecret(''), 'config names no way to log in.'],
    [
      'TLS alone for a cluster elsewhere',
      aSecret({ tlsClientConfig: { insecure: false } }, { server: 'https://kubernetes.default.svc.evil' }),
      'config names no way to log in.',
    ],
    [
      'half a certificate beside a token',
      aSecret({ ...token, tlsClientConfig: { certData: certificate } }),
      'config.tlsClientConfig must have both certData and keyData',
    ],
    ['text', aSecret('super-secret'), 'config must be JSON.'],
    ['a list', aSecret(['super-secret']), 'config must be a JSON object, got a list.'],
    ['nothing', aSecret('null'), 'config must be a JSON object, got nothing.'],
    [
      'two ways',
      aSecret({ ...token, ...eks({}) }),
      'config must name one way to log in, got bearerToken and awsAuthConfig. Keep one of them.',
    ],
    ['a number', aSecret({ bearerToken: 7 }), 'config.bearerToken must be a string, got a number.'],
    [
      'two lines',
      aSecret({ bearerToken: 'super\nsecret' }),
      'config.bearerToken must be a token in one line',
    ],
    ['a name alone', aSecret({ username: 'super-secret' }), 'config must have both username and password'],
    [
      'a token of Okra for whoever answers',
      aSecret({ ...eks({}), tlsClientConfig: { insecure: true } }),
      'config.tlsClientConfig.insecure must be unset with awsAuthConfig, because the token could be stolen. Set caData instead.',
    ],
    [
      'the token of a command for whoever answers',
      aSecret({ execProviderConfig: { command: 'aws' }, tlsClientConfig: { insecure: true } }),
      'config.tlsClientConfig.insecure must be unset with execProviderConfig',
    ],
    [
      'a token of Okra for whoever has a name',
      aSecret({ ...eks({}), tlsClientConfig: { serverName: 'super-secret' } }),
      'config.tlsClientConfig.caData must be set with serverName and awsAuthConfig',
    ],
    [
      'an external id without a role',
      aSecret(eks({ externalID: 'super-secret' })),
      'config.awsAuthConfig.externalID must be an external ID, and needs roleARN.',
    ],
    [
      'a key alone',
      aSecret({ tlsClientConfig: { keyData: key } }),
      'config.tlsClientConfig must have both certData and keyData',
    ],
    [
      'a key that is none',
      aSecret({ tlsClientConfig: { certData: certificate, keyData: encodeBase64('super-secret') } }),
      'config.tlsClientConfig.keyData must be a PEM private key in base64',
    ],
    [
      'a CA that is none',
      aSecret({ ...token, tlsClientConfig: { caData: 'super-secret' } }),
      'config.tlsClientConfig.caData must be a PEM certificate in base64',
    ],
    [
      'a CA and none',
      aSecret({ ...token, tlsClientConfig: { caData: certificate, insecure: true } }),
      'config.tlsClientConfig must not have both caData and insecure.',
    ],
    [
      'an odd choice',
      aSecret({ ...token, tlsClientConfig: { insecure: 'super-secret' } }),
      'config.tlsClientConfig.insecure must be true or false.',
    ],
    ['odd TLS', aSecret({ ...token, tlsClientConfig: 7 }), 'config.tlsClientConfig must be an object'],
    ['no cluster', aSecret({ awsAuthConfig: {} }), 'config.awsAuthConfig.clusterName must be set.'],
    [
      'an odd cluster',
      aSecret(eks({ clusterName: 'a super-secret' })),
      'config.awsAuthConfig.clusterName must be the name of an EKS cluster',
    ],
    [
      'an odd role',
      aSecret(eks({ roleARN: 'super-secret' })),
      'config.awsAuthConfig.roleARN must be the ARN of an IAM role',
    ],
    [
      'an odd region',
      aSecret(eks({ region: 'super-secret' })),
      'config.awsAuthConfig.region must be a region',
    ],
    ['a profile', aSecret(eks({ profile: 'super-secret' })), 'config.awsAuthConfig.profile must be unset'],
    ['no command', aSecret({ execProviderConfig: {} }), 'config.execProviderConfig.command must be set'],
    [
      'odd arguments',
      aSecret({ execProviderConfig: { command: 'aws', args: ['super-secret', 7] } }),
      'config.execProviderConfig.args must be a list of strings',
    ],
    ['a proxy', aSecret({ ...token, proxyUrl: 'super-secret' }), 'config.proxyUrl must be unset'],
    ['no server', aSecret(token, { server: '' }), 'data.server must be an https URL'],
    ['no https', aSecret(token, { server: 'http://super-secret' }), 'data.server must be an https URL'],
    ['no host', aSecret(token, { server: 'https://' }), 'data.server must be an https URL'],
    [
      'a question in the address',
      aSecret(token, { server: 'https://host/?super-secret' }),
      'data.server must be only an address',
    ],
    [
      'a password in the address',
      aSecret(token, { server: 'https://me:super-secret@host' }),
      'data.server must be only an address',
    ],
    [
      'no base64',
      { ...aSecret(token), data: { config: 'super-secret!' } },
      'data.server must be an https URL',
    ],
    [
      'a config without base64',
      { ...aSecret(token), data: { ...aSecret(token).data, config: 'super-secret!' } },
      'data.config must be text in base64',
    ],
    ['no data', { metadata: aSecret(token).metadata }, 'data.server must be an https URL'],
    [
      'another kind of secret',
      { ...aSecret(token), metadata: { name: 'cdk1', namespace: 'shop', labels: {} } },
      'the label argocd.argoproj.io/secret-type must be cluster, got none.',
    ],
  ])('refuses %s, and shows no value of it', (_, secret, want) => {
    const parsed = parseClusterSecret(secret);
    expect(parsed).toEqual({
      is: 'Problem',
      problem: expect.stringContaining(`Invalid Secret shop/cdk1: ${want}`),
    });
    expect(parsed.is === 'Problem' && parsed.problem).not.toMatch(/super|c3VwZXI/);
  });
});

describe('the secret of a cluster that Argo CD on EKS knows', () => {
  const arn = 'arn:aws:eks:us-west-2:111122223333:cluster/green';
  const login = { by: 'EKS', clusterName: 'green', region: 'us-west-2' };
  const parsed = (config: string) => parseClusterSecret(aSecret(config, { server: arn }));

  it('names it by its ARN, and needs no config', () => {
    const { config: _none, ...data } = aSecret({}, { server: arn }).data;
    expect(parseClusterSecret({ ...aSecret({}), data })).toMatchObject({
      is: 'Connection',
      connection: { server: arn, login, tls: { insecure: false } },
    });
  });

  it('may name the role that Okra takes', () => {
    const of = { roleARN: 'arn:aws:iam::111122223333:role/okra', externalID: 'shop' };
    expect(configByARN({ name: 'green' })).toBe('');
    expect(parsed(configByARN({ name: 'green', ...of }))).toMatchObject({
      connection: { login: { ...login, ...of } },
    });
  });

  it.each([
    [{ awsAuthConfig: { clusterName: 'blue' } }, 'config.awsAuthConfig must name the cluster and region'],
    [{ awsAuthConfig: { clusterName: 'green', region: 'us-east-1' } }, 'must name the cluster and region'],
    [token, 'config must name one way to log in'],
    [{ tlsClientConfig: { insecure: true } }, 'insecure must be unset'],
  ])('has no other login: %j', (config, want) =>
    expect(parsed(JSON.stringify(config))).toEqual({
      is: 'Problem',
      problem: expect.stringContaining(want),
    }),
  );
});

describe('clusterSecretValues', () => {
  it('writes what Argo CD reads (A-S01)', () => {
    const data = encode(clusterSecretValues({ name: 'cdk1', endpoint: server, caData: certificate }));
    expect(decodeBase64(data['name'] ?? '')).toBe('cdk1');
    expect(decodeBase64(data['server'] ?? '')).toBe(server);
    expect(JSON.parse(decodeBase64(data['config'] ?? '') ?? '')).toEqual({
      awsAuthConfig: { clusterName: 'cdk1' },
      tlsClientConfig: { insecure: false, caData: certificate },
    });
  });

  it('writes what parseClusterSecret reads, in another region by another role', () => {
    const of = { region: 'eu-west-1', roleARN: 'arn:aws:iam::123456789012:role/okra' };
    const data = encode(clusterSecretValues({ name: 'cdk1', endpoint: server, caData: certificate, ...of }));
    expect(parseClusterSecret({ ...aSecret({}), data })).toEqual({
      is: 'Connection',
      connection: {
        name: 'cdk1',
        server,
        namespaces: [],
        tls: { insecure: false, caData: certificate },
        login: { by: 'EKS', clusterName: 'cdk1', ...of },
      },
    });
  });
});

describe('what is too long or too much in a secret', () => {
  const long = 'x'.repeat(600_000);
  const data = (more: Readonly<Record<string, string>>) => aSecret(token, more);
  it.each([
    ['a name', data({ name: 'x'.repeat(254) }), 'data.name must have at most 253 characters, got 254'],
    [
      'a name without an end',
      data({ name: long }),
      'data.name must have at most 253 characters. Shorten it.',
    ],
    [
      'an address',
      data({ server: `https://a/${'a'.repeat(2_048)}` }),
      'data.server must have at most 2048 characters, got 2058',
    ],
    [
      'slashes after an address',
      data({ server: `https://a${'/'.repeat(160_000)}x` }),
      'data.server must have at most 2048 characters. Shorten it.',
    ],
    ['a config', aSecret(long), 'data.config must have at most 512000 characters, got 600000'],
    [
      'namespaces',
      data({ namespaces: Array.from({ length: 101 }, (_, i) => `n${i}`).join(',') }),
      'data.namespaces must list at most 100 namespaces, got 101',
    ],
    [
      'what is no namespace',
      data({ namespaces: 'a,../b' }),
      'data.namespaces must be a comma-separated list of namespaces',
    ],
    [
      'a token',
      aSecret({ bearerToken: 'x'.repeat(64_001) }),
      'config.bearerToken must have at most 64000 characters',
    ],
    [
      'certificates',
      aSecret({ ...token, tlsClientConfig: { caData: 'x'.repeat(256_001) } }),
      'config.tlsClientConfig.caData must have at most 256000 characters',
    ],
    [
      'the name in a certificate',
      aSecret({ ...token, tlsClientConfig: { serverName: 'a b' } }),
      'config.tlsClientConfig.serverName must be a host name',
    ],
    [
      'arguments',
      aSecret({ execProviderConfig: { command: 'aws', args: Array(101).fill('a') } }),
      'config.execProviderConfig.args must have at most 100 entries, got 101',
    ],
    [
      'an argument',
      aSecret({ execProviderConfig: { command: 'aws', args: ['a'.repeat(4_097)] } }),
      'config.execProviderConfig.args must have at most 4096 characters, got 4097',
    ],
  ])('is refused: %s', (_, secret, want) => {
    const began = performance.now();
    const parsed = parseClusterSecret(secret);
    // Quadratic, it would take minutes.
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(parsed).toEqual({
      is: 'Problem',
      problem: expect.stringContaining(`Invalid Secret shop/cdk1: ${want}`),
    });
  });

  it('is not what many clusters have', () => {
    const namespaces = Array.from({ length: 100 }, (_, i) => `n${i}`);
    const parsed = parseClusterSecret(
      aSecret(token, { namespaces: [...namespaces, 'n1'].slice(1).join(' , ') }),
    );
    expect(parsed).toMatchObject({ is: 'Connection', connection: { namespaces: namespaces.slice(1) } });
  });
});
