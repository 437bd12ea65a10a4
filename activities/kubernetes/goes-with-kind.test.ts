import { describe, expect, it } from 'vitest';
import {
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_TARGET_GROUP_BINDING,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { BINDING_FINALIZER, FINALIZER } from '../../domain/kubernetes/labels.ts';
import { aCell } from '../../domain/testing/builders.ts';
import { targetGroupBindingActivities } from '../discovery/target-group-binding/target-group-binding.ts';
import { loadBalancerConfigActivities } from '../load-balancers/load-balancer-config.ts';
import { asActivity } from '../load-balancers/testing/writer.ts';

const key = { namespace: 'shop', name: 'web' };
const [then, after] = ['2026-11-23T10:00:00Z', '2026-11-23T11:00:00Z'];
const metadata = {
  ...key,
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: then,
  deletionTimestamp: after,
};

/** An API server with an object that someone deletes, the kinds that it is losing, and what comes of the deletion. */
function deleting(object: object, going: readonly string[]) {
  const seen: string[] = [];
  const refuse = () => {
    seen.push('AWS is asked');
    throw new Error('Not today.');
  };
  const kubernetes = {
    get: () => Promise.resolve(object),
    serves: ({ plural }: KindRef) => Promise.resolve(!going.includes(plural)),
    list: () => Promise.resolve([]),
    apply: (written: object) => Promise.resolve(written),
    patch: (_: KindRef, __: object, { metadata: { finalizers } }: { metadata: { finalizers: string[] } }) => {
      if (finalizers.length === 0) seen.push('it is let go');
      return Promise.resolve(object);
    },
  };
  const elbv2 = Object.assign(refuse, { inRegion: refuse });
  return { seen, dependencies: { kubernetes, elbv2, installation: () => Promise.resolve('here') } as never };
}

describe('what an object has made at AWS', () => {
  it.each([
    [
      'stays when the definition of AWSTargetGroupBindings is being deleted',
      ['awstargetgroupbindings'],
      ['it is let go'],
    ],
    ['is undone when someone deletes the AWSTargetGroupBinding', [], ['AWS is asked']],
  ])('%s', async (_, going, want) => {
    const arn = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/4567';
    const targets = [{ name: 'web', port: 80, ids: ['i-a'] }];
    const binding = {
      apiVersion: AWS_TARGET_GROUP_BINDING.apiVersion,
      kind: AWS_TARGET_GROUP_BINDING.kind,
      metadata: { ...metadata, finalizers: [BINDING_FINALIZER] },
      spec: { targetGroupARN: arn, targets },
      status: { targetGroupARN: arn, targets },
    };
    const { seen, dependencies } = deleting(binding, going);
    const reader = { begin: () => ({ [Symbol.dispose]: () => undefined }) };
    const activities = targetGroupBindingActivities({ ...(dependencies as object), reader } as never);
    await asActivity(() => activities.syncTargetGroupBinding(key));
    expect([...new Set(seen)]).toEqual(want);
  });

  it.each([
    ['stays when its definition is being deleted', ['awsapplicationloadbalancerconfigs'], true],
    ['stays when the definition of Cells is being deleted', ['cells'], true],
    ['goes when someone deletes the Cell', [], false],
  ])('as a configuration with deletionPolicy Delete %s', async (_, going, stays) => {
    const { observedForwarding } = aCell().serving({ a: 100 }).seen();
    const { type: __, ruleARN, ...spec } = observedForwarding as never as Record<string, unknown>;
    const config = {
      apiVersion: AWS_APPLICATION_LOAD_BALANCER_CONFIG.apiVersion,
      kind: AWS_APPLICATION_LOAD_BALANCER_CONFIG.kind,
      metadata: {
        ...metadata,
        finalizers: [FINALIZER],
        ownerReferences: [{ apiVersion: 'v1', kind: 'Cell', name: 'web', uid: 'c', controller: true }],
      },
      spec: { ...spec, deletionPolicy: 'Delete' },
      status: { ...spec, ruleARN },
    };
    const { seen, dependencies } = deleting(config, going);
    const ref = { type: 'AWSApplicationLoadBalancer', key } as const;
    const removed = asActivity(() => loadBalancerConfigActivities(dependencies).removeLoadBalancer({ ref }));
    await removed.catch(() => undefined);
    expect(seen.includes('it is let go')).toBe(stays);
    expect(seen.includes('AWS is asked')).toBe(!stays);
  });
});
