import fc from 'fast-check';
import { expect, it } from 'vitest';
import { freezeAt, longest, type Freezing } from './freeze.ts';

it('is decided in the same way by the Freeze that holds longest as by all of them', () => {
  const freeze = fc
    .record({ name: fc.string(), until: fc.option(fc.nat(20), { nil: undefined }) })
    .map(({ name, until }): Freezing => ({
      name,
      by: 'ops',
      reason: 'Friday.',
      ...(until === undefined ? {} : { until }),
    }));
  fc.assert(
    fc.property(fc.array(freeze), fc.nat(20), (freezes, now) => {
      const holding = freezes.filter(({ until = Infinity }) => until > now);
      const last = Math.max(...holding.map(({ until = Infinity }) => until));
      expect(freezeAt(longest(freezes), now)).toEqual(holding.find(({ until = Infinity }) => until === last));
    }),
  );
});
