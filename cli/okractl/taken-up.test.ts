import { describe, expect, it } from 'vitest';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { memoryCluster, type FakeObject } from '../testing/memory-cluster.ts';
import { untilTakenUp } from './requests.ts';
import { aCell, paused } from './testing/objects.ts';

const web = { kind: 'Cell', key: { namespace: 'default', name: 'web' } } as const;
const nginx = { kind: 'StagedBindingPolicy', key: { namespace: '', name: 'nginx' } } as const;
const blocked = (time: string): Cell['status'] & CellStatus => ({
  phase: 'Reverted',
  blockedVersions: [{ version: '2.0.0', cause: 'x', time }],
});
const aPolicy = (status: object): FakeObject & { readonly status: object } => ({
  apiVersion: 'community.kubestellar.io/v1alpha1',
  kind: 'StagedBindingPolicy',
  metadata: { name: 'nginx' },
  status,
});
const held = { reason: 'TimedOut', stage: 'dev', message: 'late' };

/** Sends a retry where the object stands otherwise at each later look, and counts how often it was waited. */
async function sent(
  target: typeof web | typeof nginx,
  first: FakeObject,
  ...later: readonly (FakeObject | Error)[]
) {
  const told = { sent: 0, waits: 0 };
  const looks = [first, ...later];
  const kubernetes: Pick<ReturnType<typeof memoryCluster>['kubernetes'], 'get'> = {
    get: async (kind, key) => {
      const [look = first] = looks;
      if (looks.length > 1) looks.shift();
      if (look instanceof Error) throw look;
      return memoryCluster([look]).kubernetes.get(kind, key);
    },
  };
  const isTaken = await untilTakenUp(
    { kubernetes, signal: new AbortController().signal },
    target,
    async () => void (told.sent += 1),
    {
      forMilliseconds: 2,
      everyMilliseconds: 1,
      sleep: async () => void (told.waits += 1),
      now: () => told.waits,
    },
  );
  return { ...told, isTaken };
}

describe('a retry', () => {
  const before = aCell(blocked('2026-11-22T09:00:00Z'));
  it.each<[string, ReturnType<typeof sent>, object]>([
    ['waits until nothing is blocked', sent(web, before, before, aCell(paused)), { isTaken: true, waits: 1 }],
    [
      'is over where the version has failed again since',
      sent(web, before, aCell(blocked('2026-11-22T10:00:00Z'))),
      { isTaken: true, waits: 0 },
    ],
    [
      'waits on where the API server does not answer',
      sent(web, before, new Error('503'), before, aCell(paused)),
      { isTaken: true, waits: 2 },
    ],
    ['says that it is not taken up', sent(web, before), { isTaken: false, waits: 2 }],
    ['waits for nothing where nothing has failed', sent(web, aCell(paused)), { isTaken: true, waits: 0 }],
    [
      'of a StagedBindingPolicy waits until it is not held',
      sent(nginx, aPolicy({ held }), aPolicy({ held }), aPolicy({})),
      { isTaken: true, waits: 1 },
    ],
  ])('%s', async (_, outcome, want) => expect(await outcome).toEqual({ ...want, sent: 1 }));
});
