import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { CreateClusterCommand } from '@aws-sdk/client-eks';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { connectEKS } from '../../clients/aws/eks.ts';
import { eksEndpoints } from '../../clients/aws/eks-endpoints.ts';
import { eksTokens } from '../../clients/aws/eks-token.ts';
import { CONFIG_MAP, NAMESPACE, SECRET } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes, sendAsOkra, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import {
  openRemoteClusters,
  type Reach,
  type RemoteOptions,
  type StoredClusterSecret,
} from '../../clients/kubernetes/remote-clusters.ts';
import { awsIdentity } from '../../local/components/aws.ts';
import { changeCluster, connectEmulatedEKS } from '../../local/eks-fixture.ts';
import {
  startWorkloadCluster,
  writeCertificates,
  type WorkloadCluster,
} from '../../local/workload-cluster.ts';
import { clusterSecretValues } from '../../domain/discovery/clusters/cluster-secret.ts';
import { SECRET_TYPE_LABEL } from '../../domain/kubernetes/labels.ts';

const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');

const stack = inject('stack');
const { endpoint } = stack.aws;
const { region, accountId, environment } = awsIdentity;
const name = 'remote-access';
const password = 'super-secret-password';

const credentials = () =>
  Promise.resolve({
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
  });
const aws = { endpoint, stsEndpoint: endpoint, credentials };

let cluster: WorkloadCluster;
let pki = '';
const secrets: string[] = [password];

beforeAll(async () => {
  pki = await mkdtemp(join(tmpdir(), 'okra-pki-'));
  const [started] = await Promise.all([
    startWorkloadCluster(stack, { name, tags: { Service: 'remote-access' } }),
    writeCertificates(stack.binaries['moto'] ?? '', pki),
  ]);
  cluster = started;
  secrets.push(cluster.kubernetes.token, cluster.client.key, cluster.client.certificate);
}, 480_000);

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await rm(pki, { recursive: true });
});

let versions = 0;

/** A cluster secret with this config, by default for the workload cluster, trusting its CA. */
function aSecret(config: object, server = cluster.kubernetes.url): StoredClusterSecret {
  versions += 1;
  const tlsClientConfig = { caData: cluster.caData, ...Reflect.get(config, 'tlsClientConfig') };
  const whole = { ...config, tlsClientConfig };
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${versions}`,
      resourceVersion: String(versions),
      labels: { [SECRET_TYPE_LABEL]: 'cluster' },
    },
    data: {
      name: encodeBase64(name),
      server: encodeBase64(server),
      config: encodeBase64(JSON.stringify(whole)),
    },
  };
}

const clustersWith = (more: Partial<RemoteOptions> = {}) =>
  openRemoteClusters({
    tokens: eksTokens(aws),
    own: () => sendAsOkra(stack.kubeconfig),
    endpoints: eksEndpoints(connectEKS(aws)),
    access: () => Promise.resolve(undefined),
    region,
    execCommands: [],
    execServers: [],
    ...more,
  });

const reach = (config: object, more: Partial<RemoteOptions> = {}, server?: string): KubernetesClient =>
  clientOf(clustersWith(more).reach(aSecret(config, server)));

function clientOf(found: Reach): KubernetesClient {
  if (found.is === 'Client') return found.client;
  throw new Error(found.problem);
}

const namesIn = async (client: KubernetesClient): Promise<string[]> =>
  (await client.list<{ metadata: { name: string } }>(NAMESPACE)).map(({ metadata }) => metadata.name);

/** Why a cluster cannot be read; nothing of it may tell a secret. */
async function failureOf(client: KubernetesClient): Promise<{ reason: string; message: string }> {
  const failure: unknown = await client.list(NAMESPACE).then(
    () => new Error('Expected a failure, got an answer.'),
    (error: unknown) => error,
  );
  const told = inspect(failure, { depth: 10 });
  for (const secret of secrets) expect(told).not.toContain(secret);
  expect(told).not.toMatch(/k8s-aws-v1\.|PRIVATE KEY|Basic |Bearer [A-Za-z0-9]/);
  expect(failure).toMatchObject({ name: 'KubernetesError' });
  return failure as { reason: string; message: string };
}

const eks = (more: object = {}) => ({ awsAuthConfig: { clusterName: name, ...more } });
const bearer = () => ({ bearerToken: cluster.kubernetes.token });

describe('a workload cluster is reached', () => {
  it('by a bearer token', async () => {
    expect(await namesIn(reach(bearer()))).toContain('default');
  });

  it('by a client certificate', async () => {
    const { certificate, key } = cluster.client;
    const client = reach({ tlsClientConfig: { certData: certificate, keyData: key } });
    expect(await namesIn(client)).toContain('default');
  });

  it('by an EKS token, which its authenticator checks', async () => {
    const before = cluster.authenticator.verdicts.length;
    expect(await namesIn(reach(eks()))).toContain('default');
    expect(cluster.authenticator.verdicts.slice(before)).toEqual([
      { is: 'Accepted', arn: `arn:aws:iam::${accountId}:user/test` },
    ]);
  });

  it('by an EKS token, with a client certificate beside it', async () => {
    const { certificate, key } = cluster.client;
    const tlsClientConfig = { certData: certificate, keyData: key };
    expect(await namesIn(reach({ ...eks(), tlsClientConfig }))).toContain('default');
  });

  it('as Okra itself, when it is the one that Okra is in', async () => {
    const client = reach({ tlsClientConfig: { insecure: false } }, {}, 'https://kubernetes.default.svc');
    expect(await namesIn(client)).toContain('default');
  });

  it('by an EKS token that an assumed role has signed', async () => {
    const client = reach(eks({ roleARN: `arn:aws:iam::${accountId}:role/deployer` }));
    expect(await namesIn(client)).toContain('default');
    expect(cluster.authenticator.verdicts.at(-1)).toEqual({
      is: 'Accepted',
      arn: `arn:aws:sts::${accountId}:assumed-role/deployer/okra`,
    });
  });

  it('by the token of a command that is allow-listed', async () => {
    const program = `console.log(JSON.stringify({ status: { token: '${cluster.kubernetes.token}' } }))`;
    const config = { execProviderConfig: { command: process.execPath, args: ['-e', program] } };
    const allowed = { execCommands: [`${process.execPath} -e *`], execServers: ['127.0.0.1:*'] };
    expect(await namesIn(reach(config, allowed))).toContain('default');
  });

  it('without a look at its certificate, when that is asked for', async () => {
    const tlsClientConfig = { insecure: true, caData: '' };
    expect(await namesIn(reach({ ...bearer(), tlsClientConfig }))).toContain('default');
  });

  it('to be watched', async () => {
    const client = reach(bearer());
    const { resourceVersion } = await client.snapshot(CONFIG_MAP, { namespace: 'default' });
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'seen', namespace: 'default' } };
    await client.create(object);
    const signal = AbortSignal.timeout(60_000);
    for await (const event of client.watch(CONFIG_MAP, { namespace: 'default', resourceVersion, signal })) {
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'seen' } } });
      break;
    }
  });

  it('by the secret that is made of what EKS says (A-S01)', async () => {
    const found = (await connectEKS(aws)({ region }).clusters()).clusters.find(
      (entry) => entry.name === name,
    );
    expect(found).toMatchObject({
      arn: `arn:aws:eks:${region}:${accountId}:cluster/${name}`,
      status: 'ACTIVE',
      endpoint: cluster.kubernetes.url,
      caData: cluster.caData,
      tags: { Service: 'remote-access' },
    });
    const { endpoint: server = '', caData = '' } = found ?? {};
    const management = connectKubernetes(stack.kubeconfig);
    const metadata = { name, namespace: 'default', labels: { [SECRET_TYPE_LABEL]: 'cluster' } };
    await management.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      data: Object.fromEntries(
        Object.entries(clusterSecretValues({ name, endpoint: server, caData, region })).map(
          ([key, value]) => [key, encodeBase64(value)],
        ),
      ),
    });
    onTestFinished(() => management.delete(SECRET, metadata));
    const stored = await management.get<StoredClusterSecret>(SECRET, metadata);
    const client = clientOf(clustersWith({ region: undefined }).reach(stored!));
    expect(await namesIn(client)).toContain('default');
  });
});

describe('a workload cluster refuses', () => {
  it('a token for another cluster', async () => {
    const tokens = eksTokens(aws);
    const another: typeof tokens = (scope) => tokens({ ...scope, clusterName: 'another' });
    const failure = await failureOf(reach(eks(), { tokens: another }));
    expect(failure).toMatchObject({ status: 401, reason: 'Unauthorized' });
    expect(failure.message).toContain(
      'the EKS token was not accepted: 401 Unauthorized. Check awsAuthConfig',
    );
    expect(cluster.authenticator.verdicts.at(-1)).toEqual({
      is: 'Refused',
      reason: 'the signature is wrong, or for another cluster',
    });
  });

  it('a token that has expired', async () => {
    const tokens = eksTokens({ ...aws, now: () => Date.now() - 15 * 60_000 });
    expect(await failureOf(reach(eks(), { tokens }))).toMatchObject({ reason: 'Unauthorized' });
    expect(cluster.authenticator.verdicts.at(-1)).toEqual({ is: 'Refused', reason: 'the token has expired' });
  });

  it('what another key has signed', async () => {
    const other = { accessKeyId: environment.AWS_ACCESS_KEY_ID, secretAccessKey: 'super-secret-key' };
    secrets.push('super-secret-key');
    const tokens = eksTokens({ credentials: () => Promise.resolve(other) });
    expect(await failureOf(reach(eks(), { tokens }))).toMatchObject({ reason: 'Unauthorized' });
  });

  it.each([
    [
      'another bearer token',
      { bearerToken: 'super-secret-token' },
      '401 Unauthorized\\. Renew bearerToken in the secret\\.',
    ],
    [
      'a password',
      { username: 'admin', password },
      '403 Forbidden as system:anonymous\\. Kubernetes takes no passwords since 1\\.19',
    ],
  ])('%s, in a sentence', async (_, config, want) => {
    secrets.push('super-secret-token');
    expect((await failureOf(reach(config))).message).toMatch(
      new RegExp(`^Cluster ${name} at https://.*: .* was not accepted: ${want}`),
    );
  });

  it('a certificate of another CA', async () => {
    const certData = await readFile(join(pki, 'client.crt'), 'base64');
    const keyData = await readFile(join(pki, 'client.key'), 'base64');
    secrets.push(keyData);
    const failure = await failureOf(reach({ tlsClientConfig: { certData, keyData } }));
    expect(failure.message).toContain('Check that certData has not expired');
  });
});

describe('a cluster is not trusted', () => {
  it.each([
    ['with another CA', bearer, async () => await readFile(join(pki, 'ca.crt'), 'base64')],
    ['without a CA', eks, () => Promise.resolve('')],
  ])('%s, and the sentence says why', async (_, login, caData) => {
    const before = cluster.authenticator.verdicts.length;
    const failure = await failureOf(reach({ ...login(), tlsClientConfig: { caData: await caData() } }));
    expect(failure).toMatchObject({ status: 0, reason: 'Unreachable' });
    expect(failure.message).toMatch(/did not answer .*certificate.*\.$/);
    expect(cluster.authenticator.verdicts).toHaveLength(before);
  });
});

/** A server of these certificates that takes one password. */
async function aServerWithPassword(): Promise<{ readonly url: string; readonly caData: string }> {
  const [key, cert] = await Promise.all(
    ['server.key', 'server.crt'].map((file) => readFile(join(pki, file))),
  );
  const expected = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  const server = createHttpsServer({ key: key!, cert: cert! }, (request, response) => {
    const welcome = request.headers.authorization === expected;
    const list = { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'by-password' } }] };
    response.writeHead(welcome ? 200 : 401).end(welcome ? JSON.stringify(list) : '');
  });
  return { url: `https://${await listen(server)}`, caData: await readFile(join(pki, 'ca.crt'), 'base64') };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("Okra's identity is shown to no stranger", () => {
  /** A server that keeps what it is shown; its author has a certificate that the secret trusts. */
  async function aStranger() {
    const [key, cert] = await Promise.all(
      ['server.key', 'server.crt'].map((file) => readFile(join(pki, file))),
    );
    const shown: string[] = [];
    const server = createHttpsServer({ key: key!, cert: cert! }, (request, response) => {
      shown.push(request.headers.authorization ?? '');
      response.writeHead(401).end();
    });
    return {
      shown,
      url: `https://${await listen(server)}`,
      caData: await readFile(join(pki, 'ca.crt'), 'base64'),
    };
  }
  const program = "console.log(JSON.stringify({ status: { token: 'super-secret-token' } }))";
  const command = () => ({ execProviderConfig: { command: process.execPath, args: ['-e', program] } });

  it.each([
    ['an EKS token of Okra itself', eks, {}],
    ['an EKS token of a role', () => eks({ roleARN: `arn:aws:iam::${accountId}:role/deployer` }), {}],
    [
      'the token of a command',
      command,
      { execCommands: [`${process.execPath} -e *`], execServers: ['*.example'] },
    ],
  ])('%s', async (_, login, more) => {
    const { shown, url, caData } = await aStranger();
    const found = clustersWith(more).reach(aSecret({ ...login(), tlsClientConfig: { caData } }, url));
    const said = found.is === 'Problem' ? found.problem : (await failureOf(found.client)).message;
    expect(said).toMatch(
      /data\.server (must be the endpoint that EKS reports .* No token was sent|\S+: must be one of OKRA_EXEC_SERVERS)/,
    );
    expect(shown).toEqual([]);
  });

  it('an EKS token, where the CA of someone else would be trusted at the endpoint', async () => {
    const caData = await readFile(join(pki, 'ca.crt'), 'base64');
    const failure = await failureOf(reach({ ...eks(), tlsClientConfig: { caData } }));
    expect(failure).toMatchObject({
      reason: 'ForeignEndpoint',
      message: expect.stringContaining('tlsClientConfig.caData must be exactly the CA that EKS reports'),
    });
  });

  it('an EKS token, for a cluster that EKS does not know', async () => {
    expect(await failureOf(reach({ awsAuthConfig: { clusterName: 'another' } }))).toMatchObject({
      reason: 'ForeignEndpoint',
      message: expect.stringContaining("in the account of Okra's own identity. No token was sent"),
    });
  });
});

describe('a server that takes passwords', () => {
  const login = { username: 'admin', password };

  it.each([
    ['by its address', {}],
    ['by another name of its certificate', { serverName: 'localhost' }],
  ])('is reached with one, %s', async (_, more) => {
    const { url, caData } = await aServerWithPassword();
    const client = reach({ ...login, tlsClientConfig: { caData, ...more } }, {}, url);
    expect(await namesIn(client)).toEqual(['by-password']);
  });

  it('is not trusted under a name that its certificate does not bear', async () => {
    const { url, caData } = await aServerWithPassword();
    const tlsClientConfig = { caData, serverName: 'other.example' };
    const failure = await failureOf(reach({ ...login, tlsClientConfig }, {}, url));
    expect(failure.message).toContain("does not match certificate's altnames");
  });
});

describe('a cluster in trouble', () => {
  it('that hangs is given up, while another answers', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
    });
    const clusters = clustersWith({ timeoutMilliseconds: 3_000 });
    const hanging = clientOf(clusters.reach(aSecret(bearer(), `https://${await listen(server)}`)));
    const answering = clientOf(clusters.reach(aSecret(bearer())));
    const began = performance.now();
    const gaveUp = failureOf(hanging).then((failure) => ({ failure, after: performance.now() - began }));
    await namesIn(answering);
    const answered = performance.now() - began;
    const { failure, after } = await gaveUp;
    expect(failure).toMatchObject({ status: 0, reason: 'Timeout' });
    expect(after).toBeGreaterThan(answered);
    expect(after).toBeLessThan(10_000);
  });

  it('that is gone is said to be, and is found again by the same client', async () => {
    const client = reach(bearer());
    await namesIn(client);
    await cluster.kill('SIGKILL');
    expect((await failureOf(client)).reason).toBe('Unreachable');
    await cluster.start();
    expect(await namesIn(client)).toContain('default');
  });
});

describe('the clusters of EKS', () => {
  const elsewhere = 'eu-west-3';

  it('are found in the region that is asked for', async () => {
    const client = connectEmulatedEKS(stack.aws, elsewhere);
    const names = ['there-1', 'there-2'];
    const roleArn = `arn:aws:iam::${accountId}:role/eks`;
    await Promise.all(
      names.map((there) =>
        client.send(new CreateClusterCommand({ name: there, roleArn, resourcesVpcConfig: {} })),
      ),
    );
    const { clusters: found } = await connectEKS(aws)({ region: elsewhere }).clusters();
    expect(found.map((entry) => entry.name).toSorted()).toEqual(names.toSorted());
    expect(found.every((entry) => entry.region === elsewhere)).toBe(true);
  });

  it('are those of the account of the role', async () => {
    const roleARN = 'arn:aws:iam::210987654321:role/reader';
    expect(await connectEKS(aws)({ region, roleARN, externalID: 'shop' }).clusters()).toEqual({
      clusters: [],
      denied: [],
    });
  });

  it('are told with the status of the moment', async () => {
    const statusOf = async () =>
      (await connectEKS(aws)({ region }).clusters()).clusters.find((entry) => entry.name === name)?.status;
    await changeCluster(stack.aws, name, { status: 'UPDATING' });
    expect(await statusOf()).toBe('UPDATING');
    await changeCluster(stack.aws, name, { status: 'ACTIVE' });
    expect(await statusOf()).toBe('ACTIVE');
  });
});
