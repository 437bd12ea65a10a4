import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { aCell } from '../../domain/testing/builders.ts';
import { kubernetesWith } from '../../test/examples/route-53/kept-objects.ts';
import { configWriter } from './config-writer.ts';

const key = { namespace: 'default', name: 'web' };

it('says what is served though it cannot be shown in what people read', async () => {
  const { observedForwarding: served } = aCell().serving({ a: 100 }).seen();
  if (served === undefined) throw new TypeError('Expected a Cell that serves.');
  const { kubernetes } = kubernetesWith();
  const ended: string[] = [];
  const writer = configWriter({
    kubernetes: {
      ...kubernetes,
      list: () => Promise.reject(new Error('No AWSTargetGroup can be read.')),
      apply: async (object) => {
        for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
        ended.push(object.kind);
        return object;
      },
    },
    elbv2: () => {
      throw new Error('Expected nobody to call ELBv2.');
    },
    installation: () => Promise.resolve('here'),
    budget: { take: () => Promise.resolve({ is: 'Granted' }), penalise: () => Promise.resolve() },
  });
  const config: LoadBalancerConfigView = {
    key,
    uid: 'uid',
    generation: 1,
    desired: served,
    status: {},
    adopt: false,
    deletion: { policy: 'Retain', isHeld: false, isUnderWay: false },
  };
  const report = () => writer.report(config, { is: 'Served', served, created: true });
  await asyncLocalStorage.run({ info: {} } as unknown as Context, report);
  expect(ended).toEqual(['AWSApplicationLoadBalancerConfig']);
});
