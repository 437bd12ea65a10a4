import { describe, expect, it } from 'vitest';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { approvalActivities } from './cell.ts';

const review = { key: { namespace: 'shop', name: 'web' }, by: 'ann', groups: ['release'] };

/** An API server with an answer, and what it was asked. */
function answering(status: object | undefined) {
  const asked: unknown[] = [];
  const create = (object: object): Promise<object> => {
    asked.push(object);
    return Promise.resolve({ ...object, ...(status === undefined ? {} : { status }) });
  };
  return { asked, activities: approvalActivities({ create } as Pick<KubernetesClient, 'create'>) };
}

describe('whether someone may approve', () => {
  it('is asked of Kubernetes, about that Cell, by name and groups', async () => {
    const { asked, activities } = answering({ allowed: true });
    expect(await activities.reviewApproval(review)).toEqual({ allowed: true });
    expect(asked).toEqual([
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: { name: '' },
        spec: {
          user: 'ann',
          groups: ['release'],
          resourceAttributes: {
            group: 'okra.mumo.co',
            resource: 'cells',
            verb: 'approve',
            namespace: 'shop',
            name: 'web',
          },
        },
      },
    ]);
  });

  it.each([
    [undefined],
    [{}],
    [{ allowed: false }],
    [{ allowed: true, denied: true }],
    [{ allowed: 'true' }],
  ])('is a no when it answers %j', async (status) =>
    expect(await answering(status).activities.reviewApproval(review)).toEqual({ allowed: false }),
  );
});
