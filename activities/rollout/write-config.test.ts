import { describe, expect, it } from 'vitest';
import { forwarding } from '../load-balancers/application-load-balancer/testing/apply.ts';
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

async function write(known: ConfigObject): Promise<readonly unknown[]> {
  const applied: unknown[] = [];
  const apply = (object: unknown) => (applied.push(object), Promise.resolve(object));
  await writeConfig(request, known, { apply } as never);
  return applied;
}

describe('a configuration that someone has written by hand', () => {
  it('is left alone by a Cell of its name that is about another rule', async () => {
    await expect(write(config(20))).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining(
        'got one that someone has written by hand for rule 20 of the listener. Give the Cell or that object another name.',
      ) as string,
    });
  });

  it('goes on as that of the Cell which is about its rule', async () => {
    expect(await write(config(10))).toHaveLength(1);
  });
});
