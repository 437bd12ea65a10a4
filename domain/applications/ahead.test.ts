import { describe, expect, it } from 'vitest';
import type { ApplicationStatus } from '../../crds/cell-status.ts';
import { heldBehind } from './holds.ts';

const synced: Omit<ApplicationStatus, 'name'> = { phase: 'Synced', revision: 1 };
const cellWith = (jobs: Omit<ApplicationStatus, 'name'>, parallel?: boolean) => ({
  metadata: { name: 'shop' },
  spec: parallel === undefined ? {} : { parallel },
  status: {
    applications: [
      { name: 'jobs', ...jobs },
      { name: 'web', ...synced },
    ],
  },
});

describe('the application that the traffic of another waits for', () => {
  it.each<readonly [string, Parameters<typeof heldBehind>[0], string, string | undefined]>([
    ['is one before it that is not in place', cellWith({ phase: 'Syncing' }), 'shop-web', 'jobs'],
    [
      'is one before it that something keeps from continuing',
      cellWith({ ...synced, reason: 'Conflict' }),
      'shop-web',
      'jobs',
    ],
    ['is none when those before it are in place', cellWith(synced), 'shop-web', undefined],
    ['is not itself', cellWith({ phase: 'Syncing' }), 'shop-jobs', undefined],
    ['is none in parallel', cellWith({ phase: 'Syncing' }, true), 'shop-web', undefined],
    ['is none for one that is not in the list', cellWith({ phase: 'Syncing' }), 'shop-old', undefined],
    ['is none before anyone has looked', { metadata: { name: 'shop' }, spec: {} }, 'shop-web', undefined],
  ])('%s', (_, cell, child, want) =>
    expect(heldBehind(cell, child)).toEqual(want === undefined ? undefined : { application: want }),
  );

  const moving = (reason: string) => cellWith({ phase: 'Migrating', revision: 1, reason }, true);

  it.each([
    ['cannot be followed', 'InvalidApplication', moving('InvalidApplication'), true],
    ['cannot be read', 'InvalidSpec', failed(moving('InvalidSpec')), true],
    ['is paused', 'Paused', paused(moving('Migrating')), true],
    ['says what its own Cell does', 'Conflict', moving('Conflict'), false],
    ['says that its own Cell is not valid', 'InvalidSpec', moving('InvalidSpec'), false],
  ] as const)('is its own while that %s, also in parallel: %s', (_, reason, cell, want) =>
    expect(heldBehind(cell, 'shop-jobs')).toEqual(want ? { application: 'jobs', reason } : undefined),
  );
});

/** The same, while nobody can read its spec. */
function failed({ status, ...cell }: ReturnType<typeof cellWith>) {
  return { ...cell, status: { ...status, phase: 'Failed', reason: 'InvalidSpec' } } as const;
}

/** The same, while someone has paused it. */
function paused({ status, ...cell }: ReturnType<typeof cellWith>) {
  return { ...cell, status: { ...status, paused: { by: 'ann', reason: '', time: '2026-11-22T08:00:00Z' } } };
}
