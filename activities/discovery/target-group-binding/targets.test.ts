import { InvalidTargetException, TooManyTargetsException } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { Target } from '../../../clients/aws/elbv2-calls.ts';
import { limitRate, unlimited } from '../../../clients/rate-limiter.ts';
import { searches, type Search } from './searches.ts';
import { readTargets, register } from './targets.ts';
import { lifetimeFrom } from '../lifetime.ts';

const targetGroupARN = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/web/0123456789abcdef';
const at = (...ids: string[]): Target[] => ids.map((id) => ({ id, port: 80 }));
const fast = limitRate({ perSecond: 1000, burst: 1000 });
const limits = { writes: fast, registrations: fast };
const about = { $metadata: {}, message: 'no' };

const free = (): Search => searches().of('default');
const busy = (): Search => searches(0).of('default');

/** Registers with an ELBv2 that judges each call; says the result of it, and which calls there were. */
const tried = (judge: (targets: readonly Target[]) => Error | undefined, ...batches: Target[][]) =>
  triedWith(free(), judge, ...batches);

async function triedWith(
  search: Search,
  judge: (targets: readonly Target[]) => Error | undefined,
  ...batches: Target[][]
) {
  const calls: string[] = [];
  const taken: string[] = [];
  const elbv2 = {
    registerTargets: async (_arn: string, targets: readonly Target[]) => {
      calls.push(targets.map(({ id }) => id).join(' '));
      const error = judge(targets);
      if (error !== undefined) throw error;
      taken.push(...targets.map(({ id }) => id));
      await Promise.resolve();
    },
    deregisterTargets: () => Promise.resolve(),
  };
  const life = lifetimeFrom(new AbortController().signal);
  const { refused, unsettled, withoutRoom, unknown, problems } = await register(
    { elbv2, targetGroupARN, limits, life, search },
    batches,
  );
  return {
    calls,
    taken,
    refused,
    unsettled,
    withoutRoom,
    unknown,
    problems: problems.map(({ object, reason }) => ({ object, reason })),
  };
}

const without =
  (...bad: string[]) =>
  (targets: readonly Target[]) =>
    targets.some(({ id }) => bad.includes(id)) ? new InvalidTargetException(about) : undefined;

describe('targets', () => {
  it('are registered batch by batch', async () => {
    const { calls, problems } = await tried(() => undefined, at('a', 'b'), at('c'));
    expect({ calls, problems }).toEqual({ calls: ['a b', 'c'], problems: [] });
  });

  it('are registered without those that AWS refuses, which it is found out by halves', async () => {
    const got = await tried(without('b', 'g'), at('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'));
    expect(got.taken.toSorted()).toEqual(['a', 'c', 'd', 'e', 'f', 'h']);
    expect(got.refused.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(at('b', 'g'));
    expect(got.problems.toSorted((a, b) => `${a.object}`.localeCompare(`${b.object}`))).toEqual([
      { object: 'b', reason: 'InvalidTarget' },
      { object: 'g', reason: 'InvalidTarget' },
    ]);
  });

  it('that are all refused do not take a call each', async () => {
    const all = at(...Array.from({ length: 200 }, (_, index) => `t${index}`));
    const got = await tried(without(...all.map(({ id }) => id)), all);
    expect(got.refused).toHaveLength(200);
    expect(got.calls.length).toBeLessThan(60);
    expect(got.problems.length).toBeLessThan(30);
  });

  it('are not looked for one by one while enough others of the namespace look for theirs', async () => {
    const got = await triedWith(busy(), without('b'), at('a', 'b', 'c'), at('d'));
    expect(got).toMatchObject({
      calls: ['a b c', 'd'],
      taken: ['d'],
      refused: at('a', 'b', 'c'),
      unsettled: at('a', 'b', 'c'),
      problems: [{ object: 'a', reason: 'InvalidTarget' }],
    });
  });

  it('are registered as far as there is room, and the next batch is tried as well', async () => {
    let room = 5;
    const tooMany = (targets: readonly Target[]) => {
      if (targets.length > room) return new TooManyTargetsException(about);
      room -= targets.length;
      return undefined;
    };
    const got = await tried(tooMany, at('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), at('i', 'j'));
    expect(got).toMatchObject({
      calls: ['a b c d e f g h', 'a b c d', 'e f g h', 'e f', 'e', 'f', 'i j'],
      taken: ['a', 'b', 'c', 'd', 'e'],
      refused: at('f', 'g', 'h', 'i', 'j'),
      withoutRoom: at('f', 'g', 'h', 'i', 'j'),
      unsettled: [],
      problems: [{ object: 'f', reason: 'TooManyTargets' }],
    });
  });

  it('go on with the next batch after one that is refused as a whole', async () => {
    const tooMany = (targets: readonly Target[]) =>
      targets.length > 1 ? new TooManyTargetsException(about) : undefined;
    const got = await triedWith(busy(), tooMany, at('a', 'b'), at('c'));
    expect(got).toMatchObject({ calls: ['a b', 'c'], taken: ['c'], withoutRoom: at('a', 'b'), unknown: [] });
  });

  it('that AWS has refused by themselves come last, and count as such also where they are refused together', async () => {
    const all = searches();
    const bad = ['b', 'd'];
    {
      using search = all.of('default', 'web');
      expect(await triedWith(search, without(...bad), at('a', 'b', 'c', 'd'))).toMatchObject({
        unsettled: [],
      });
    }
    using search = { ...all.of('default', 'web'), begin: () => false };
    const got = await triedWith(search, without('b'), at('a', 'b', 'c', 'd', 'e'));
    expect(got).toMatchObject({ calls: ['a c e', 'b d'], refused: at('b', 'd'), unsettled: [] });
    const after = await triedWith(search, without(), at('b', 'd'));
    expect(after).toMatchObject({ calls: ['b d'], taken: ['b', 'd'] });
    expect(search.found.size).toBe(0);
  });

  it('that AWS has refused by themselves are found again when it takes them, however many others it refuses', async () => {
    const bad = Array.from({ length: 250 }, (_, index) => `i-${index}`);
    const search = free();
    for (const { id } of at(...bad)) search.found.add(`${id}:80`);
    const taken: string[] = [];
    const elbv2 = {
      registerTargets: (_: string, targets: readonly Target[]) =>
        targets.some(({ id }) => id !== 'i-249')
          ? Promise.reject(new InvalidTargetException(about))
          : Promise.resolve(void taken.push(...targets.map(({ id }) => id))),
      deregisterTargets: () => Promise.resolve(),
    };
    const life = lifetimeFrom(new AbortController().signal);
    for (let left = 500; left > 0 && taken.length === 0; left -= 1)
      await register({ elbv2, targetGroupARN, limits, life, search }, [at(...bad)]);
    expect(taken).toEqual(['i-249']);
  }, 20_000);

  it('of which nobody knows whether they are registered are not called refused', async () => {
    const got = await tried(() => new Error('socket hang up'), at('a', 'b'));
    expect(got).toMatchObject({
      calls: ['a b'],
      refused: [],
      unknown: at('a', 'b'),
      problems: [{ reason: 'Unavailable' }],
    });
  });

  it('are not registered any more when the sync is given up', async () => {
    const life = lifetimeFrom(AbortSignal.abort(new Error('given up')));
    const never = (): Promise<void> => Promise.reject(new Error('Expected no call.'));
    const elbv2 = { registerTargets: never, deregisterTargets: never };
    await expect(
      register({ elbv2, targetGroupARN, limits, life, search: free() }, [at('a')]),
    ).rejects.toThrow('given up');
  });

  it('hold the others back for a moment where AWS throttles', async () => {
    const held: string[] = [];
    const registrations = { ...unlimited, pause: (quota: string) => void held.push(quota) };
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'Throttling' });
    const elbv2 = {
      registerTargets: () => Promise.reject(throttled),
      deregisterTargets: () => Promise.resolve(),
    };
    const life = lifetimeFrom(new AbortController().signal);
    await register({ elbv2, targetGroupARN, limits: { ...limits, registrations }, life, search: free() }, [
      at('a'),
    ]);
    expect(held).toEqual(['us-east-1/123456789012']);
  });

  it('that are draining do not count as registered', async () => {
    const elbv2: Pick<ELBv2, 'targetHealth'> = {
      targetHealth: () =>
        Promise.resolve([
          { Target: { Id: 'a', Port: 80 }, TargetHealth: { State: 'draining' } },
          { Target: { Id: 'b', Port: 80 }, TargetHealth: { State: 'unhealthy' } },
          { Target: { Id: 'c', Port: 80 }, TargetHealth: { State: 'healthy' } },
        ]),
    };
    const { signal } = new AbortController();
    expect(await readTargets(elbv2, targetGroupARN, signal)).toEqual({
      registered: at('b', 'c'),
      unhealthy: at('b'),
      draining: 1,
    });
  });
});
