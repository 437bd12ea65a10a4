import fc from 'fast-check';

/** A good value most of the time, and now and then one of those that are on or beyond an edge. */
export const mostly = (good: fc.Arbitrary<unknown>, ...odd: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: good, weight: 60 }, { arbitrary: fc.constantFrom(...odd), weight: 1 });

/** An object of which some fields may be left out. */
export const fields = (needed: Fields, optional: Fields = {}): fc.Arbitrary<Record<string, unknown>> =>
  fc.record({ ...needed, ...optional }, { requiredKeys: Object.keys(needed) });
/** Arbitraries of fields, by name. */
export type Fields = Record<string, fc.Arbitrary<unknown>>;

/** A short list. */
export const few = (one: fc.Arbitrary<unknown>, minLength = 1, maxLength = 3): fc.Arbitrary<unknown[]> =>
  fc.array(one, { minLength, maxLength });

/** A name of an object. */
export const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);
/** A short text of any characters. */
export const word = fc.string({ minLength: 1, maxLength: 20 });
/** A text that is longer than any field takes. */
export const long = 'x'.repeat(5000);

const part = (unit: string, most: number): fc.Arbitrary<string> =>
  fc.option(fc.nat(most)).map((amount) => (amount === null ? '' : `${amount}${unit}`));
const seconds = fc.oneof(fc.nat(31_536_000), fc.constantFrom(0, 31_536_000));
const durationText = fc.oneof(
  fc
    .tuple(part('h', 200), part('m', 600), part('s', 5000))
    .map((parts) => parts.join(''))
    .filter((text) => text !== ''),
  seconds.map(String),
  fc.constantFrom('8760h', '0s', '1h30m', '0h0m0s', '00000030'),
);
const oddDurations = ['', '5x', '8760h1s', '31536001', '1h 5m', '5s1h', '-5s', '1.5h', '000000030', -1, true];
/** A duration as text. */
export const duration = mostly(durationText, 30, ...oddDurations);
/** A duration as text or as seconds. */
export const durationOrSeconds = mostly(fc.oneof(durationText, seconds), 31_536_001, 0.5, ...oddDurations);
