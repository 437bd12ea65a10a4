import { expect, it } from 'vitest';
import { applyTo, forwarding } from './testing/apply.ts';
import { aListener } from './testing/listener.ts';

const stickiness = { durationSeconds: 60 };
const targetStickiness = { type: 'lb_cookie', durationSeconds: 60 } as const;

/** What is asked of the rule, with clients that stay with a target. */
function keeping(weights: Readonly<Record<string, number>>) {
  const asked = forwarding(weights);
  const { rule } = asked.listener;
  return {
    ...asked,
    listener: { rule: { ...rule, forward: { ...rule.forward, stickiness, targetStickiness } } },
  };
}

it('ends in a group that has left by a write that was cut short', async () => {
  const listener = aListener();
  const observed = await applyTo(listener, { a: 80, b: 20 }, { forwarding: keeping({ a: 80, b: 20 }) });
  expect(listener.attributes('a')).toMatchObject({ 'stickiness.enabled': 'true' });
  const next = { forwarding: keeping({ b: 100 }), observed };
  let permits = 0;
  const once = () => (
    (permits += 1),
    permits > 1 ? Promise.reject(new Error('Cut short.')) : Promise.resolve()
  );
  await expect(applyTo(listener, {}, next, { permit: once })).rejects.toThrow('Cut short.');
  expect(listener.weights(10)).toEqual({ b: 100 });
  await applyTo(listener, {}, { ...next, verify: true });
  expect(listener.attributes('a')).toMatchObject({ 'stickiness.enabled': 'false' });
  expect(listener.attributes('b')).toMatchObject({ 'stickiness.enabled': 'true' });
});
