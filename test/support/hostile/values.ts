import fc from 'fast-check';

/** Stands in whatever nobody may read who reads a message. */
export const SECRET = 'S3CR3T';

/** Stands in what AWS may repeat of what it was asked with, and in what it says that is secret; its names are none. */
export const TOKEN = 'T0K3N';

/** A text that nobody may read. */
export const secret = fc.string({ maxLength: 12 }).map((text) => `${SECRET}${text}`);

// What stops programs: long, deep, odd, or the name of something that every object has.
const long = fc.constantFrom(
  '/'.repeat(20_000),
  ' '.repeat(20_000),
  `${'a'.repeat(5_000)}!`,
  'a,'.repeat(5_000),
  '['.repeat(5_000),
  '-----BEGIN '.repeat(1_000),
  `${SECRET}${'é'.repeat(5_000)}`,
);
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', ''];

// What fast-check does for its texts of any character takes half a second of each process that loads it.
const SURROGATES = { first: 0xd800, count: 0x800 };
const anyCharacter = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count));

/** A text that nobody expects. */
export const oddText = fc.oneof(
  { weight: 4, arbitrary: secret },
  { weight: 2, arbitrary: fc.array(anyCharacter, { maxLength: 8 }).map((characters) => characters.join('')) },
  { weight: 1, arbitrary: long },
  { weight: 2, arbitrary: fc.constantFrom(...names) },
);

/** Something that nobody expects, as JSON can say it. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, false, 0, -1, 1e300, [], {}, [null], [[]], [{}]),
  },
  { weight: 1, arbitrary: fc.array(secret, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(SECRET).map((text) => Array.from({ length: 101 }, () => text)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...names, SECRET), fc.oneof(secret, fc.constant(null)))
      .map(([key, value]) => Object.fromEntries([[key, value]])),
  },
);

/** Mostly something good, and otherwise something odd. */
export const mostly = (good: fc.Arbitrary<unknown>, often = 6): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: often, arbitrary: good }, { weight: 1, arbitrary: odd });

/** An object of which any field may be missing, or odd. */
export const fields = (
  good: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  often = 6,
): fc.Arbitrary<unknown> =>
  mostly(
    fc.record(Object.fromEntries(Object.entries(good).map(([key, value]) => [key, mostly(value, often)])), {
      requiredKeys: [],
    }),
    often * 2,
  );

/** One of some texts. */
export const one = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
