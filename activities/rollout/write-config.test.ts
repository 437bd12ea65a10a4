import { describe, expect, it } from 'vitest';
import { forwarding } from '../load-balancers/application-load-balancer/testing/apply.ts';
import { FINALIZER } from '../../domain/kubernetes/labels.ts';
import { loadBalancerOf } from '../load-balancers/index.ts';
import type { ConfigObject } from '../load-balancers/port.ts';
import type { ShiftRequest } from '../contract.ts';
import { writeConfig } from './write-config.ts';

const key = { namespace: 'default', name: 'web' };

/** A configuration of the name of a Cell, for the rule at a priority. */
const config = (priority: number): ConfigObject => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'AWSApplicationLoadBalancerConfig',
  metadata: { ...key, resourceVersion: '1' },
  spec: loadBalancerOf('AWSApplicationLoadBalancer').spec(forwarding({ a: 100 }, {}, { priority }), 'Retain'),
});

const request: ShiftRequest = {
  cell: { key, uid: 'uid' },
  forwarding: forwarding({ b: 100 }),
  deletionPolicy: 'Retain',
  adopt: true,
  sequence: 1,
  urgent: true,
  verify: false,
  minHealthyTargets: 1,
};

async function write(
  known: ConfigObject,
  more: Partial<ShiftRequest> = {},
): Promise<readonly ConfigObject[]> {
  const applied: ConfigObject[] = [];
  const apply = (object: ConfigObject) => (applied.push(object), Promise.resolve(object));
  await writeConfig({ ...request, ...more }, known, { apply } as never);
  return applied;
}

describe('a configuration that someone has written by hand', () => {
  it('is left alone by a Cell of its name that is about another rule', async () => {
    await expect(write(config(20))).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining(
        'was written by hand for rule 20 of the listener, and the Cell needs one for rule 10 of the listener. Rename the Cell or that object.',
      ) as string,
    });
  });

  it('continues as that of the Cell which is about its rule', async () => {
    expect(await write(config(10))).toHaveLength(1);
  });
});

describe('a configuration with deletionPolicy Delete', () => {
  const finalizersAfter = async (metadata: object): Promise<readonly string[] | undefined> => {
    const known = config(10);
    const [written] = await write(
      { ...known, metadata: { ...known.metadata, ...metadata } },
      { deletionPolicy: 'Delete' },
    );
    return written?.metadata.finalizers;
  };
  const deletionTimestamp = '2026-11-22T12:00:00Z';

  it('is held until what it has made is deleted', async () => {
    expect(await finalizersAfter({})).toEqual([FINALIZER]);
    expect(await finalizersAfter({ deletionTimestamp, finalizers: [FINALIZER] })).toEqual([FINALIZER]);
  });

  it('gets no new finalizer while it is being deleted and others keep it, which Kubernetes refuses', async () => {
    expect(await finalizersAfter({ deletionTimestamp, finalizers: ['example.com/backup'] })).toBeUndefined();
  });
});
