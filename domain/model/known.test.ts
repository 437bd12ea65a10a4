import { expect, it } from 'vitest';
import { aCell, arnOf } from '../testing/builders.ts';
import { routeOf, withTargetGroups } from '../load-balancers/load-balancer.ts';
import { withWritten } from './known.ts';

it('takes what was written for what is seen, while the objects cannot be read', () => {
  const observed = aCell().serving({ a: 100, b: 0 }).seen();
  const route = observed.cell === undefined ? undefined : routeOf(observed.cell.spec);
  if (route === undefined) throw new Error('Expected the builder to make a route, got none.');
  const targetGroups = [{ name: 'b', arn: arnOf('b'), weight: 100 }];
  const forwarding = withTargetGroups(route, targetGroups);
  expect(withWritten({ ...observed, isApplied: false }, forwarding)).toEqual({
    ...observed,
    weighted: targetGroups,
    observedForwarding: forwarding,
    isApplied: true,
  });
});
