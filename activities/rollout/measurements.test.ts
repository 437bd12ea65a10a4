import { expect, it } from 'vitest';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { measurementActivities } from './measurements.ts';

const run = (name: string, day: number) => ({
  metadata: { namespace: 'shop', name, uid: name, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
  status: { phase: 'Successful' },
});

it('deletes the Jobs of earlier rollouts that have ended, and ends those that a lost run has left behind', async () => {
  const deleted: string[] = [];
  const ended: object[] = [];
  const job = (name: string, day: number, spec: object, ...types: readonly string[]) => ({
    metadata: { ...run(name, day).metadata, labels: { 'okra.mumo.co/rollout': 'r1' } },
    spec,
    status: { conditions: types.map((type) => ({ type, status: 'True' })) },
  });
  const jobs = [
    job('complete', 1, {}, 'Complete'),
    job('failed', 2, {}, 'Failed'),
    job('failed-later', 3, {}, 'Failed'),
    job('left', 4, {}),
    job('ended', 5, { activeDeadlineSeconds: 0 }),
  ];
  const client = {
    list: ({ kind }: { kind: string }) => Promise.resolve(kind === 'Job' ? jobs : []),
    patch: (_: unknown, { name }: { name: string }, patch: object) =>
      Promise.resolve(void ended.push({ name, patch })),
    delete: (_: unknown, { name }: { name: string }) => Promise.resolve(void deleted.push(name)),
  };
  const activities = measurementActivities(client as unknown as KubernetesClient);
  const key = { namespace: 'shop', name: 'web' };
  await activities.pruneMeasurements({ key, atRestAt: Date.UTC(2026, 1), unsuccessful: 1 });
  expect(deleted).toEqual(['failed']);
  expect(ended).toEqual([{ name: 'left', patch: { spec: { activeDeadlineSeconds: 0 } } }]);
});

it('deletes the Checks of earlier rollouts where Argo Rollouts is not installed', async () => {
  const deleted: string[] = [];
  const client = {
    list: ({ kind }: { kind: string }) =>
      kind === 'Check'
        ? Promise.resolve([run('old', 1), run('new', 2)])
        : Promise.reject(new KubernetesError({ status: 404, reason: 'NotFound', message: 'No such kind.' })),
    delete: (_: unknown, { name }: { name: string }) => Promise.resolve(void deleted.push(name)),
  };
  const activities = measurementActivities(client as unknown as KubernetesClient);
  await activities.pruneMeasurements({ key: { namespace: 'shop', name: 'web' }, atRestAt: 0, successful: 1 });
  expect(deleted).toEqual(['old']);
});
