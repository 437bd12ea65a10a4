import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectEKS } from './eks.ts';

const scope = { region: 'eu-central-1' };

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: object;
}

/** An EKS that answers what it is told to, and notes how many were asked for at once. */
async function anEKS(answer: (path: string) => Answer) {
  const seen = { paths: [] as string[], now: 0, most: 0 };
  const server = createServer((request, response) => {
    seen.paths.push(request.url ?? '');
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    const { status = 200, type, body } = answer(request.url ?? '');
    const headers = { 'content-type': 'application/json', ...(type && { 'x-amzn-errortype': type }) };
    setImmediate(() => {
      seen.now -= 1;
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credentials = () => Promise.resolve({ accessKeyId: 'AKIA', secretAccessKey: 'super-secret' });
  return { seen, eks: connectEKS({ endpoint: `http://127.0.0.1:${port}`, credentials })(scope) };
}

const cluster = (name: string, more: object = {}) => ({
  body: {
    cluster: { name, arn: `arn:aws:eks:eu-central-1:1:cluster/${name}`, status: 'ACTIVE', ...more },
  },
});

const names = Array.from({ length: 150 }, (_, index) => `c${index}`);

describe('clusters', () => {
  it('reads all pages (A-S06), a few clusters at once', async () => {
    const { seen, eks } = await anEKS((path) => {
      if (path.startsWith('/clusters/')) return cluster(path.slice('/clusters/'.length));
      return path.includes('nextToken=more')
        ? { body: { clusters: names.slice(100), nextToken: '' } }
        : { body: { clusters: names.slice(0, 100), nextToken: 'more' } };
    });
    expect((await eks.clusters()).clusters.map(({ name }) => name)).toEqual(names);
    expect(seen.most).toBeLessThanOrEqual(5);
  });

  it('describes those that are named, a few at once, and leaves out those that are not there', async () => {
    const { seen, eks } = await anEKS((path) => {
      if (path.endsWith('/c1')) return { status: 404, type: 'ResourceNotFoundException', body: {} };
      if (path.endsWith('/c2')) return { status: 403, type: 'AccessDeniedException', body: {} };
      return cluster(path.slice('/clusters/'.length));
    });
    const { clusters, denied } = await eks.named(names.slice(0, 10));
    expect(clusters.map(({ name }) => name)).toEqual(
      names.slice(0, 10).filter((name) => !/[12]$/.test(name)),
    );
    expect(denied.map(({ name }) => name)).toEqual(['c2']);
    expect(seen.most).toBeLessThanOrEqual(5);
    expect(seen.paths.every((path) => path.startsWith('/clusters/'))).toBe(true);
  });

  it('tells what EKS tells, and makes nothing up', async () => {
    const { eks } = await anEKS((path) => {
      switch (path) {
        case '/clusters/new':
          return cluster('new', { status: 'CREATING', resourcesVpcConfig: { vpcId: '' } });
        case '/clusters/ready':
          return cluster('ready', {
            endpoint: 'https://ready.example',
            certificateAuthority: { data: 'Q0E=' },
            tags: { Service: 'demo' },
            version: '1.34',
            resourcesVpcConfig: { vpcId: 'vpc-0123456789abcdef0' },
          });
        default:
          return { body: { clusters: ['new', 'ready'] } };
      }
    });
    const common = { region: 'eu-central-1' };
    expect((await eks.clusters()).clusters).toEqual([
      { ...common, name: 'new', arn: 'arn:aws:eks:eu-central-1:1:cluster/new', status: 'CREATING', tags: {} },
      {
        ...common,
        name: 'ready',
        arn: 'arn:aws:eks:eu-central-1:1:cluster/ready',
        status: 'ACTIVE',
        endpoint: 'https://ready.example',
        caData: 'Q0E=',
        tags: { Service: 'demo' },
        version: '1.34',
        vpcID: 'vpc-0123456789abcdef0',
      },
    ]);
  });

  it('leaves out a cluster that is deleted in between', async () => {
    const { eks } = await anEKS((path) => {
      if (path === '/clusters/gone')
        return { status: 404, type: 'ResourceNotFoundException', body: { message: 'No cluster found' } };
      return path === '/clusters/here' ? cluster('here') : { body: { clusters: ['gone', 'here'] } };
    });
    expect((await eks.clusters()).clusters.map(({ name }) => name)).toEqual(['here']);
  });

  it('answers nothing at all when there is nothing', async () => {
    const { eks } = await anEKS(() => ({ body: { clusters: [] } }));
    expect(await eks.clusters()).toEqual({ clusters: [], denied: [] });
  });

  describe('with a cluster that was there before', () => {
    const arnIn = (region: string, account = '1') => `arn:aws:eks:${region}:${account}:cluster/old`;
    const known = arnIn('eu-central-1');
    const gone = { status: 404, type: 'ResourceNotFoundException', body: { message: 'No cluster found' } };
    const listing = (old: Answer, ...listed: string[]) =>
      anEKS((path) => {
        if (path === '/clusters/old') return old;
        return path.startsWith('/clusters/') ? cluster('here') : { body: { clusters: listed } };
      });

    it.each([
      ['an empty page', []],
      ['a list without it', ['here']],
    ])('refuses %s while EKS describes the cluster', async (_, listed) => {
      const { eks } = await listing(cluster('old'), ...listed);
      await expect(eks.clusters(undefined, [known])).rejects.toThrow(
        'lacks cluster old, which EKS still describes',
      );
    });

    it.each([
      ['is gone', gone],
      ['is being deleted', cluster('old', { status: 'DELETING' })],
      ['is another of that name', cluster('old', { arn: arnIn('eu-central-1', '2') })],
    ])('takes a list without it when it %s', async (_, old) => {
      const { eks } = await listing(old, 'here');
      expect((await eks.clusters(undefined, [known])).clusters.map(({ name }) => name)).toEqual(['here']);
    });

    it.each([
      ['of another region', arnIn('eu-west-1')],
      ['of another account', arnIn('eu-central-1', '2')],
      ['of another source', 'c0ffee'],
    ])('does not ask for one %s', async (_, id) => {
      const { eks, seen } = await listing(gone, 'here');
      await eks.clusters(undefined, [id]);
      expect(seen.paths).not.toContain('/clusters/old');
    });
  });

  it('continues after an empty page when there is another', async () => {
    const { eks } = await anEKS((path) => {
      if (path === '/clusters/a') return cluster('a');
      return { body: path.includes('nextToken=') ? { clusters: ['a'] } : { clusters: [], nextToken: 'x' } };
    });
    expect((await eks.clusters()).clusters.map(({ name }) => name)).toEqual(['a']);
  });

  it('refuses a list that goes round in a circle, and describes none of it', async () => {
    const { eks, seen } = await anEKS(() => ({ body: { clusters: ['a'], nextToken: 'x' } }));
    await expect(eks.clusters()).rejects.toThrow('the token of a page that was there before');
    expect(seen.paths).toEqual(['/clusters?maxResults=100', '/clusters?maxResults=100&nextToken=x']);
  });

  it.each([
    ['clusters that are no names', '/clusters?', { clusters: ['a', { b: 1 }] }, 'clusters.1: '],
    ['no list of clusters', '/clusters?', { clusters: 'a' }, 'clusters: '],
    ['a token that is none', '/clusters?', { clusters: [], nextToken: { x: 1 } }, 'nextToken: '],
    ['an endpoint that is none', '/clusters/a', { endpoint: {} }, 'cluster a in eu-central-1: endpoint: '],
    [
      'a CA that is none',
      '/clusters/a',
      { certificateAuthority: { data: [1] } },
      'certificateAuthority.data: ',
    ],
    ['tags that are none', '/clusters/a', { tags: { version: 1 } }, 'tags.version: '],
  ])('refuses %s', async (_, at, body, problem) => {
    const { eks } = await anEKS((path) => {
      if (path.startsWith('/clusters?')) return { body: path.startsWith(at) ? body : { clusters: ['a'] } };
      return cluster('a', body);
    });
    await expect(eks.clusters()).rejects.toThrow(problem);
  });

  it('refuses an answer without a list', async () => {
    const { eks } = await anEKS(() => ({ body: {} }));
    await expect(eks.clusters()).rejects.toThrow('the clusters in eu-central-1: clusters: ');
  });

  it.each([
    ['throttles', 429, 'ThrottlingException'],
    ['throttles in words of its own', 429, 'TooManyRequestsException'],
    ['fails', 500, 'ServerException'],
    ['refuses who asks', 403, 'ExpiredTokenException'],
  ])('gives no part of the clusters when EKS %s, but the name of the error', async (_, status, type) => {
    const { eks } = await anEKS((path) => {
      if (path === '/clusters/b') return { status, type, body: { message: 'no' } };
      return path === '/clusters/a' ? cluster('a') : { body: { clusters: ['a', 'b'] } };
    });
    await expect(eks.clusters()).rejects.toMatchObject({ name: type });
  });

  it('asks again when EKS throttles in words of its own', async () => {
    let asked = 0;
    const { eks } = await anEKS((path) => {
      if (path !== '/clusters/a') return { body: { clusters: ['a'] } };
      asked += 1;
      return asked === 1
        ? { status: 429, type: 'TooManyRequestsException', body: { message: 'no' } }
        : cluster('a');
    });
    expect((await eks.clusters()).clusters.map(({ name }) => name)).toEqual(['a']);
  });

  describe('of which some are denied', () => {
    const denied = { status: 403, type: 'AccessDeniedException', body: { message: 'not for you' } };
    const arnOf = (name: string, account = '1') => `arn:aws:eks:eu-central-1:${account}:cluster/${name}`;
    const denying = (...listed: string[]) =>
      anEKS((path) => {
        if (path === '/clusters/closed') return denied;
        return path.startsWith('/clusters/') ? cluster('here') : { body: { clusters: listed } };
      });
    const error = expect.objectContaining({ name: 'AccessDeniedException', message: 'not for you' }) as Error;

    it('gives the others, and says which', async () => {
      const { eks } = await denying('closed', 'here');
      expect(await eks.clusters()).toMatchObject({
        clusters: [{ name: 'here' }],
        denied: [{ name: 'closed', arns: [], error }],
      });
    });

    it('says which known clusters they may be', async () => {
      const { eks } = await denying('closed', 'here');
      const known = [arnOf('closed'), arnOf('closed', '2'), arnOf('here')];
      expect((await eks.clusters(undefined, known)).denied).toEqual([
        { name: 'closed', arns: [arnOf('closed')], error },
      ]);
    });

    it('says the same of a known one that is not listed, since nobody says that it is gone', async () => {
      const { eks } = await denying('here');
      expect((await eks.clusters(undefined, [arnOf('closed'), arnOf('here')])).denied).toEqual([
        { name: 'closed', arns: [arnOf('closed')], error },
      ]);
    });
  });

  it('reads once for all who ask at the same time, and looks for what each of them knows', async () => {
    const { eks, seen } = await anEKS((path) => {
      if (path === '/clusters/old') return cluster('old');
      return path === '/clusters/a' ? cluster('a') : { body: { clusters: ['a'] } };
    });
    const known = ['arn:aws:eks:eu-central-1:1:cluster/old'];
    const answers = await Promise.allSettled([
      eks.clusters(),
      eks.clusters(),
      eks.clusters(undefined, known),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(seen.paths.filter((path) => path !== '/clusters/old')).toEqual([
      '/clusters?maxResults=100',
      '/clusters/a',
    ]);
  });

  it('refuses an answer that says too little', async () => {
    const { eks } = await anEKS((path) =>
      path === '/clusters/a' ? { body: { cluster: { name: 'a' } } } : { body: { clusters: ['a'] } },
    );
    await expect(eks.clusters()).rejects.toThrow('cluster a in eu-central-1: arn: ');
  });

  it('ends when it is told to', async () => {
    const { eks } = await anEKS(() => ({ body: { clusters: [] } }));
    await expect(eks.clusters(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('connectEKS', () => {
  it('keeps one client for each region and identity', () => {
    const connect = connectEKS();
    expect(connect(scope)).toBe(connect({ region: 'eu-central-1' }));
    expect(connect({ ...scope, roleARN: 'arn:aws:iam::123456789012:role/okra' })).not.toBe(connect(scope));
  });

  it('keeps no client for each external id that anybody has ever written', () => {
    const connect = connectEKS({ credentials: () => Promise.reject(new Error('nobody asks')) });
    const roleARN = 'arn:aws:iam::123456789012:role/okra';
    const first = connect({ ...scope, roleARN, externalID: 'first' });
    for (let index = 0; index < 1_000; index += 1) connect({ ...scope, roleARN, externalID: `${index}` });
    expect(connect({ ...scope, roleARN, externalID: 'first' })).not.toBe(first);
  });
});
