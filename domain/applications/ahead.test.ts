import { describe, expect, it } from 'vitest';
import type { ApplicationStatus } from '../../crds/application-status.ts';
import { heldBehind } from './ahead.ts';

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
      'is one before it that something keeps from going on',
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

  it.each(['InvalidSpec', 'InvalidApplication', 'Conflict'])(
    'is its own while that cannot go on, also in parallel: %s',
    (reason) => {
      const cell = cellWith({ phase: 'Migrating', revision: 1, reason }, true);
      expect(heldBehind(cell, 'shop-jobs')).toEqual({ application: 'jobs', reason });
    },
  );
});
