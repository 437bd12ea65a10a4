import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { asActivity } from '../checks/testing/objects.ts';
import { driftActivities } from './drift.ts';

const place =
  'arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/web/50dc6c495c0c9188/f2f7dc8efc522ab2';
const named = (namespace: string) => ({
  metadata: { namespace, name: 'web' },
  spec: { listenerARN: place, listener: { rule: { priority: 10, hosts: ['example.com'] } } },
});

const noTraffic = { unhealthy: [], changed: [], isSplit: false };

/** Looks at a place with a role that is bound in some namespaces alone, each with an object that names it or with none. */
function found(bound: Readonly<Record<string, readonly object[]>>, watchNamespaces: readonly string[]) {
  const list = (
    _kind: unknown,
    { namespace = '' }: { namespace?: string } = {},
  ): Promise<readonly object[]> => {
    const objects = bound[namespace];
    if (objects !== undefined) return Promise.resolve(objects);
    const message = `User okra cannot list in namespace "${namespace}"`;
    return Promise.reject(new KubernetesError({ status: 403, reason: 'Forbidden', message }));
  };
  const activities = driftActivities({
    kubernetes: { list } as unknown as KubernetesClient,
    watchNamespaces,
    temporal: {} as Client,
    elbv2: () => {
      throw new Error('Expected nobody to call ELBv2.');
    },
    installation: () => Promise.resolve('here'),
    taskQueue: 'okra',
  });
  return asActivity(() => activities.findDrift({ type: 'AWSApplicationLoadBalancer', place }));
}

describe('the watch over a listener', () => {
  it('asks for the objects of the namespaces that Okra watches, as it may not list others', async () => {
    const bound = { shop: [named('shop')], bank: [named('bank')] };
    expect(await found(bound, ['shop', 'bank'])).toEqual({ watched: 2, drifted: [], ...noTraffic });
  });

  it('asks for those of all namespaces where Okra watches all', async () => {
    expect(await found({ '': [named('shop')] }, [])).toEqual({ watched: 1, drifted: [], ...noTraffic });
  });

  it('continues over one namespace when another is gone with its RoleBinding', async () => {
    const bound = { shop: [named('shop')] };
    expect(await found(bound, ['shop', 'bank'])).toEqual({
      watched: 1,
      unread: 1,
      drifted: [],
      ...noTraffic,
    });
  });

  it('continues without failing where nothing names the listener but what it may not list', async () => {
    expect(await found({ shop: [] }, ['shop', 'bank'])).toEqual({
      watched: 0,
      unread: 1,
      drifted: [],
      ...noTraffic,
    });
  });

  it('fails where it may list nothing', async () => {
    await expect(found({}, ['shop', 'bank'])).rejects.toThrow('cannot list in namespace "shop"');
  });
});
