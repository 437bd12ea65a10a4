import { expect, it } from 'vitest';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { measurementActivities } from './measurements.ts';

const run = (name: string, day: number) => ({
  metadata: { namespace: 'shop', name, uid: name, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
  status: { phase: 'Successful' },
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
