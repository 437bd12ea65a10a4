import { expect, it } from 'vitest';
import { weightsOf } from '../testing/builders.ts';
import { keepClients, rollingOut } from '../testing/rolling-out.ts';

it('leaves nothing else in the rule by the one write that goes back, where a spec that is not valid keeps clients and no object says what is served', () => {
  const web = rollingOut({
    updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
  });
  keepClients(web);
  web.run();
  expect(weightsOf(web.served)).toEqual({ a: 80, b: 20 });
  web.isKnown = false;
  web.problems = ['Expected something else.'];
  web.wake();
  web.run();
  const back = web.writes.filter(({ shift }) => shift.purpose === 'Reverting');
  expect(back.map(({ shift }) => weightsOf(shift.shares))).toEqual([{ a: 100 }]);
});
