import { expect, it } from 'vitest';
import { weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';

it('leaves nothing else in the rule by the one write that goes back, where a spec that is not valid keeps clients and no object says what is served', () => {
  const web = rollingOut({
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  });
  web.edit((spec) => {
    const block = spec.ingress.awsApplicationLoadBalancer;
    if (block?.listener === undefined) return spec;
    const forward = { targetGroupStickiness: { durationSeconds: 60 } };
    const listener = { rule: { ...block.listener.rule, forward } };
    return { ...spec, ingress: { ...spec.ingress, awsApplicationLoadBalancer: { ...block, listener } } };
  });
  web.run();
  expect(weightsOf(web.served)).toEqual({ a: 80, b: 20 });
  web.isKnown = false;
  web.problems = ['Expected something else.'];
  web.wake();
  web.run();
  const back = web.writes.filter(({ shift }) => shift.purpose === 'TakeBack');
  expect(back.map(({ shift }) => weightsOf(shift.shares))).toEqual([{ a: 100 }]);
});
