import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { aJob } from '../../domain/testing/jobs.ts';
import { Objects } from '../checks/testing/objects.ts';
import type { JobRequest } from '../contract.ts';
import { jobActivities } from './job.ts';

const key = { namespace: 'shop', name: 'web-smoke-1-abc' };
const request: JobRequest = {
  cell: { key: { namespace: 'shop', name: 'web' }, uid: 'uid-of-web' },
  name: key.name,
  rollout: 'abc',
  step: 1,
  desiredVersion: '2.0.0',
  job: aJob(),
};

function theCluster() {
  const objects = new Objects();
  let created = 0;
  const client = objects.client();
  const counting: typeof client = {
    ...client,
    create: (object) => {
      created += 1;
      return client.create(object);
    },
  };
  const end = (status: object): void => {
    const job = objects.all.get(`Job/${key.name}`)!;
    objects.all.set(`Job/${key.name}`, { ...job, status });
  };
  const policy = (images: readonly string[]): void =>
    objects.put({ kind: 'AccessPolicy', metadata: { name: 'shop' }, spec: { namespaces: ['shop'], images } });
  return { objects, client, end, policy, created: () => created, ...jobActivities(counting) };
}

describe('a Job', () => {
  it('is made once, of its Cell, and says what it is for', async () => {
    const cluster = theCluster();
    expect(await cluster.startJob(request)).toEqual({ name: key.name, phase: 'Pending', message: '' });
    const labels = {
      'okra.mumo.co/cell': 'web',
      'okra.mumo.co/step-index': '1',
      'okra.mumo.co/rollout': 'abc',
    };
    expect(cluster.objects.of('Job')).toMatchObject([
      {
        apiVersion: 'batch/v1',
        metadata: { ...key, labels, ownerReferences: [{ kind: 'Cell', name: 'web', uid: 'uid-of-web' }] },
        spec: { template: { metadata: { labels }, spec: { containers: [{ image: 'busybox' }] } } },
      },
    ]);
    expect(JSON.stringify(cluster.objects.of('Job'))).toContain('{"name":"OKRA_VERSION","value":"2.0.0"}');
    cluster.end({ conditions: [{ type: 'Complete', status: 'True' }] });
    expect(await cluster.startJob(request)).toMatchObject({ phase: 'Successful' });
    expect(cluster.created()).toBe(1);
  });

  it('that is of no step has no index', async () => {
    const cluster = theCluster();
    const { step: _none, ...rest } = request;
    await cluster.startJob(rest);
    expect(cluster.objects.of('Job')[0]?.metadata.labels).toEqual({
      'okra.mumo.co/cell': 'web',
      'okra.mumo.co/rollout': 'abc',
    });
  });

  it('is read, and is an error once it is deleted', async () => {
    const cluster = theCluster();
    await cluster.startJob(request);
    cluster.end({ active: 1 });
    expect(await cluster.readJob(key)).toMatchObject({ phase: 'Running' });
    cluster.objects.all.delete(`Job/${key.name}`);
    expect(await cluster.readJob(key)).toMatchObject({ phase: 'Error' });
  });

  it('is ended so that it is still there, and one that is gone is left as it is', async () => {
    const cluster = theCluster();
    await cluster.startJob(request);
    await cluster.terminateJob(key);
    expect(cluster.objects.of('Job')).toMatchObject([{ spec: { activeDeadlineSeconds: 0 } }]);
    const gone = jobActivities({
      ...cluster.client,
      patch: () => Promise.reject(new KubernetesError({ status: 404, reason: 'NotFound', message: '' })),
    });
    expect(await gone.terminateJob(key)).toMatchObject({ phase: 'Error' });
  });

  it('with an image that an AccessPolicy lists is run', async () => {
    const cluster = theCluster();
    cluster.policy(['busy*']);
    await cluster.startJob(request);
    expect(cluster.created()).toBe(1);
  });

  it('with an image that no AccessPolicy of the namespace lists is not run', async () => {
    const cluster = theCluster();
    cluster.policy(['registry.example/*']);
    await expect(cluster.startJob(request)).rejects.toMatchObject({
      type: 'NotAllowed',
      message:
        'No AccessPolicy (shop) lets namespace shop use image busybox. Use another one, or have it added to spec.images.',
    });
    expect(cluster.created()).toBe(0);
  });

  it('that the API server refuses says what is wrong with it', async () => {
    const cluster = theCluster();
    const refused = jobActivities({
      ...cluster.client,
      create: () =>
        Promise.reject(new KubernetesError({ status: 422, reason: 'Invalid', message: 'cpu: no quantity' })),
    });
    await expect(refused.startJob(request)).rejects.toMatchObject({
      type: 'JobInvalid',
      message: 'cpu: no quantity',
    });
  });

  it('of its name that someone else has made does not count', async () => {
    const cluster = theCluster();
    cluster.objects.put({
      kind: 'Job',
      metadata: key,
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    });
    await expect(cluster.startJob(request)).rejects.toMatchObject({ type: 'Conflict' });
  });
});
