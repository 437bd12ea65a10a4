import { expect, it } from 'vitest';
import { isPermanent } from '../failures.ts';
import { routeOf } from '../load-balancers/load-balancer.ts';
import type { Shift } from '../model/decision.ts';
import { initialState } from '../model/state.ts';
import { aCell, arnOf } from '../testing/builders.ts';
import { performedOf } from './record/attempt.ts';
import { shiftRequest, type ShiftRequest } from './shift.ts';

const observed = aCell().serving({ a: 70, b: 30 }).seen();
const takeBack: Shift = {
  do: 'Shift',
  purpose: 'TakeBack',
  version: '1.0.0',
  shares: [{ name: 'a', arn: arnOf('a'), weight: 100 }],
  urgent: true,
  message: '',
};

function requested(shift: Partial<Shift>, state = initialState): ShiftRequest {
  const { cell } = observed;
  const route = cell && routeOf(cell.spec);
  if (cell === undefined || route === undefined) throw new TypeError('Expected a Cell with an ingress.');
  return shiftRequest({ ...takeBack, ...shift }, { observed, cell, state, route });
}

it.each([
  ['says how much it takes back', {}, 30],
  [
    'says nothing where nobody knows what is served, so that it goes before all others',
    { verify: true },
    undefined,
  ],
  ['says nothing where nothing is taken back', { urgent: false }, undefined],
])('a write of weights %s', (_, shift, percent) => expect(requested(shift).percent).toBe(percent));

it.each([
  ['what AWS has refused for good', 'AccessDenied', 'TakeBack', 0],
  ['not what it may take the next time', 'Throttled', 'TakeBack', undefined],
  ['not what another write has overtaken', 'Superseded', 'TakeBack', undefined],
  ['not what follows something else that was refused', 'AccessDenied', 'FallBack', undefined],
] as const)('lets others go first: %s', (_, reason, purpose, percent) => {
  const refusal = { reason, message: '', permanent: isPermanent(reason) };
  const refused = performedOf({ ...takeBack, purpose }, { is: 'Refused', refusal }, observed);
  expect(requested({ verify: true }, refused.apply(initialState, 0)).percent).toBe(percent);
});
