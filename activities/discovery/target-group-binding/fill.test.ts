import {
  InvalidTargetException,
  TooManyRegistrationsForTargetIdException,
  TooManyTargetsException,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { unlimited } from '../../../clients/rate-limiter.ts';
import type { ELBv2, ELBv2Regions } from '../../../clients/aws/elbv2.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { Entry } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { startLifetimeOf } from '../lifetime.ts';
import { syncTargets } from './fill.ts';
import { openLedger } from './ledger.ts';
import { unused } from './testing/unused.ts';

const arn = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/4567';
const about = { $metadata: {}, message: 'no' };
const idsOf = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}.${Math.trunc(index / 250)}.${index % 250}`);

interface Swap {
  /** How many pods each of the two clusters has. */
  readonly size?: number;
  /** How many of the new ones AWS refuses, and with what. */
  readonly bad?: number;
  readonly error?: () => Error;
  /** How many targets the group takes, and for how many syncs one that is draining takes up room. */
  readonly quota?: number;
  readonly drains?: number;
  /** Whether the health check fails for all that there was before. */
  readonly isSick?: boolean;
  /** Whether there is a target beside the pods, so that the group never has none. */
  readonly isStatic?: boolean;
  /** Another object of the namespace, which has what there was before in the group as well. */
  readonly other?: (targets: readonly unknown[]) => unknown;
}

/** A target group with the pods of one cluster, in place of which those of another are wanted. */
function swapping({
  size = 200,
  bad = 0,
  error = () => new InvalidTargetException(about),
  quota = Infinity,
  drains = 0,
  isSick = false,
  isStatic = true,
  other,
}: Swap) {
  const before = idsOf('10.1', size);
  const after = idsOf('10.2', size);
  const refusedOnes = new Set(after.filter((_, index) => bad > 0 && index % Math.ceil(size / bad) === 0));
  const still = isStatic ? ['10.9.9.9'] : [];
  const there = new Set([...before, ...still]);
  const draining = new Map<string, number>();
  const elbv2 = unused<ELBv2>({
    targetHealth: () =>
      Promise.resolve([
        ...[...there].map((Id) => ({
          Target: { Id, Port: 80 },
          ...(isSick && before.includes(Id) ? { TargetHealth: { State: 'unhealthy' as const } } : {}),
        })),
        ...[...draining.keys()].map((Id) => ({
          Target: { Id, Port: 80 },
          TargetHealth: { State: 'draining' as const },
        })),
      ]),
    registerTargets: (_, batch) => {
      const ids = batch.map(({ id }) => id);
      if (ids.some((id) => refusedOnes.has(id))) return Promise.reject(error());
      if (new Set([...there, ...draining.keys(), ...ids]).size > quota)
        return Promise.reject(new TooManyTargetsException(about));
      for (const id of ids) there.add(id);
      return Promise.resolve();
    },
    deregisterTargets: (_, batch) => {
      for (const { id } of batch) {
        there.delete(id);
        if (drains > 0) draining.set(id, drains);
      }
      return Promise.resolve();
    },
  });
  const every = (): ELBv2 => elbv2;
  const regions: ELBv2Regions = Object.assign(every, { inRegion: every });
  const kubernetes = unused<KubernetesClient>({
    list: <T>() =>
      Promise.resolve((other === undefined ? [] : [other([{ name: 'pods', port: 80, ids: before }])]) as T[]),
    apply: (object) =>
      Promise.resolve({ ...object, metadata: { ...object.metadata, resourceVersion: '2' } } as never),
  });
  const live = { live: 'yes' };
  const found = [
    { cluster: { secret: 'new', name: 'new', labels: live }, secret: {} as never },
    { cluster: { secret: 'old', name: 'old', labels: {} }, secret: {} as never },
  ];
  const pods = after.map((address, index) => ({
    namespace: 'shop',
    name: `p${index}`,
    labels: {},
    address,
    isReady: true,
    isEnding: false,
  }));
  let problems: readonly Problem[] = [];
  const dependencies = {
    kubernetes,
    elbv2: regions,
    limits: { writes: unlimited, registrations: unlimited },
    reader: unused({
      find: () => Promise.resolve(found),
      read: () => Promise.resolve({ ok: true, value: { ok: true, objects: pods } } as never),
    }),
    graceSeconds: 180,
  };
  const ids = { name: 'static', port: 80, ids: still };
  let entry: Entry = {
    targetGroupARN: arn,
    targets: [
      ...(isStatic ? [ids] : []),
      {
        name: 'pods',
        port: 80,
        ids: before,
        clusters: ['old'],
        byCluster: [{ cluster: 'old', ids: before }],
      },
    ],
  };
  return async () => {
    const spec = {
      targetGroupARN: arn,
      targets: [
        ...(isStatic ? [{ ...ids, ids: [...still] }] : []),
        { name: 'pods', port: 80, clusterSelector: { matchLabels: live }, podSelector: {} },
      ],
    };
    const life = startLifetimeOf(new AbortController().signal);
    const bound = {
      key: { namespace: 'shop', name: 'web' },
      uid: 'u',
      spec,
      status: { problems: [...problems] },
      life,
    };
    const status = entry as Parameters<typeof openLedger>[1]['status'];
    const ledger = openLedger(kubernetes, { ...bound, status, resourceVersion: '1' });
    const outcome = await syncTargets(
      { is: 'Group', arn, targetType: 'ip', created: false, problems: [] },
      dependencies,
      { bound, ledger },
    );
    entry = ledger.now();
    problems = outcome.problems;
    for (const [id, left] of draining) {
      if (left <= 1) draining.delete(id);
      else draining.set(id, left - 1);
    }
    const isNew = (id: string): boolean => id.startsWith('10.2.');
    return {
      old: [...there].filter((id) => id.startsWith('10.1.')).length,
      fresh: [...there].filter(isNew).length,
      againInSeconds: outcome.againInSeconds,
    };
  };
}

type Got = Awaited<ReturnType<ReturnType<typeof swapping>>>;

/** Syncs until nothing is to be done soon any more; says what there was after each. */
async function untilDone(sync: () => Promise<Got>): Promise<readonly Got[]> {
  const all: Got[] = [];
  for (let left = 200; left > 0; left -= 1) {
    const got = await sync();
    all.push(got);
    if (got.againInSeconds === undefined) return all;
  }
  throw new Error(`Expected it to settle, got ${JSON.stringify(all.at(-1))}.`);
}
const fewest = (all: readonly Got[]): number => Math.min(...all.map(({ old, fresh }) => old + fresh));

const tooOften = () => new TooManyRegistrationsForTargetIdException(about);

describe('what is to go while others are to come in its place', { timeout: 20_000 }, () => {
  it.each<[string, Swap]>([
    ['AWS refuses one of them', { bad: 1 }],
    ['AWS refuses more of them than one sync looks for', { bad: 20 }],
    ['AWS refuses more of them, and nothing else is in the group', { bad: 20, isStatic: false }],
    ['AWS refuses many of them', { bad: 50 }],
    ['one of them is registered too often', { bad: 1, isStatic: false, error: tooOften }],
    ['many of them are registered too often', { bad: 40, size: 600, isStatic: false, error: tooOften }],
  ])('goes as they come, and in the end all of it, where %s', async (_, swap) => {
    const { size = 200, bad = 0 } = swap;
    const all = await untilDone(swapping(swap));
    expect(fewest(all)).toBeGreaterThanOrEqual(size - bad);
    expect(all.at(-1)).toMatchObject({ old: 0, fresh: size - bad });
  });

  it.each<[string, Swap]>([
    ['most of them', { size: 400, quota: 500 }],
    ['none of them', { size: 400, quota: 400 }],
    ['none of them until what goes has drained', { size: 400, quota: 400, drains: 20 }],
    ['one of three', { size: 3, quota: 4 }],
    ['neither of two', { size: 2, quota: 2, drains: 3 }],
    [
      'none of them, and nothing is healthy, so that all get traffic',
      { size: 40, quota: 40, drains: 5, isSick: true },
    ],
    [
      'neither of two, and neither is healthy, so that both get traffic',
      { size: 2, quota: 2, drains: 3, isSick: true },
    ],
    ['none of them, of which AWS refuses some as well', { size: 400, quota: 400, bad: 20, drains: 5 }],
  ])('goes by halves, and in the end all of it, where there is no room for %s', async (_, swap) => {
    const { size = 0, bad = 0 } = swap;
    const all = await untilDone(swapping({ isStatic: false, ...swap }));
    expect(fewest(all)).toBeGreaterThanOrEqual((size - bad) / 2);
    expect(all.at(-1)).toMatchObject({ old: 0, fresh: size - bad });
  });

  it.each([
    [
      'is being deleted, and has created the group that a load balancer forwards to',
      (targets: readonly unknown[]) => ({
        metadata: { uid: 'other', deletionTimestamp: '2026-11-25T12:00:00Z' },
        status: { targetGroupARN: arn, created: true, targets },
      }),
      0,
    ],
    [
      'stays in the group',
      (targets: readonly unknown[]) => ({
        metadata: { uid: 'other' },
        status: { targetGroupARN: arn, targets },
      }),
      200,
    ],
  ])('goes, though another object that has it %s, unless that keeps it', async (_, other, old) => {
    const all = await untilDone(swapping({ other }));
    expect(all.at(-1)).toMatchObject({ old, fresh: 200 });
  });
});
