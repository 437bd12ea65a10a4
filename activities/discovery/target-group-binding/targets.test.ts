import { InvalidTargetException, TooManyTargetsException } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { Target } from '../../../clients/aws/elbv2.ts';
import { limitRate, unlimited } from '../../../clients/rate-limiter.ts';
import { LARGEST_BATCH } from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import { readTargets, register } from './targets.ts';
import { startLifetimeOf } from '../lifetime.ts';

const targetGroupARN = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/web/0123456789abcdef';
const at = (...ids: string[]): Target[] => ids.map((id) => ({ id, port: 80 }));
const fast = limitRate({ perSecond: 1000, burst: 1000 });
const limits = { writes: fast, registrations: fast };
const about = { $metadata: {}, message: 'no' };

/** Registers with an ELBv2 that judges each call; says the result of it, and which calls there were. */
const tried = (judge: (targets: readonly Target[]) => Error | undefined, all: Target[]) =>
  triedWith([], judge, all);

async function triedWith(
  suspects: readonly string[],
  judge: (targets: readonly Target[]) => Error | undefined,
  all: Target[],
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
  const life = startLifetimeOf(new AbortController().signal);
  const { refused, unsettled, withoutRoom, unknown, problems } = await register(
    { elbv2, targetGroupARN, limits, life },
    all,
    new Set(suspects),
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
    const all = at(...Array.from({ length: LARGEST_BATCH + 1 }, (_, index) => `t${index}`));
    const { calls, problems } = await tried(() => undefined, all);
    expect(calls.map((call) => call.split(' ').length)).toEqual([LARGEST_BATCH, 1]);
    expect(problems).toEqual([]);
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

  it('are registered as far as there is room, and the next batch is tried as well', async () => {
    let room = 5;
    const tooMany = (targets: readonly Target[]) => {
      if (targets.length > room) return new TooManyTargetsException(about);
      room -= targets.length;
      return undefined;
    };
    const all = at('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
    // Those that AWS refused before are a batch of their own.
    const got = await triedWith(['i', 'j'], tooMany, all);
    expect(got).toMatchObject({
      calls: ['a b c d e f g h', 'a b c d', 'e f g h', 'e f', 'e', 'f', 'i j'],
      taken: ['a', 'b', 'c', 'd', 'e'],
      refused: at('f', 'g', 'h', 'i', 'j'),
      withoutRoom: at('f', 'g', 'h', 'i', 'j'),
      unsettled: [],
      problems: [{ reason: 'TooManyTargets' }],
    });
  });

  it('that AWS refused before come last, and count as refused by themselves', async () => {
    const got = await triedWith(['b', 'd'], without('b'), at('a', 'b', 'c', 'd', 'e'));
    expect(got).toMatchObject({
      calls: { 0: 'a c e', 1: 'b d', length: 4 },
      refused: at('b'),
      unsettled: [],
    });
    expect(got.taken.toSorted()).toEqual(['a', 'c', 'd', 'e']);
  });

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
    const life = startLifetimeOf(AbortSignal.abort(new Error('given up')));
    const never = (): Promise<void> => Promise.reject(new Error('Expected no call.'));
    const elbv2 = { registerTargets: never, deregisterTargets: never };
    await expect(register({ elbv2, targetGroupARN, limits, life }, at('a'))).rejects.toThrow('given up');
  });

  it('hold the others back for a moment where AWS throttles', async () => {
    const held: string[] = [];
    const registrations = { ...unlimited, pause: (quota: string) => void held.push(quota) };
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'Throttling' });
    const elbv2 = {
      registerTargets: () => Promise.reject(throttled),
      deregisterTargets: () => Promise.resolve(),
    };
    const life = startLifetimeOf(new AbortController().signal);
    await register({ elbv2, targetGroupARN, limits: { ...limits, registrations }, life }, at('a'));
    expect(held).toEqual(['us-east-1']);
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
