import { expect, it } from 'vitest';
import { routeOf } from '../load-balancers/load-balancer.ts';
import type { Shift } from '../model/decision.ts';
import { initialState } from '../model/state.ts';
import { aCell, arnOf } from '../testing/builders.ts';
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

function requested(shift: Partial<Shift>): ShiftRequest {
  const { cell } = observed;
  const route = cell && routeOf(cell.spec);
  if (cell === undefined || route === undefined) throw new TypeError('Expected a Cell with an ingress.');
  return shiftRequest({ ...takeBack, ...shift }, { observed, cell, state: initialState, route });
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
