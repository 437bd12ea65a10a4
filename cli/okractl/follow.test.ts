import { afterEach, describe, expect, it } from 'vitest';
import type { Freeze } from '../../crds/freeze.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { until } from '../../test/support/until.ts';
import { aWorld, type WorldOptions } from '../dashboard/testing/world.ts';
import { follow, type Followed } from './follow.ts';
import { aCell, paused } from './testing/objects.ts';
import { nothingWatched } from './watched.ts';

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

/** Follows what there is, and counts how often it changes. */
function following(options: WorldOptions, followed: Partial<Followed> = {}) {
  const world = aWorld(options);
  const told = { watched: nothingWatched(), changes: 0 };
  void follow(
    world.session,
    { target: undefined, namespaces: [], ...followed },
    {
      signal: stop.signal,
      watched: told.watched,
      changed: () => {
        told.changes += 1;
      },
    },
  );
  return { ...world, told };
}

const unreadable =
  (unread: string): NonNullable<WorldOptions['snapshot']> =>
  ({ kind }) =>
    kind === unread
      ? Promise.reject(
          new KubernetesError({ status: 500, reason: 'InternalError', message: 'webhook failed' }),
        )
      : Promise.resolve({ items: kind === 'Cell' ? [aCell(paused)] : [], resourceVersion: '1' });

describe('what is followed', () => {
  it('is taken in at once where it is told at once, however much it is', async () => {
    const objects = Array.from({ length: 1_000 }, (_, at) => ({
      ...aCell(paused),
      metadata: { name: `cell-${at}`, namespace: 'default' },
    }));
    const { told } = following({ objects });
    await until('all of it', async () => told.watched.isWhole);
    expect(told.watched.cells.size).toBe(1_000);
    expect(told.changes).toBeLessThan(20);
  });

  it('is shown while another kind cannot be read, and continues', async () => {
    const { told, put } = following({ snapshot: unreadable('StagedBindingPolicy') });
    await until('the Cell', async () => told.watched.isWhole && told.changes > 0);
    expect([...told.watched.troubles]).toEqual([['StagedBindingPolicy', 'webhook failed']]);
    const before = told.changes;
    put({ ...aCell(paused), metadata: { name: 'api', namespace: 'default' } });
    await until('the change', async () => told.watched.cells.size === 2);
    expect(told.changes).toBeGreaterThan(before);
  });

  it('is not whole as long as the Cells cannot be read', async () => {
    const { told } = following({ snapshot: unreadable('Cell') });
    await until('the trouble', async () => told.watched.troubles.has('Cell'));
    expect(told.watched.isWhole).toBe(false);
  });

  it('forgets a Freeze that holds other namespaces by now', async () => {
    const freeze = (namespace: string): Freeze => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name: 'night' },
      spec: { by: 'ops', reason: 'sale', namespaces: [namespace] },
    });
    const { told, put } = following({ objects: [freeze('shop')] }, { namespaces: ['shop'] });
    await until('the Freeze', async () => told.watched.isWhole && told.watched.freezes.size === 1);
    put(freeze('bank'));
    await until('its end', async () => told.watched.freezes.size === 0);
  });

  it('ends with what goes wrong where it is told of', async () => {
    const { session, put } = aWorld({ objects: [aCell(paused)] });
    const watched = nothingWatched();
    const followed = follow(
      session,
      { target: undefined, namespaces: [] },
      {
        signal: stop.signal,
        watched,
        changed: () => {
          if (watched.cells.get('default/web')?.status?.phase === 'Completed')
            throw new Error('cannot be drawn');
        },
      },
    );
    const changing = until('the Cell', async () => watched.isWhole).then(() => {
      put(aCell({ phase: 'Completed' }));
    });
    await expect(followed).rejects.toThrow('cannot be drawn');
    await changing;
  });
});
