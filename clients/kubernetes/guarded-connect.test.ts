import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it, vi, beforeEach } from 'vitest';
import {
  makeGuardedConnector,
  limitLookups,
  type Lookup,
  type NameLookups,
  LOOKUPS_AT_ONCE,
} from './guarded-connect.ts';

afterEach(() => void vi.useRealTimers());

const familyOf = (address: string) => (address.includes(':') ? 6 : 4);

/** A system in which names lead to these addresses, each time to the next. */
const leadingTo = (...answers: readonly (readonly string[])[]): NameLookups => {
  const left = [...answers];
  return limitLookups((_, __, found) =>
    found(
      null,
      (left.shift() ?? []).map((address) => ({ address, family: familyOf(address) })),
    ),
  );
};

/** Connects to a name once, and says what it is connected to, or why it is not. */
async function connected(
  connect: ReturnType<typeof makeGuardedConnector>,
  port: number,
  hostname = 'a.example',
) {
  const options = { hostname, host: hostname, protocol: 'http:', port: String(port) };
  const { promise, resolve } = Promise.withResolvers<Error | Socket>();
  connect(options, (error, socket) => resolve(error ?? socket ?? new Error('nothing')));
  const got = await promise;
  if (got instanceof Error) return got.message;
  const { remoteAddress } = got;
  got.destroy();
  return remoteAddress;
}

/** Has something connect to a server of this machine. */
async function withServer<T>(run: (port: number, met: () => number) => Promise<T>): Promise<T> {
  let met = 0;
  const server = createServer((socket) => {
    met += 1;
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await run((server.address() as AddressInfo).port, () => met);
  } finally {
    server.close();
  }
}

const connector = ({ names }: { readonly names: NameLookups }) =>
  makeGuardedConnector({ rejectUnauthorized: true }, names);
const REFUSED = 'a name of link-local or metadata addresses, to which Okra does not connect';

it('connects to the address that was looked at, and looks again for the next connection', async () => {
  await withServer(async (port) => {
    const connect = connector({ names: leadingTo(['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']) });
    expect(await connected(connect, port)).toBe('127.0.0.1');
    expect(await connected(connect, port)).toBe(REFUSED);
    expect(await connected(connect, port)).toBe('127.0.0.1');
  });
});

it.each([[['169.254.169.254']], [['127.0.0.1', 'fe80::1']], [['127.0.0.1', '::ffff:169.254.169.254']]])(
  'connects to none of %j',
  async (addresses) => {
    await withServer(async (port, met) => {
      expect(await connected(connector({ names: leadingTo(addresses) }), port)).toBe(REFUSED);
      expect(met()).toBe(0);
    });
  },
);

it('refuses for each who asks what one lookup has given to several', async () => {
  await withServer(async (port, met) => {
    const answers: Parameters<Lookup>[2][] = [];
    const connect = connector({ names: limitLookups((_, __, found) => void answers.push(found)) });
    const both = [connected(connect, port), connected(connect, port)];
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    answers[0]?.(null, [{ address: '169.254.169.254', family: 4 }]);
    expect(await Promise.all(both)).toEqual([REFUSED, REFUSED]);
    expect(met()).toBe(0);
  });
});

it('looks no address up, and connects to none that is refused', async () => {
  const names: NameLookups = () => expect.unreachable();
  await withServer(async (port) => {
    expect(await connected(connector({ names }), port, '127.0.0.1')).toBe('127.0.0.1');
    expect(await connected(connector({ names }), port, '169.254.169.254')).toBe(
      'a link-local or metadata address, to which Okra does not connect',
    );
  });
});

it('says that a name is not answered, before the connection or the request would be given up', async () => {
  vi.useFakeTimers();
  const connecting = connected(connector({ names: limitLookups(() => undefined) }), 1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await connecting).toBe(
    'cannot look up a.example: no answer within 5 s; look at the DNS server of the name',
  );
});

it('says that a name leads nowhere', async () => {
  expect(await connected(connector({ names: leadingTo([]) }), 1)).toBe('no address');
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lookups that each answer when the test says so, and what their callers receive. */
function aSystem() {
  const answers = new Map<string, Parameters<Lookup>[2]>();
  const asked: string[] = [];
  const heard: string[] = [];
  const names = limitLookups((hostname, _, found) => {
    asked.push(hostname);
    answers.set(hostname, found);
  });
  const ask = (hostname: string): void =>
    names(hostname, { all: true }, (error, addresses) =>
      heard.push(error?.message ?? addresses.map(({ address }) => address).join(' ')),
    );
  const answer = async (hostname: string, error: Error | null = null): Promise<void> => {
    answers.get(hostname)?.(error, error === null ? [{ address: '192.0.2.1', family: 4 }] : []);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ask, answer, asked, heard };
}

it('looks a name up once for all who ask meanwhile, and again for who asks later', async () => {
  const { ask, answer, asked, heard } = aSystem();
  for (let i = 0; i < 3; i += 1) ask('a');
  await answer('a');
  expect([asked, heard]).toEqual([['a'], ['192.0.2.1', '192.0.2.1', '192.0.2.1']]);
  ask('a');
  expect(asked).toEqual(['a', 'a']);
});

it('looks up so many names at once, and the next when one of them is answered', async () => {
  const { ask, answer, asked } = aSystem();
  for (let i = 0; i <= LOOKUPS_AT_ONCE; i += 1) ask(`a${i}`);
  expect(asked).toHaveLength(LOOKUPS_AT_ONCE);
  await answer('a0', new Error('ENOTFOUND'));
  expect(asked).toHaveLength(LOOKUPS_AT_ONCE + 1);
});

it('gives up waiting for a name that is not answered in time', async () => {
  const { ask, heard } = aSystem();
  ask('a');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(['cannot look up a: no answer within 5 s; look at the DNS server of the name']);
});
