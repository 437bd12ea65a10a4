import { afterEach, describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { until } from '../../test/support/until.ts';
import { aCell, paused } from '../okractl/testing/objects.ts';
import { serveDashboard } from './http.ts';
import { openHub, type Viewers } from './hub.ts';
import { connectOnDemand } from '../okractl/session.ts';
import { stillCovers } from './in-cluster.ts';
import { keepLogins, type Enter } from './logins.ts';
import { aWorld } from './testing/world.ts';

const unknown = new KubernetesError({ status: 401, reason: 'Unauthorized', message: 'Unauthorized' });
const stop = new AbortController();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

interface People {
  readonly viewers: Viewers;
  /** The tokens that the API server knows no more. */
  readonly ended: Set<string>;
  /** Those who may see less than they could. */
  readonly blinded: Set<string>;
  readonly pass: (ms: number) => void;
}

function people(limits: Partial<Parameters<typeof keepLogins>[2]> = {}): People {
  let time = 0;
  const ended = new Set<string>();
  const blinded = new Set<string>();
  const enter: Enter = (token, signal) => {
    const whoAmI = (): Promise<string> =>
      ended.has(token) || !token.startsWith('token-of-')
        ? Promise.reject(unknown)
        : Promise.resolve(token.slice(9));
    return whoAmI().then((by) => {
      const { session } = aWorld({ objects: [aCell(paused)], allowed: () => by === 'ann' });
      const hub = openHub({ kubernetes: session.kubernetes, namespaces: [], now: Date.now, signal });
      const maySee = (): Promise<boolean> => Promise.resolve(!blinded.has(by));
      return { session: { ...session, whoAmI }, hub, signal, by, maySee };
    });
  };
  const own = { most: 20, each: 5, awayMs: 500, idleMs: 1000, longestMs: 5000, askMs: 60_000, ...limits };
  const viewers = keepLogins(enter, { now: () => time, signal: stop.signal }, own);
  return { viewers, ended, blinded, pass: (ms) => (time += ms) };
}

describe('those who log in', () => {
  it('are known by a key of their own, each with their own rights', async () => {
    const { viewers } = people();
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((name) => viewers.logIn!(`token-of-${name}`)));
    expect([
      viewers.of(ann)?.by,
      viewers.of(bob)?.by,
      viewers.of('token-of-ann'),
      viewers.of(undefined),
    ]).toEqual(['ann', 'bob', undefined, undefined]);
    viewers.logOut(ann!);
    expect([viewers.of(ann)?.by, viewers.of(bob)?.by]).toEqual([undefined, 'bob']);
  });

  it('are not let in with a token that the API server does not know, and nothing is kept of it', async () => {
    const { viewers } = people();
    await expect(viewers.logIn!('guessed')).rejects.toThrow('Token not valid for this cluster');
    expect(viewers.of('guessed')).toBeUndefined();
  });

  it('are only so many', async () => {
    const { viewers } = people({ most: 1 });
    await viewers.logIn!('token-of-ann');
    await expect(viewers.logIn!('token-of-bob')).rejects.toThrow('Too many logins (at most 1)');
  });

  it('give way to others when they look no more, and there is no room', async () => {
    const { viewers, pass } = people({ most: 2 });
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((name) => viewers.logIn!(`token-of-${name}`)));
    pass(501);
    viewers.of(bob);
    const eve = await viewers.logIn!('token-of-eve');
    expect([ann, bob, eve].map((key) => viewers.of(key)?.by)).toEqual([undefined, 'bob', 'eve']);
  });

  it('take no room but their own, however often they log in', async () => {
    const { viewers, pass } = people({ most: 3, each: 2 });
    const keys: string[] = [];
    for (const name of ['ann', 'ann', 'ann', 'bob']) {
      pass(1);
      keys.push(await viewers.logIn!(`token-of-${name}`));
    }
    expect(keys.map((key) => viewers.of(key)?.by)).toEqual([undefined, 'ann', 'ann', 'bob']);
  });

  it('are known no more once they may not see what they could', async () => {
    const { viewers, blinded } = people({ askMs: 20 });
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((name) => viewers.logIn!(`token-of-${name}`)));
    blinded.add('bob');
    await until('the end', async () => viewers.of(bob) === undefined);
    expect(viewers.of(ann)?.by).toBe('ann');
  });

  it.each<[string, readonly string[] | undefined, readonly string[], boolean]>([
    ['all of what was seen', ['shop', 'bank'], ['shop'], true],
    ['everything', [], ['shop'], true],
    ['everything, as before', [], [], true],
    ['one namespace where it was two', ['shop'], ['shop', 'bank'], false],
    ['some namespaces where it was everything', ['shop'], [], false],
    ['nothing', undefined, [], false],
  ])('may still see %s', (_, now, first, want) => expect(stillCovers(now, first)).toBe(want));

  it.each([
    ['who are idle', [1001]],
    ['who stay for long', [900, 900, 900, 900, 900, 900]],
  ])('are forgotten %s', async (_, times) => {
    const { viewers, pass } = people();
    const key = await viewers.logIn!('token-of-ann');
    const seen = times.map((ms) => {
      pass(ms);
      return viewers.of(key)?.by;
    });
    expect(seen.at(-1)).toBeUndefined();
    expect(seen.slice(0, -1)).toEqual(seen.slice(0, -1).map(() => 'ann'));
  });

  it('are told nothing more once the API server knows their token no more', async () => {
    const { viewers, ended } = people({ askMs: 20 });
    const server = await serveDashboard({
      host: '127.0.0.1',
      port: 0,
      hosts: [],
      viewers,
      version: '1',
      now: Date.now,
      failed: () => undefined,
    });
    closing.push(server.close);
    const base = `http://127.0.0.1:${server.port}`;
    const headers = {
      'X-Okra-Dashboard': '1',
      Origin: base,
      'Content-Type': 'application/json',
      Authorization: 'Bearer token-of-bob',
    };
    const entered = await fetch(`${base}/api/session`, { method: 'POST', headers });
    const { key } = (await entered.json()) as { key: string };
    const own = { ...headers, Authorization: `Bearer ${key}` };
    const asked = await fetch(`${base}/api/ask`, {
      method: 'POST',
      headers: own,
      body: JSON.stringify({ namespace: 'default', name: 'web', request: 'abort' }),
    });
    expect([asked.status, await asked.text()]).toEqual([
      409,
      expect.stringContaining('Kubernetes does not let bob abort'),
    ]);
    const stream = await fetch(`${base}/api/stream?view=cells`, { headers: own });
    ended.add('token-of-bob');
    // The stream ends by itself.
    expect(await stream.text()).toContain('event: head');
    await until(
      'the end',
      async () => (await fetch(`${base}/api/stream?view=cells`, { headers: own })).status === 401,
    );
  });
});

describe('the connection to Temporal', () => {
  it('is made when it is asked for, kept, and made again when it did not come about', async () => {
    let made = 0;
    const { get, close } = connectOnDemand(async () => {
      made += 1;
      if (made === 1) throw new Error('no answer in time');
      return await aWorld().session.operator();
    });
    await expect(get()).rejects.toThrow('no answer');
    await Promise.all([get(), get()]);
    expect(made).toBe(2);
    await close();
  });
});
