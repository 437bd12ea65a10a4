import { lookup as systemLookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRemote } from './kubernetes-endpoint.ts';
import { POD, NAMESPACE } from './kinds.ts';
import { makeSend, type Request, type Send, heedRetryAfter } from './kubernetes-transport.ts';
import { clientOver, type KubernetesClient } from './kubernetes.ts';
import type { ReadLimits } from './kubernetes-answer.ts';
import { limitLookups, type Lookup } from './guarded-connect.ts';
import { Readable } from 'node:stream';
import { KubeConfig } from '@kubernetes/client-node';
import { openKubeconfig } from './kubeconfig.ts';
import { KubernetesError } from './kubernetes-error.ts';

const refusal = (status: number, retryAfterSeconds?: number): KubernetesError =>
  new KubernetesError({ status, reason: 'x', message: 'storage is (re)initializing', retryAfterSeconds });

const passed = Readable.from(['{}']);

/** Sends a request to a server that refuses it in turn; says the result of it, and how long was waited. */
async function sent(refusals: readonly KubernetesError[], signal = new AbortController().signal) {
  const left = [...refusals];
  const waits: number[] = [];
  const server: Send = () => {
    const next = left.shift();
    return next === undefined ? Promise.resolve(passed) : Promise.reject(next);
  };
  const request: Request = { method: 'PATCH', path: '/x', signal };
  const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
  const came = await heedRetryAfter(server, { longestMs: 5_000, sleep })(request).then(
    () => 'answered',
    (error: unknown) => error,
  );
  return { came, waits };
}

describe('an API server that wants to be asked later', () => {
  it.each<[string, KubernetesError[], number[]]>([
    ['once', [refusal(429, 1)], [1000]],
    ['several times', [refusal(429, 1), refusal(429, 3)], [1000, 3000]],
    ['at once, but not without a pause', [refusal(429, 0)], [100]],
  ])('is asked again when it says: %s', async (_, refusals, waits) => {
    expect(await sent(refusals)).toEqual({ came: 'answered', waits });
  });

  it.each<[string, KubernetesError[], number[]]>([
    ['later than anybody waits', [refusal(429, 6)], []],
    ['later in all than anybody waits', [refusal(429, 4), refusal(429, 2)], [4000]],
    ['without a time', [refusal(429)], []],
    ['by what may have been done already', [refusal(503, 1)], []],
  ])('has its refusal told where it says so %s', async (_, refusals, waits) => {
    expect(await sent(refusals)).toEqual({ came: refusals.at(-1), waits });
  });

  it('is not asked again for who has given up', async () => {
    const reason = new Error('given up');
    expect((await sent([refusal(429, 1)], AbortSignal.abort(reason))).came).toBe(reason);
  });

  it('has its refusal told, and not that time has run out', async () => {
    const late = new DOMException('too long', 'TimeoutError');
    const refused = refusal(429, 1);
    expect((await sent([refused], AbortSignal.abort(late))).came).toBe(refused);
  });
});

describe('the client of an API server', () => {
  it('asks again when the header says, and hears nothing of the refusal', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(429, { 'Retry-After': '0' }).end('Too many requests.');
      else response.end(JSON.stringify({ metadata: { name: 'x' } }));
    });
    try {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const cluster = { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
      const kubeconfig = new KubeConfig();
      kubeconfig.loadFromClusterAndUser(cluster, { name: 'u' });
      const client = clientOver(makeSend(openKubeconfig(kubeconfig)));
      expect(await client.get(NAMESPACE, { name: 'x' })).toEqual({ metadata: { name: 'x' } });
      expect(asked).toBe(2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

const SECRET = 'hunter2';

const limits: ReadLimits = {
  answerBytes: 100_000,
  pageItems: 16,
  listPages: 50,
  listItems: 500,
  listBytes: 300_000,
  listMilliseconds: 5_000,
  lineBytes: 100_000,
  watchBytes: 300_000,
};

/** The addresses that names lead to, each time that they are asked for. */
const names = new Map<string, string[][]>();
const lookup: Lookup = (name, options, found) => {
  const answer = names.get(name)?.shift();
  if (answer === undefined) return systemLookup(name, options, found);
  const addresses = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return found(null, addresses);
};

/** A server that someone else runs. */
async function aServer(
  listener: RequestListener,
): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.on('error', () => undefined);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

const clientOf = (server: string, more: Partial<ReadLimits> = {}, milliseconds = 5_000): KubernetesClient => {
  const endpoint = openRemote({
    server,
    headers: {},
    tls: { rejectUnauthorized: true },
    names: limitLookups(lookup),
  });
  return clientOver(makeSend(endpoint), milliseconds, { limits: { ...limits, ...more } });
};

/** What a client says that gets this answer; never with what the other end said. */
async function failureOf(
  doing: Promise<unknown>,
): Promise<{ readonly reason: string; readonly message: string }> {
  const failure = await doing.then(
    () => new Error('Expected a failure, got an answer.'),
    (error: unknown) => error,
  );
  expect(inspect(failure, { depth: 10 })).not.toContain(SECRET);
  expect(failure).toMatchObject({ name: 'KubernetesError' });
  return failure as { reason: string; message: string };
}

async function watchOf(client: KubernetesClient): Promise<number> {
  let events = 0;
  const options = { resourceVersion: '1', signal: AbortSignal.timeout(5_000) };
  for await (const event of client.watch(POD, options)) if (event.type !== 'BOOKMARK') events += 1;
  return events;
}

const read = (client: KubernetesClient) => client.get(POD, { name: 'a', namespace: 'b' });

/** Writes without an end, as fast as it is read. */
function endless(response: ServerResponse, piece: string): void {
  const write = (): void => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
}

const page = (items: unknown, more: object = {}) =>
  JSON.stringify({ metadata: { resourceVersion: '7', ...more }, items });
const pod = (name: string, text = '') => ({ metadata: { name, namespace: 'b' }, text });

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('is not followed (%d)', async (status) => {
    const other = await aServer((_, response) => void response.end(JSON.stringify({ secret: SECRET })));
    const { port } = await aServer((_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${other.port}/latest/meta-data/` });
      response.end(SECRET);
    });
    const { message } = await failureOf(read(clientOf(`http://127.0.0.1:${port}`)));
    expect(message).toBe(
      `The Kubernetes API answered ${status} to GET /api/v1/namespaces/b/pods/a. No redirect is followed: set the server to the address of the API server itself.`,
    );
    expect(other.asked).toEqual([]);
  });
});

describe('an address that is not for others', () => {
  it.each([
    'http://169.254.169.254',
    'http://[::ffff:169.254.169.254]',
    'http://[fd00:ec2::254]',
    'http://2852039166',
    'http://0xa9.0xfe.0xa9.0xfe',
  ])('is not connected to: %s', async (server) => {
    const began = performance.now();
    const { message } = await failureOf(read(clientOf(server)));
    expect(message).toContain('a link-local or metadata address, to which Okra does not connect.');
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it.each([
    ['alone', ['169.254.169.254']],
    ['among others', ['127.0.0.1', '::ffff:a9fe:a9fe']],
  ])('is not connected to by a name that leads there %s', async (_, addresses) => {
    names.set('evil.example', [addresses]);
    const { message } = await failureOf(read(clientOf('http://evil.example')));
    expect(message).toContain('a name of link-local or metadata addresses, to which Okra does not connect.');
  });

  it('is not connected to by a name that leads there later', async () => {
    const { port, asked } = await aServer((_, response) => {
      response.setHeader('connection', 'close');
      response.end(JSON.stringify(pod('a')));
    });
    names.set('evil.example', [['127.0.0.1'], ['169.254.169.254']]);
    const client = clientOf(`http://evil.example:${port}`);
    expect(await read(client)).toEqual(pod('a'));
    expect((await failureOf(read(client))).message).toContain('metadata addresses');
    expect(asked).toHaveLength(1);
  });
});

describe('an answer', () => {
  it('is not waited for any longer than it may take, also where not even a connection is made', async () => {
    const silent = createTcpServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const began = performance.now();
    const failure = await failureOf(read(clientOf(`https://127.0.0.1:${port}`, {}, 200)));
    expect(failure.reason).toBe('Timeout');
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it.each([
    ['that is a page', `<html>${SECRET}</html>`, 'The answer to GET'],
    ['that is cut off', `{"metadata":{"name":"${SECRET}`, 'The answer to GET'],
    ['that is empty', '', 'The answer to GET'],
  ])('%s is told without its words', async (_, body, want) => {
    const { port } = await aServer((__, response) => void response.end(body));
    expect((await failureOf(read(clientOf(`http://127.0.0.1:${port}`)))).message).toContain(want);
  });

  it('that is no HTTP is told without its words', async () => {
    const { port } = await aServer((_, response) => void response.socket?.end(`${SECRET}\r\n\r\n`));
    expect((await failureOf(read(clientOf(`http://127.0.0.1:${port}`)))).reason).toBe('Unreachable');
  });

  it.each([200, 500])('without an end is given up (%d)', async (status) => {
    const { port } = await aServer((_, response) =>
      endless(response.writeHead(status), SECRET.repeat(5_000)),
    );
    const began = performance.now();
    const { message } = await failureOf(read(clientOf(`http://127.0.0.1:${port}`)));
    expect(message).toContain(status === 200 ? 'must be an answer of at most 100000 bytes' : 'answered 500');
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('that is small only as long as it is packed is given up', async () => {
    const packed = gzipSync(Buffer.alloc(20_000_000, ' '));
    const { port } = await aServer((_, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(packed);
    });
    expect((await failureOf(read(clientOf(`http://127.0.0.1:${port}`)))).reason).toBe('AnswerTooLarge');
  });

  it('that is packed is read', async () => {
    const { port } = await aServer((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(JSON.stringify(pod('ä'))));
    });
    expect(await read(clientOf(`http://127.0.0.1:${port}`))).toEqual(pod('ä'));
  });

  it('that comes in drops is given up in time', async () => {
    const { port } = await aServer((_, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const client = clientOf(`http://127.0.0.1:${port}`, {}, 200);
    expect((await failureOf(read(client))).reason).toBe('Timeout');
  });
});

describe('a list', () => {
  const list = (port: number, more: Partial<ReadLimits> = {}) =>
    clientOf(`http://127.0.0.1:${port}`, more).list(POD);

  it.each([
    ['without an end', 'at most 50 pages', () => page([pod('a')], { continue: 'x' })],
    [
      'of more objects than there can be',
      'at most 500 objects',
      () => page(Array(600).fill(pod('a')), { continue: 'x' }),
    ],
    [
      'of more bytes than there can be',
      'a list that fits',
      () => page([pod('a', SECRET.repeat(9_000))], { continue: 'x' }),
    ],
    [
      'with a place to continue that is too long',
      'with its version',
      () => page([], { continue: 'x'.repeat(20_000) }),
    ],
    ['without a version', 'with its version', () => JSON.stringify({ items: [] })],
    ['of what are no objects', 'it is a list of something else', () => page([pod('a'), null])],
    ['of objects without a name', 'it is a list of something else', () => page([{ metadata: {} }])],
    [
      'of objects whose labels are no texts',
      'it is a list of something else',
      () => page([{ metadata: { name: 'a', labels: { a: 1 } } }]),
    ],
    ['that is none', 'it is a list of something else', () => page({ a: 1 })],
    ['that is missing', 'it is an answer without items', () => '{}'],
  ])('%s is given up', async (_, want, answer) => {
    const { port, asked } = await aServer((__, response) => void response.end(answer()));
    expect((await failureOf(list(port))).message).toContain(want);
    expect(asked.length).toBeLessThanOrEqual(50);
  });

  it('that takes too long as a whole is given up, however fast its pages are', async () => {
    const { port } = await aServer((_, response) => {
      setTimeout(() => response.end(page([pod('a')], { continue: 'x' })), 20);
    });
    expect((await failureOf(list(port, { listPages: 1_000, listMilliseconds: 200 }))).reason).toBe('Timeout');
  });

  it('of large objects is read in smaller pages, and in larger ones again', async () => {
    const sizes: number[] = [];
    const all = Array.from({ length: 30 }, (_, i) => pod(`p${i}`, 'x'.repeat(i < 10 ? 30_000 : 10)));
    const { port } = await aServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://a').searchParams;
      const [limit, at] = [Number(query.get('limit')), Number(query.get('continue') ?? 0)];
      sizes.push(limit);
      const more = at + limit < all.length ? { continue: String(at + limit) } : {};
      response.end(page(all.slice(at, at + limit), more));
    });
    const found = await list(port, { listBytes: 2_000_000, listMilliseconds: 10_000 });
    expect(found.map((one) => Reflect.get(Object(one), 'metadata'))).toEqual(
      all.map(({ metadata }) => metadata),
    );
    expect(sizes.slice(0, 3)).toEqual([16, 4, 1]);
    expect(sizes.at(-1)).toBe(16);
  });
});

describe('a watch', () => {
  const watch = (port: number, more: Partial<ReadLimits> = {}) =>
    watchOf(clientOf(`http://127.0.0.1:${port}`, more));
  const event = (object: unknown, type = 'ADDED') => `${JSON.stringify({ type, object })}\n`;

  it('is given up also while nothing comes of its login', async () => {
    const endpoint = {
      server: 'https://127.0.0.1:1',
      open: () => new Promise<never>(() => undefined),
      renew: () => undefined,
    };
    const leaving = new AbortController();
    const events = clientOver(makeSend(endpoint)).watch(POD, {
      resourceVersion: '1',
      signal: leaving.signal,
    });
    const given = events[Symbol.asyncIterator]().next();
    leaving.abort();
    await expect(given).rejects.toThrow('aborted');
  });

  it('is read line by line, wherever its pieces end', async () => {
    const text = [
      event(pod('ä')),
      '\n',
      event({ metadata: { resourceVersion: '8' } }, 'BOOKMARK'),
      event(pod('b')),
    ].join('');
    const { port } = await aServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      for (const byte of Buffer.from(text)) response.write(Buffer.of(byte));
      response.end();
    });
    expect(await watch(port)).toBe(2);
  });

  it.each([
    ['a line without an end', 'events of at most 100000 bytes', SECRET.repeat(1_000)],
    ['a line without an end, in small pieces', 'events of at most 100000 bytes', SECRET],
    ['events without an end', 'at most 300000 bytes of events', event(pod('a', SECRET.repeat(1_000)))],
  ])('of %s is given up', async (_, want, piece) => {
    const { port } = await aServer((__, response) => endless(response, piece));
    const began = performance.now();
    expect((await failureOf(watch(port))).message).toContain(want);
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it('reads a line of many pieces in a time that grows no faster than the line', async () => {
    const { port } = await aServer((_, response) => {
      for (let piece = 0; piece < 4_000; piece += 1) response.write('x'.repeat(1_000));
      response.end('\n');
    });
    const began = performance.now();
    await failureOf(watch(port, { lineBytes: 5_000_000, watchBytes: 5_000_000 }));
    expect(performance.now() - began).toBeLessThan(3_000);
  });

  it.each([
    ['what is no JSON', `${SECRET}\n`, 'must be JSON'],
    ['no event', `[]\n`, 'must be events of the Kubernetes API'],
    ['an event of another kind', event(pod('a'), SECRET), 'must be events of the Kubernetes API'],
    ['an event without an object', event(null), 'must be events with an object each'],
    ['a bookmark without a version', event({}, 'BOOKMARK'), 'must be bookmarks with a version'],
    ['an error that says nothing', event(undefined, 'ERROR'), 'answered 500'],
    ['an error of someone else', event({ message: SECRET }, 'ERROR'), 'answered 500'],
  ])('of %s is told without its words', async (_, line, want) => {
    const { port } = await aServer((__, response) => void response.end(line));
    expect((await failureOf(watch(port))).message).toContain(want);
  });
});
