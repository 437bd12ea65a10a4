import { describe, expect, it } from 'vitest';
import type { ClusterConnection, ClusterLogin } from '../../domain/discovery/clusters/cluster-secret.ts';
import { accessOf, type Access } from '../../domain/access/access.ts';
import type { AccessPolicySpec } from '../../crds/access-policy.ts';
import { findTokenSource, type ClusterTokenOptions } from './cluster-tokens.ts';
import type { EKSEndpoint } from '../../domain/discovery/clusters/eks-endpoint.ts';
import { eksEndpoints } from '../aws/eks-endpoints.ts';
import type { EKSCluster } from '../aws/eks.ts';
import type { EKSTokenScope } from '../aws/eks-token.ts';
import { limitConcurrency } from '../concurrency.ts';

const prod = 'https://0A1B.gr7.eu-central-1.eks.amazonaws.com';
const evil = 'https://evil.example';
const role = 'arn:aws:iam::111122223333:role/team-a';
const cluster = { arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod', endpoint: prod };

const eks = (more: object = {}): ClusterLogin => ({ by: 'EKS', clusterName: 'prod', ...more });
const at = (server: string, login: ClusterLogin = eks()): ClusterConnection => ({
  name: 'prod',
  server,
  namespaces: [],
  tls: { insecure: false },
  login,
});

const accessBy = (spec: Omit<AccessPolicySpec, 'namespaces'>): Access | undefined =>
  accessOf('shop', [{ metadata: { name: 'shop' }, spec: { namespaces: ['shop'], ...spec } }]);

/** Keeps what this says of clusters. */
const keptEndpoints = (
  asked: (scope: EKSTokenScope) => Promise<EKSEndpoint | undefined>,
  now: () => number,
) =>
  eksEndpoints(
    (scope) => ({
      named: async ([clusterName = '']) => {
        const found = await asked({ ...scope, clusterName });
        return { clusters: found === undefined ? [] : [found as EKSCluster], denied: [] };
      },
    }),
    now,
  );

const theOptions: ClusterTokenOptions = {
  tokens: () => Promise.resolve('k8s-aws-v1.x'),
  endpoints: () => Promise.resolve(cluster),
  access: () => Promise.resolve(undefined),
  region: 'eu-central-1',
  execCommands: [],
  execServers: [],
  // A command that prints a token takes seconds to start on a machine that is busy.
  timeoutMilliseconds: 60_000,
};

/** Asks for the token that a cluster would be shown; and says what was asked of AWS for it. */
async function shown(connection: ClusterConnection, more: Partial<ClusterTokenOptions> = {}) {
  const asked: string[] = [];
  const source = findTokenSource(connection, 'shop', {
    ...theOptions,
    tokens: ({ clusterName }) => {
      asked.push(`token for ${clusterName}`);
      return Promise.resolve('k8s-aws-v1.x');
    },
    endpoints: ({ roleARN = 'Okra' }) => {
      asked.push(`endpoint as ${roleARN}`);
      return Promise.resolve(cluster);
    },
    ...more,
  });
  if (source.is === 'Problem') return { asked, problem: source.problem };
  try {
    return { asked, token: await source.token?.() };
  } catch (error) {
    return { asked, error };
  }
}

describe('the token of an EKS cluster', () => {
  it('is shown to the endpoint that EKS gives for it', async () => {
    expect(await shown(at(prod))).toMatchObject({ token: 'k8s-aws-v1.x' });
  });

  describe('that its secret names by ARN', () => {
    const connection = at(cluster.arn);
    const found = { ...cluster, caData: 'Q0E=' };
    const find = async (more: Partial<ClusterTokenOptions>, isLost = false) => {
      const asked: unknown[] = [];
      const options = {
        endpoints: (_: unknown, since?: number) => (asked.push(since), Promise.resolve(found)),
      };
      const source = findTokenSource(connection, 'shop', { ...theOptions, ...options, ...more });
      if (source.is === 'Problem') throw new Error(source.problem);
      return {
        asked,
        ...(await source.find?.(isLost).catch((error: unknown) => ({ error }))),
        token: await source.token?.().catch(() => undefined),
      };
    };

    it('goes to the endpoint that EKS gives, with the CA of EKS', async () => {
      const got = await find({});
      expect(got).toMatchObject({ server: prod, tls: { insecure: false, caData: 'Q0E=' } });
      expect(got.token).toBe('k8s-aws-v1.x');
    });

    it('asks EKS again once nothing is there any more', async () => {
      expect((await find({}, false)).asked).toEqual([undefined, undefined]);
      expect((await find({ now: () => 60_000 }, true)).asked).toEqual([50_000, undefined]);
    });

    it.each([
      [
        'a cluster of that name in another account',
        { ...found, arn: found.arn.replace('1111', '4444') },
        'another account',
      ],
      ['a cluster without an endpoint yet', { arn: found.arn }, 'EKS reports no endpoint'],
      ['no such cluster', undefined, 'cluster prod not found'],
    ])('is not made when EKS has %s', async (_, answer, want) => {
      const got = await find({ endpoints: () => Promise.resolve(answer) });
      expect(got).toMatchObject({ error: { message: expect.stringContaining(want) }, token: undefined });
    });

    it('is not made, and EKS is not asked, for who may not use the cluster', async () => {
      const access = () => Promise.resolve(accessBy({ clusters: [`${cluster.arn}-2`] }));
      const got = await find({ access });
      expect(got).toMatchObject({ error: { reason: 'NotAllowed' }, asked: [], token: undefined });
    });
  });

  it('is not even made for anybody else', async () => {
    expect(await shown(at(evil))).toEqual({
      asked: ['endpoint as Okra', 'endpoint as Okra'],
      error: expect.objectContaining({ reason: 'ForeignEndpoint' }),
    });
  });

  it('is not made while EKS does not say where the cluster is, and no sentence tells who Okra is', async () => {
    const message = 'User: arn:aws:sts::999988887777:assumed-role/okra/x is not authorized';
    const denied = Object.assign(new Error(message), { name: 'AccessDeniedException' });
    const { error } = await shown(at(prod), { endpoints: () => Promise.reject(denied) });
    expect(error).toMatchObject({
      reason: 'LoginFailed',
      message: expect.stringContaining("allow eks:DescribeCluster to Okra's own identity"),
    });
    expect(error).not.toMatchObject({ message: expect.stringContaining('999988887777') });
  });

  it('is shown to a cluster that was made again under the same name', async () => {
    const endpoints = keptEndpoints(
      (
        (answers) => () =>
          Promise.resolve(answers.length > 1 ? answers.shift() : answers[0])
      )([{ ...cluster, endpoint: 'https://old.example' }, cluster]),
      () => 0,
    );
    await endpoints({ region: 'eu-central-1', clusterName: 'prod' });
    expect(await shown(at(prod), { endpoints, now: () => 20_000 })).toMatchObject({ token: 'k8s-aws-v1.x' });
  });

  const external = eks({ roleARN: role, externalID: 'shop' });
  const clusters = [cluster.arn];
  it.each([
    ['another cluster', eks(), { clusters: ['arn:aws:eks:*:cluster/other'] }, []],
    ['no cluster at all', eks(), {}, []],
    [
      'the cluster of another account',
      eks(),
      { clusters: ['arn:aws:eks:*:999988887777:cluster/prod'] },
      ['endpoint as Okra'],
    ],
    ['another role', eks({ roleARN: role }), { clusters, roles: [{ arn: `${role}-x` }] }, []],
    ['the role without an external id', external, { clusters, roles: [{ arn: role }] }, []],
    ['another external id', external, { clusters, roles: [{ arn: role, externalIDs: ['bank'] }] }, []],
    [
      'the role with an external id alone',
      eks({ roleARN: role }),
      { clusters, roles: [{ arn: role, externalIDs: ['shop'] }] },
      [],
    ],
  ])('is not made where the namespace may use %s', async (_, login, spec, asked) => {
    const access = () => Promise.resolve(accessBy(spec));
    expect(await shown(at(prod, login), { access })).toEqual({
      asked,
      error: expect.objectContaining({ reason: 'NotAllowed' }),
    });
  });

  it('is made where the namespace may use the cluster and the role', async () => {
    const access = () =>
      Promise.resolve(accessBy({ clusters, roles: [{ arn: role, externalIDs: ['sh*'] }] }));
    expect(await shown(at(prod, external), { access })).toMatchObject({ token: 'k8s-aws-v1.x' });
  });
});

describe('the token of a command', () => {
  const program = "console.log(JSON.stringify({ status: { token: 'printed' } }))";
  const login: ClusterLogin = {
    by: 'Command',
    command: process.execPath,
    args: ['-e', program],
    environment: {},
    apiVersion: 'v1',
  };
  const execCommands = [`${process.execPath} -e *`];

  it.each([
    ['to no host, unless it is listed', [], undefined],
    ['to no other host', ['*.azmk8s.io', 'evil.example.com'], undefined],
    ['to a host that is listed', ['*.example'], 'printed'],
  ])('goes %s', async (_, execServers, token) => {
    const { token: got, problem } = await shown(at(evil, login), { execCommands, execServers });
    expect(got).toBe(token);
    expect(problem?.includes('must be one of OKRA_EXEC_SERVERS') ?? false).toBe(token === undefined);
  });

  it.each([
    [[], undefined],
    [['evil.*'], 'printed'],
  ])('goes where the namespace may send it: %j', async (servers, token) => {
    const access = () => Promise.resolve(accessBy({ servers }));
    const got = await shown(at(evil, login), { execCommands, execServers: ['*'], access });
    expect(got.token).toBe(token);
  });
});

describe('the endpoints of EKS clusters', () => {
  const scope = { region: 'eu-central-1', clusterName: 'prod' };

  it('are kept for an hour, for each cluster and identity', async () => {
    const clock = { now: 0 };
    const asked: string[] = [];
    const endpoints = keptEndpoints(
      ({ clusterName, roleARN = 'Okra' }) => {
        asked.push(`${clusterName} as ${roleARN}`);
        return Promise.resolve(cluster);
      },
      () => clock.now,
    );
    for (const roleARN of [undefined, undefined, role]) await endpoints({ ...scope, roleARN });
    expect(asked).toEqual(['prod as Okra', `prod as ${role}`]);
    clock.now = 3_600_000;
    await endpoints(scope);
    expect(asked).toHaveLength(3);
  });

  it('are asked for a few at a time', async () => {
    const inSlot = limitConcurrency(2);
    let running = 0;
    let most = 0;
    const one = async (index: number): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return index;
    };
    const all = [1, 2, 3, 4, 5];
    expect(await Promise.all(all.map((index) => inSlot(() => one(index))))).toEqual(all);
    expect([most, running]).toEqual([2, 0]);
  });

  it('stay known while EKS does not answer', async () => {
    let isAway = false;
    const endpoints = keptEndpoints(
      () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(cluster)),
      () => 0,
    );
    await endpoints(scope);
    isAway = true;
    await expect(endpoints(scope, 1)).rejects.toThrow('away');
    expect(await endpoints(scope)).toEqual(cluster);
  });

  it('are asked for once while nobody has answered, however long that takes', async () => {
    let time = 0;
    let asked = 0;
    const answer = Promise.withResolvers<typeof cluster>();
    const endpoints = keptEndpoints(
      () => ((asked += 1), answer.promise),
      () => time,
    );
    const all = [endpoints(scope)];
    time = 60_000;
    all.push(endpoints(scope, 50_000));
    answer.resolve(cluster);
    expect([await Promise.all(all), asked]).toEqual([[cluster, cluster], 1]);
    await endpoints(scope, 50_000);
    expect(asked).toBe(2);
  });
});
