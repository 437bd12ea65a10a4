import { expect, it } from 'vitest';
import { withTargetGroups } from '../load-balancers/load-balancer.ts';
import { aCell, arnOf } from '../testing/builders.ts';
import { observedAfterWrite } from './after-write.ts';

it('knows what was written where the objects could not be read again', () => {
  const observed = aCell().withGroups('1.0.0', 'a').withGroups('2.0.0', 'b').serving({ a: 80, b: 20 }).seen();
  const { observedForwarding } = observed;
  if (observedForwarding === undefined) throw new Error('Expected weights that are served, got none.');
  const targetGroups = [{ name: 'a', arn: arnOf('a'), weight: 100 }];
  const written = withTargetGroups(observedForwarding, targetGroups);
  expect(observedAfterWrite({ ...observed, isApplied: false }, written)).toEqual({
    ...observed,
    weighted: targetGroups,
    observedForwarding: written,
    isApplied: true,
  });
});
